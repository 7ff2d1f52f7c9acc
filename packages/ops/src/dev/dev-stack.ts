/**
 * The steps of `pnpm dev`, in order: database, migrations, demo data, bundles, /sql endpoint, Workers; and at the end
 * the way back. Everything that is started says how it ends before the next thing starts, so that a failure or a signal
 * at any moment leaves nothing behind.
 */
import { createHash } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join, relative } from "node:path";

import { readMode } from "@hopline/clickhouse/move/counting-mode";
import { moveToClickHouse } from "@hopline/clickhouse/move/to-clickhouse";
import { startClickHouse } from "@hopline/testkit/clickhouse/clickhouse-server";
import { fetchClickHouseEngine } from "@hopline/testkit/clickhouse/engine-cache";
import { describeError, Failure } from "@hopline/testkit/console/failure";
import type { Progress } from "@hopline/testkit/console/progress";
import { openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { PLACEHOLDER_DATABASE_URL } from "@hopline/testkit/postgres/database-url";
import { isPortFree } from "@hopline/testkit/postgres/free-port";
import { migrate } from "@hopline/testkit/postgres/migrate";
import { type LocalLog, startWorkers, type WorkerRuntime } from "@hopline/testkit/runtime/worker-runtime";
import { startSqlEndpoint } from "@hopline/testkit/sql-endpoint/sql-endpoint";
import { type DemoData, seedDemo } from "@hopline/testkit/stack/seed";
import { createSignInLink } from "@hopline/testkit/stack/sign-in-link";
import { inWorkspace, WORKERS, WORKSPACE_ROOT } from "@hopline/testkit/workspace/workspace";

import { migrateGivenClickHouse, withClickHouse } from "../operate/clickhouse.ts";
import { withSqlOf } from "../operate/direct-sql.ts";
import { createSetUpLink } from "../operate/set-up-link.ts";
import { type Bundles, createBundles } from "./bundles.ts";
import { LOCK_NAME, lockStateDirectory } from "./dev-lock.ts";
import { openMailbox } from "./mailbox.ts";
import { migrateOwn } from "./migrate-own.ts";
import { watchSources } from "./watch-sources.ts";

/** How long Ctrl-C waits for clicks that are still queued; a batch is written about 2 s after its first click. */
const DRAIN_TIMEOUT_MS = 10_000;
/** Sooner than a deployment's minute, so that no test waits for them, and longer than a run with little to do takes. */
const JOBS_EVERY_MS = 15_000;
/** Of one statement that moves clicks. */
const MOVE_TIMEOUT_MS = 60_000;
/** Whose jobs run each minute in a deployment. */
const WITH_JOBS = ["hopline-api", "hopline-consumer"];

export type DevOptions = {
  readonly port: number;
  readonly isReset: boolean;
  readonly hasClickHouse: boolean;
  /** Of a front end that may call the API from its pages; empty for none. */
  readonly corsOrigin: string;
  /** Where data, bundles and the lock are kept. */
  readonly stateDirectory: string;
  readonly progress: Progress;
  /** Aborted by Ctrl-C, SIGTERM or the end of the terminal. */
  readonly signal: AbortSignal;
};

/** Runs the local stack until the signal. Resolves when everything has ended; rejects with a `Failure`. */
export async function runDevStack(options: DevOptions): Promise<void> {
  const endings: (() => Promise<void>)[] = [];
  try {
    await startAndWait(options, endings);
  } catch (error) {
    // After Ctrl-C, a step that was still starting may fail in any way.
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
  const { port, stateDirectory, progress, signal } = options;
  endings.push(await lockStateDirectory(stateDirectory));
  for (const wanted of [port, toDashboardPort(port)]) {
    if (!(await isPortFree(wanted))) {
      throw new Failure(
        `Port ${wanted} of 127.0.0.1 is in use: stop what listens there, or choose another one with --port.`,
      );
    }
  }
  const given = process.env["DATABASE_URL"] ?? "";
  if (options.isReset) {
    await emptyStateDirectory(stateDirectory);
    progress.line(
      given === ""
        ? "  Removed .hopline/"
        : "  Removed .hopline/; the database in DATABASE_URL stays as it is",
    );
  }
  const workers = WORKERS.map(({ name, configPath, web }) => ({
    name,
    configPath: inWorkspace(configPath),
    ...(web === undefined ? {} : { web }),
  }));
  const bundles = createBundles(workers, join(stateDirectory, "bundles"));
  // Runs while the database starts. Its failure is reported when it is waited for.
  const bundling = progress.step("Bundles", () => bundles.bundleAll());
  endings.push(() => bundling.catch(() => undefined));
  const databaseUrl = await startDatabase(options, endings);
  signal.throwIfAborted();
  const clickHouseUrl = options.hasClickHouse ? await openClickHouse(options, endings) : "";
  signal.throwIfAborted();
  const demo = await progress.step("Demo data", () =>
    seedDemo({ databaseUrl, stateDirectory, host: `127.0.0.1:${port}` }),
  );
  signal.throwIfAborted();
  await countClicksIn(clickHouseUrl, databaseUrl);
  await bundling;
  signal.throwIfAborted();
  const runtime = await startRuntime(options, { databaseUrl, clickHouseUrl, given, demo, bundles }, endings);
  endings.push(runJobsRegularly(runtime));
  endings.push(() => drain(runtime, progress));
  endings.push(await watchSources((paths) => reload(runtime, bundles, paths, options)));
  signal.throwIfAborted();
  printReady(progress, {
    url: runtime.url,
    demo,
    dashboardUrl: await chooseDashboardUrl(databaseUrl, toAppOrigin(port), given === ""),
    ownDatabaseUrl: given === "" ? databaseUrl : null,
    clickHouseUrl,
  });
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Set-up, while there is no account; then signing in, on a database of our own; else the dashboard as it is. */
async function chooseDashboardUrl(databaseUrl: string, origin: string, isOwn: boolean): Promise<string> {
  const setUpLink = await createSetUpLink(databaseUrl, origin);
  const signInLink = setUpLink === null && isOwn ? await createSignInLink(databaseUrl, origin) : null;
  return setUpLink ?? signInLink ?? origin;
}

/** Removes everything but the lock, which this process holds. */
async function emptyStateDirectory(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!name.startsWith(LOCK_NAME)) {
      await rm(join(directory, name), { recursive: true, force: true });
    }
  }
}

async function startDatabase(options: DevOptions, endings: (() => Promise<void>)[]): Promise<string> {
  const { progress } = options;
  const startedAtMs = performance.now();
  let restarting = Promise.resolve();
  const restart = async (reason: string): Promise<void> => {
    try {
      if (!options.signal.aborted) {
        await server.start();
        progress.line(`! Postgres ended (${reason}) and was started again.`);
      }
    } catch (error) {
      progress.line(
        `✗ Postgres ended (${reason}), and again: ${describeError(error)} Stop, and run \`pnpm dev\` again.`,
      );
    }
  };
  const server = await progress.during("Starting the database", () =>
    openDatabaseServer({
      dataDirectory: join(options.stateDirectory, "postgres"),
      onLog: (line) => progress.line(`    ${line}`),
      onUnexpectedEnd: (reason) => (restarting = restart(reason)),
    }),
  );
  endings.push(async () => {
    await restarting;
    await server.stop();
  });
  progress.done(server.label, performance.now() - startedAtMs);
  const migratedFromMs = performance.now();
  const isOwn = (process.env["DATABASE_URL"] ?? "") === "";
  const { applied, isNew } = await progress.during("Migrations", async (report) => {
    const migrations = { directory: inWorkspace("migrations"), onProgress: report };
    return isOwn
      ? migrateOwn(server.url, options.stateDirectory, migrations)
      : { ...(await migrate(server.url, migrations)), isNew: false };
  });
  progress.done(`Migrations, ${applied.length} new`, performance.now() - migratedFromMs);
  if (isNew) {
    progress.line("  The migrations have changed since this database was made: it starts empty.");
  }
  return server.url;
}

/** Its data are kept with the database's. */
async function openClickHouse(options: DevOptions, endings: (() => Promise<void>)[]): Promise<string> {
  const { progress, stateDirectory } = options;
  return progress.step("ClickHouse", async (report) => {
    report("fetching half a gigabyte, once");
    await fetchClickHouseEngine();
    report("starting");
    const server = await startClickHouse({ dataDirectory: join(stateDirectory, "clickhouse") });
    endings.push(() => server.stop());
    await migrateGivenClickHouse(server.url, () => undefined);
    return server.url;
  });
}

/** The demo's clicks move to ClickHouse. */
async function countClicksIn(clickHouseUrl: string, databaseUrl: string): Promise<void> {
  await withSqlOf(databaseUrl, async (runSql) => {
    if (clickHouseUrl !== "") {
      const onProgress = () => undefined;
      await withClickHouse(clickHouseUrl, (clickHouse) =>
        moveToClickHouse({ runSql, clickHouse, timeoutMs: MOVE_TIMEOUT_MS, onProgress }),
      );
    } else if ((await readMode(runSql, MOVE_TIMEOUT_MS)) === "clickhouse") {
      throw new Failure(
        "This database has its clicks in ClickHouse: add --clickhouse, or run `pnpm clickhouse off`, or start anew with --reset.",
      );
    }
  });
}

/**
 * No clock calls the Workers here: without this, a tag of many links is never renamed to the end, nor a day pre-aggregated. Returns
 * how to stop.
 */
function runJobsRegularly(runtime: WorkerRuntime): () => Promise<void> {
  let isRunning = false;
  const run = async () => {
    if (!isRunning) {
      isRunning = true;
      // While the runtime reloads or stops, a run is interrupted; the next one continues.
      await Promise.allSettled(WITH_JOBS.map((worker) => runtime.dispatchScheduled(worker)));
      isRunning = false;
    }
  };
  void run();
  const timer = setInterval(() => void run(), JOBS_EVERY_MS);
  return async () => clearInterval(timer);
}

type StackState = {
  readonly databaseUrl: string;
  /** Empty: none. */
  readonly clickHouseUrl: string;
  /** DATABASE_URL of the environment, or nothing. */
  readonly given: string;
  readonly demo: DemoData;
  readonly bundles: Bundles;
};

async function startRuntime(
  options: DevOptions,
  state: StackState,
  endings: (() => Promise<void>)[],
): Promise<WorkerRuntime> {
  const { progress } = options;
  const persistDirectory = await chooseKvDirectory(options, state);
  return progress.step("Workers", async () => {
    const sqlEndpoint = await startSqlEndpoint({ databaseUrl: state.databaseUrl });
    endings.push(() => sqlEndpoint.stop());
    const mailbox = await openMailbox((line) => progress.line(line));
    endings.push(() => mailbox.stop());
    const runtime = await startWorkers({
      bundles: state.bundles.forRuntime,
      databaseUrl: PLACEHOLDER_DATABASE_URL,
      sqlEndpointUrl: sqlEndpoint.url,
      vars: {
        CLICKHOUSE_URL: state.clickHouseUrl,
        APP_ORIGIN: toAppOrigin(options.port),
        CORS_ORIGINS: options.corsOrigin,
        SIGN_UP: "invited",
        EMAIL_FROM: "hopline@localhost",
        EMAIL_WEBHOOK_URL: mailbox.url,
        SIGN_IN_PROVIDERS: process.env["SIGN_IN_PROVIDERS"] ?? "",
      },
      port: options.port,
      dashboardPort: toDashboardPort(options.port),
      persistDirectory,
      onLog: (log) => printLog(progress, log),
    });
    endings.push(() => runtime.stop());
    return runtime;
  });
}

/** By name: browsers treat localhost like https, and accept no passkeys and few cookies for an address. */
function toAppOrigin(port: number): string {
  return `http://localhost:${toDashboardPort(port)}`;
}

/** The next one; before the last one there is. */
function toDashboardPort(port: number): number {
  return port === 65_535 ? port - 1 : port + 1;
}

/**
 * KV must not outlive the database it mirrors: each DATABASE_URL has a folder of its own, and a demo domain that moved
 * to another port starts with an empty one, or its old address would give old answers when it comes back.
 */
async function chooseKvDirectory(
  { stateDirectory }: DevOptions,
  { given, demo }: StackState,
): Promise<string> {
  const suffix = given === "" ? "" : `-${createHash("sha256").update(given).digest("hex").slice(0, 8)}`;
  const directory = join(stateDirectory, `workers${suffix}`);
  if (demo.movedFrom !== null) {
    await rm(directory, { recursive: true, force: true });
  }
  return directory;
}

/** After files were saved: bundles the Workers they belong to, and restarts the runtime once its queues are empty. */
async function reload(
  runtime: WorkerRuntime,
  bundles: Bundles,
  paths: readonly string[],
  { progress, signal }: DevOptions,
): Promise<void> {
  const startedAtMs = performance.now();
  try {
    const names = await bundles.bundleChanged(paths);
    signal.throwIfAborted();
    const [first = ""] = paths;
    const saved = paths.length === 1 ? relative(WORKSPACE_ROOT, first) : `${paths.length} files`;
    if (names.length > 0) {
      await progress.during(`${saved} saved, reloading`, async () => {
        await runtime.drain(DRAIN_TIMEOUT_MS);
        await runtime.reload();
      });
      progress.done(`${saved} saved, reloaded: ${names.join(", ")}`, performance.now() - startedAtMs);
    }
  } catch (error) {
    if (!signal.aborted) {
      progress.line(`✗ ${describeError(error)}`);
      progress.line("  The previous Workers keep running.");
    }
  }
}

async function drain(runtime: WorkerRuntime, progress: Progress): Promise<void> {
  const seconds = DRAIN_TIMEOUT_MS / 1000;
  progress.line(`Stopping: waiting up to ${seconds} s for queued clicks to reach the database.`);
  const left = await progress.during("Draining the queues", () => runtime.drain(DRAIN_TIMEOUT_MS));
  if (left > 0) {
    progress.line(`✗ Not delivered, and lost: ${left} queued ${left === 1 ? "message" : "messages"}.`);
  }
}

function printLog(progress: Progress, { level, message }: LocalLog): void {
  progress.line(`    ${level === "error" || level === "warn" ? `${level}: ` : ""}${message}`);
}

type Ready = {
  readonly url: string;
  readonly demo: DemoData;
  /** With a token that works once, where there may be one. */
  readonly dashboardUrl: string;
  /** Of the database that came with the stack; null for one that the person gave. */
  readonly ownDatabaseUrl: string | null;
  /** Empty: none. */
  readonly clickHouseUrl: string;
};

function printReady(progress: Progress, ready: Ready): void {
  const { url, demo, dashboardUrl, ownDatabaseUrl, clickHouseUrl } = ready;
  const clickHouse = clickHouseUrl === "" ? "" : `CLICKHOUSE_URL=${clickHouseUrl} \\\n                   `;
  const database =
    ownDatabaseUrl === null
      ? ""
      : `
  The database   DATABASE_URL=${ownDatabaseUrl} \\
                   ${clickHouse}npx -y pnpm@12 reconcile
`;
  progress.line(`
Hopline ready on ${url}

  The dashboard  ${dashboardUrl}
  A short link   ${url}/${demo.slug}
  An API key     ${demo.apiKey}
  A new link     curl -s ${url}/api/v1/links -H 'Authorization: Bearer ${demo.apiKey}' \\
                   -H 'Content-Type: application/json' -d '{"url":"https://example.com/new"}'
${database}
  Ctrl-C stops everything. Data stays in .hopline/ until \`pnpm dev --reset\`.
`);
}
