/**
 * What is under load: a database of its own, the /sql endpoint, the production bundles in workerd; or the constant Worker
 * alone. Requests go to the producer's own socket, past the development proxies, which would be measured instead. Whatever
 * is started registers how it ends before the next thing starts.
 */
import { mkdtemp, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { buildWorkers } from "@hopline/testkit/workspace/build-workers";
import { openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { PLACEHOLDER_DATABASE_URL, toClientConfig } from "@hopline/testkit/postgres/database-url";
import { migrate } from "@hopline/testkit/postgres/migrate";
import { DURABLE } from "@hopline/testkit/postgres/postgres-server";
import type { Progress } from "@hopline/testkit/console/progress";
import { seedDemo } from "@hopline/testkit/stack/seed";
import { startSqlEndpoint } from "@hopline/testkit/sql-endpoint/sql-endpoint";
import { type LocalLog, startWorkers, type WorkerRuntime } from "@hopline/testkit/runtime/worker-runtime";
import { BUNDLES, inWorkspace } from "@hopline/testkit/workspace/workspace";
import pg, { type Pool } from "pg";

/** The names in wrangler.jsonc. */
const PRODUCER = "hopline-producer";
const CONSTANT = "hopline-constant";
/** Those with jobs. */
const CLOCKED = ["hopline-consumer", "hopline-api"];
const EVERY_MINUTE_MS = 60_000;

export type Ending = () => Promise<unknown>;

export type LoadStack = {
  /** Where visitors ask: scheme, host and port, no slash. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly database: Pool;
  readonly runtime: WorkerRuntime;
  /** `Postgres 18.4 …`: fit for a report. */
  readonly databaseLabel: string;
  /** Statements that the producer has sent to the database so far. */
  readonly countStatements: () => number;
  /** The constant Worker in the same workerd; `null` where the plan has none. */
  readonly constantUrl: string | null;
  /** Runs all jobs now and once a minute, as clocks do, until the function is called that it returns. */
  readonly keepWorking: () => () => void;
};

export type StackOptions = {
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly endings: Ending[];
  readonly onLog: (log: LocalLog) => void;
};

export type StackPlan = {
  /** Imported links are left to Postgres, as where KV has no writes left for them. */
  readonly isPublishingPaused: boolean;
  /** With the constant Worker in the same workerd. */
  readonly isTail: boolean;
};

/** Starts everything but the visitors. */
export async function startLoadStack(
  options: StackOptions,
  { isPublishingPaused, isTail }: StackPlan,
): Promise<LoadStack> {
  const { progress, signal, endings, onLog } = options;
  await buildWorkers(progress);
  signal.throwIfAborted();
  const { databaseUrl, databaseLabel } = await startDatabase(options);
  signal.throwIfAborted();
  const sqlEndpoint = await startSqlEndpoint({ databaseUrl });
  endings.push(() => sqlEndpoint.stop());
  // The producer has one of its own, so that its statements can be counted.
  const producerEndpoint = await startSqlEndpoint({ databaseUrl });
  endings.push(() => producerEndpoint.stop());
  let statementCount = 0;
  producerEndpoint.setFault(({ statements }) => {
    statementCount += statements.length;
    return null;
  });
  const database = new pg.Pool({ ...toClientConfig(databaseUrl), max: 2 });
  database.on("error", () => undefined);
  endings.push(() => database.end());
  const persistDirectory = await makeMemoryDirectory(endings);
  const runtime = await progress.step("Workers", () =>
    startWorkers({
      bundles: isTail ? [...BUNDLES, CONSTANT_BUNDLE] : BUNDLES,
      databaseUrl: PLACEHOLDER_DATABASE_URL,
      sqlEndpointUrl: sqlEndpoint.url,
      port: 0,
      persistDirectory,
      arrange: (worker) => {
        if (worker.name === PRODUCER) {
          return { ...worker, bindings: { ...worker.bindings, NEON_SQL_ENDPOINT: producerEndpoint.url } };
        }
        if (worker.name === CONSTANT) {
          return { ...worker, unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }] };
        }
        if (isPublishingPaused) {
          return { ...worker, bindings: { ...worker.bindings, KV_WRITES_PER_DAY: "1" } };
        }
        return worker;
      },
      onLog,
    }),
  );
  endings.push(() => runtime.stop());
  const stateDirectory = await mkdtemp(join(tmpdir(), "hopline-load-"));
  endings.push(() => rm(stateDirectory, { recursive: true, force: true }));
  const host = new URL(runtime.producerUrl).host;
  const { apiKey } = await seedDemo({ databaseUrl, stateDirectory, host });
  return {
    baseUrl: runtime.producerUrl,
    apiKey,
    database,
    runtime,
    databaseLabel,
    countStatements: () => statementCount,
    constantUrl: isTail ? await runtime.getDirectUrl(CONSTANT) : null,
    keepWorking() {
      const work = (): void => {
        CLOCKED.forEach((worker) => void runtime.dispatchScheduled(worker).catch(() => undefined));
      };
      work();
      const timer = setInterval(work, EVERY_MINUTE_MS);
      return () => clearInterval(timer);
    },
  };
}

const MEMORY = "/dev/shm";
/** 20,000 links are as many files of a page each, before and after a write. */
const ROOM_BYTES = 1024 ** 3;

/**
 * The simulated KV is one file a key. On a disk a write takes more than twice its time, in the thread that also runs the
 * Workers; Cloudflare's takes none of it. `null` where there is no memory to write to.
 */
async function makeMemoryDirectory(endings: Ending[]): Promise<string | null> {
  const room = await statfs(MEMORY).catch(() => null);
  if (room === null || room.bavail * room.bsize < ROOM_BYTES) {
    return null;
  }
  const directory = await mkdtemp(join(MEMORY, "hopline-load-"));
  endings.push(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

async function startDatabase({ progress, endings }: StackOptions) {
  const startedAtMs = performance.now();
  const server = await progress.during("Starting the database", () =>
    openDatabaseServer({
      settings: DURABLE,
      onLog: (line) => progress.line(`    ${line}`),
      onUnexpectedEnd: (reason) => progress.line(`✗ Postgres ended: ${reason}`),
    }),
  );
  endings.push(() => server.stop());
  const scratch = await server.createScratchDatabase();
  endings.push(() => scratch.drop());
  progress.done(server.label, performance.now() - startedAtMs);
  let databaseLabel = server.label;
  await progress.step("Migrations", () =>
    migrate(scratch.url, {
      directory: inWorkspace("migrations"),
      onProgress: (line) => {
        databaseLabel = /Postgres .*$/.exec(line)?.[0] ?? databaseLabel;
      },
    }),
  );
  return { databaseUrl: scratch.url, databaseLabel };
}

const CONSTANT_DIRECTORY = join(import.meta.dirname, "../constant-worker");
const CONSTANT_BUNDLE = {
  configPath: join(CONSTANT_DIRECTORY, "wrangler.jsonc"),
  scriptPath: join(CONSTANT_DIRECTORY, "worker.js"),
};

/** Starts the yardstick; resolves to its address. */
export async function startConstantWorker(options: StackOptions): Promise<string> {
  const { progress, endings, onLog } = options;
  const runtime = await progress.step("Constant Worker", () =>
    startWorkers({
      bundles: [CONSTANT_BUNDLE],
      databaseUrl: PLACEHOLDER_DATABASE_URL,
      sqlEndpointUrl: "http://127.0.0.1:1/sql",
      port: 0,
      persistDirectory: null,
      onLog,
    }),
  );
  endings.push(() => runtime.stop());
  return runtime.producerUrl;
}
