/**
 * The whole of Hopline for one test file: a scratch database, the /sql endpoint in front of it, the production bundles
 * in workerd, the demo data. Every started thing is ended by `close`, in reverse.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DatabaseServer, openDatabaseServer } from "@hopline/local/postgres/database-server";
import { migrate } from "@hopline/local/postgres/migrate";
import { type DemoData, seedDemo } from "@hopline/local/stack/seed";
import { type SqlEndpoint, startSqlEndpoint } from "@hopline/local/sql-endpoint/sql-endpoint";
import {
  startWorkers,
  type WorkerRuntime,
  type WorkerRuntimeOptions,
} from "@hopline/local/runtime/worker-runtime";
import { inWorkspace, WORKERS } from "@hopline/local/workspace/workspace";
import pg from "pg";

export type LocalStack = {
  readonly url: string;
  readonly database: pg.Client;
  readonly sqlEndpoint: SqlEndpoint;
  readonly runtime: WorkerRuntime;
  readonly demo: DemoData;
  /** What the Workers printed so far. */
  readonly logLines: readonly string[];
  close(): Promise<void>;
};

export type LocalStackOptions = Pick<WorkerRuntimeOptions, "furtherIsolates">;

export async function openLocalStack(options: LocalStackOptions = {}): Promise<LocalStack> {
  const endings: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of endings.toReversed()) {
      await end();
    }
  };
  try {
    return { ...(await startStack(endings, options)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startStack(
  endings: (() => Promise<unknown>)[],
  options: LocalStackOptions,
): Promise<Omit<LocalStack, "close">> {
  const server = await openServer(endings);
  const scratch = await server.createScratchDatabase();
  endings.push(() => scratch.drop());
  await migrate(scratch.url, { directory: inWorkspace("migrations"), onProgress: () => undefined });
  const sqlEndpoint = await startSqlEndpoint({ databaseUrl: scratch.url });
  endings.push(() => sqlEndpoint.stop());
  const database = new pg.Client({ connectionString: scratch.url });
  await database.connect();
  endings.push(() => database.end());
  const logLines: string[] = [];
  const runtime = await startWorkers({
    ...options,
    bundles: WORKERS.map((worker) => ({
      configPath: inWorkspace(worker.configPath),
      scriptPath: inWorkspace(`${worker.bundleDirectory}/index.js`),
    })),
    databaseUrl: "postgresql://local:secret-of-the-test@database.local.invalid/hopline",
    sqlEndpointUrl: sqlEndpoint.url,
    port: 0,
    persistDirectory: null,
    onLog: ({ message }) => logLines.push(message),
  });
  endings.push(() => runtime.stop());
  const stateDirectory = await mkdtemp(join(tmpdir(), "hopline-e2e-"));
  endings.push(() => rm(stateDirectory, { recursive: true }));
  const host = new URL(runtime.url).host;
  const demo = await seedDemo({ databaseUrl: scratch.url, stateDirectory, host });
  return { url: runtime.url, database, sqlEndpoint, runtime, demo, logLines };
}

async function openServer(endings: (() => Promise<unknown>)[]): Promise<DatabaseServer> {
  const server = await openDatabaseServer({
    environment: process.env,
    durable: false,
    onLog: () => undefined,
  });
  endings.push(() => server.stop());
  return server;
}
