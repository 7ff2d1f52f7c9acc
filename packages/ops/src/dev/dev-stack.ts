/**
 * The steps of `pnpm dev`, in order: database, migrations, demo data, bundles, /sql endpoint, Workers; and the way
 * back, in reverse. Every started thing registers how it ends before the next one starts, so that a failure or a signal
 * at any moment leaves nothing behind.
 */
import { createHash } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

import { buildWorkers } from "@hopline/testkit/workspace/build-workers";
import { openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { LOCK_NAME, lockStateDirectory } from "./dev-lock.ts";
import { describeError, Failure } from "@hopline/testkit/console/failure";
import { isPortFree } from "@hopline/testkit/postgres/free-port";
import { migrate } from "@hopline/testkit/postgres/migrate";
import type { Progress } from "@hopline/testkit/console/progress";
import { type DemoData, seedDemo } from "@hopline/testkit/stack/seed";
import { startSqlEndpoint } from "@hopline/testkit/sql-endpoint/sql-endpoint";
import { watchSources } from "./watch-sources.ts";
import { type LocalLog, startWorkers, type WorkerRuntime } from "@hopline/testkit/runtime/worker-runtime";
import { inWorkspace, STATE_DIRECTORY, WORKERS } from "@hopline/testkit/workspace/workspace";

/**
 * What the Workers get as DATABASE_URL: the driver insists on one, and the /sql endpoint knows the real one. So no
 * Worker, and no log line of one, can give the developer's own away.
 */
const PLACEHOLDER_DATABASE_URL = "postgresql://local:local@database.local.invalid/hopline";
/** How long Ctrl-C waits for clicks that are still in a queue; a batch is written about 2 s after its first click. */
const DRAIN_TIMEOUT_MS = 10_000;

export type DevOptions = {
  readonly port: number;
  readonly isReset: boolean;
  readonly progress: Progress;
  /** Aborted by Ctrl-C, SIGTERM or the end of the terminal. */
  readonly signal: AbortSignal;
};

/** Runs the local stack until the signal. Resolves when everything has ended; rejects with a `Failure` to tell. */
export async function runDevStack(options: DevOptions): Promise<void> {
  const endings: (() => Promise<void>)[] = [];
  try {
    await startAndWait(options, endings);
  } catch (error) {
    // Whatever a half-started step says after Ctrl-C is no news.
    if (!options.signal.aborted) {
      throw error;
    }
  } finally {
    for (const end of endings.toReversed()) {
      await end().catch((error: unknown) => options.progress.line(`  ${describeError(error)}`));
    }
  }
  options.progress.line("Hopline stopped.");
}

async function startAndWait(options: DevOptions, endings: (() => Promise<void>)[]): Promise<void> {
  const { port, progress, signal } = options;
  if (!(await isPortFree(port))) {
    throw new Failure(
      `Port ${port} of 127.0.0.1 is in use: stop what listens there, or choose another one with --port.`,
    );
  }
  const given = process.env["DATABASE_URL"] ?? "";
  endings.push(await lockStateDirectory(STATE_DIRECTORY));
  if (options.isReset) {
    await emptyStateDirectory();
    progress.line(
      given === ""
        ? "  Removed .hopline/"
        : "  Removed .hopline/; the database in DATABASE_URL stays as it is",
    );
  }
  // Takes seconds and needs no database: under way while that starts. Its failure is told when it is waited for.
  const bundling = buildWorkers(progress);
  endings.push(() => bundling.catch(() => undefined));
  const databaseUrl = await startDatabase(options, endings);
  signal.throwIfAborted();
  const demo = await progress.step("Demo data", () =>
    seedDemo({ databaseUrl, stateDirectory: STATE_DIRECTORY, host: `127.0.0.1:${port}` }),
  );
  signal.throwIfAborted();
  await bundling;
  signal.throwIfAborted();
  const runtime = await startRuntime(options, { databaseUrl, given, demo }, endings);
  endings.push(() => drain(runtime, progress));
  endings.push(await keepUpToDate(runtime, options));
  signal.throwIfAborted();
  printReady(progress, { url: runtime.url, demo, ownDatabaseUrl: given === "" ? databaseUrl : null });
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Removes everything but the lock, which is ours. */
async function emptyStateDirectory(): Promise<void> {
  for (const name of await readdir(STATE_DIRECTORY)) {
    if (name !== LOCK_NAME) {
      await rm(join(STATE_DIRECTORY, name), { recursive: true, force: true });
    }
  }
}

async function startDatabase(options: DevOptions, endings: (() => Promise<void>)[]): Promise<string> {
  const { progress } = options;
  const startedAtMs = performance.now();
  const server = await progress.during("Starting the database", () =>
    openDatabaseServer({
      environment: process.env,
      dataDirectory: join(STATE_DIRECTORY, "postgres"),
      durable: true,
      onLog: (line) => progress.line(`    ${line}`),
      onUnexpectedEnd: (reason) =>
        progress.line(`✗ Postgres ended by itself: ${reason}. Start again with \`pnpm dev\`.`),
    }),
  );
  endings.push(() => server.stop());
  progress.done(server.label, performance.now() - startedAtMs);
  await progress.step("Migrations", () =>
    migrate(server.url, {
      directory: inWorkspace("migrations"),
      onProgress: (line) => progress.line(`    ${line}`),
    }),
  );
  return server.url;
}

async function startRuntime(
  options: DevOptions,
  state: { readonly databaseUrl: string; readonly given: string; readonly demo: DemoData },
  endings: (() => Promise<void>)[],
): Promise<WorkerRuntime> {
  const { progress } = options;
  const persistDirectory = await chooseKvDirectory(state);
  return progress.step("Workers", async () => {
    const sqlEndpoint = await startSqlEndpoint({ databaseUrl: state.databaseUrl });
    endings.push(() => sqlEndpoint.stop());
    const runtime = await startWorkers({
      bundles: WORKERS.map((worker) => ({
        configPath: inWorkspace(worker.configPath),
        scriptPath: inWorkspace(`${worker.bundleDirectory}/index.js`),
      })),
      databaseUrl: PLACEHOLDER_DATABASE_URL,
      sqlEndpointUrl: sqlEndpoint.url,
      port: options.port,
      persistDirectory,
      onLog: (log) => printLog(progress, log),
    });
    endings.push(() => runtime.stop());
    return runtime;
  });
}

/**
 * KV must not outlive the database it mirrors: each DATABASE_URL has a folder of its own, and a demo domain that moved
 * starts with an empty one, or its old address would come back with old answers.
 */
async function chooseKvDirectory(state: {
  readonly given: string;
  readonly demo: DemoData;
}): Promise<string> {
  const suffix =
    state.given === "" ? "" : `-${createHash("sha256").update(state.given).digest("hex").slice(0, 8)}`;
  const directory = join(STATE_DIRECTORY, `workers${suffix}`);
  if (state.demo.movedFrom !== null) {
    await rm(directory, { recursive: true, force: true });
  }
  return directory;
}

async function keepUpToDate(
  runtime: WorkerRuntime,
  { progress, signal }: DevOptions,
): Promise<() => Promise<void>> {
  return watchSources(async (path) => {
    const startedAtMs = performance.now();
    try {
      await progress.during(`${path} changed, rebuilding`, async () => {
        await buildWorkers({ ...progress, step: (name, work) => progress.during(name, work) });
        signal.throwIfAborted();
        await runtime.drain(DRAIN_TIMEOUT_MS);
        await runtime.reload();
      });
      progress.done(`${path} changed, Workers reloaded`, performance.now() - startedAtMs);
    } catch (error) {
      if (!signal.aborted) {
        progress.line(`✗ ${describeError(error)}`);
        progress.line("  The Workers of before go on.");
      }
    }
  });
}

async function drain(runtime: WorkerRuntime, progress: Progress): Promise<void> {
  const seconds = DRAIN_TIMEOUT_MS / 1000;
  progress.line(`Stopping: waiting up to ${seconds} s for queued clicks to reach the database.`);
  const left = await progress.during("Draining the queues", () => runtime.drain(DRAIN_TIMEOUT_MS));
  if (left > 0) {
    progress.line(
      `✗ ${left} queued ${left === 1 ? "message was" : "messages were"} not delivered and end here.`,
    );
  }
}

function printLog(progress: Progress, { level, message }: LocalLog): void {
  progress.line(`    ${level === "error" || level === "warn" ? `${level}: ` : ""}${message}`);
}

type Ready = {
  readonly url: string;
  readonly demo: DemoData;
  /** Of the database that came with the stack; null where the person knows it. */
  readonly ownDatabaseUrl: string | null;
};

function printReady(progress: Progress, { url, demo, ownDatabaseUrl }: Ready): void {
  const database =
    ownDatabaseUrl === null
      ? ""
      : `
  The database   DATABASE_URL=${ownDatabaseUrl} \\
                   npx -y pnpm@12 reconcile
`;
  progress.line(`
Hopline ready on ${url}

  A short link   ${url}/${demo.slug}
  An API key     ${demo.apiKey}
  A new link     curl -s ${url}/api/v1/links -H 'Authorization: Bearer ${demo.apiKey}' \\
                   -H 'Content-Type: application/json' -d '{"url":"https://example.com/new"}'
${database}
  Ctrl-C stops everything. Data stays in .hopline/ until \`pnpm dev --reset\`.
`);
}
