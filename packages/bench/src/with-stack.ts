/** The production bundles in one workerd, on a throw-away database. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { DatabaseServer } from "@hopline/testkit/postgres/database-server";
import { PLACEHOLDER_DATABASE_URL } from "@hopline/testkit/postgres/database-url";
import { openClient } from "@hopline/testkit/postgres/open-client";
import {
  startWorkers,
  type WorkerRuntime,
  type WorkerRuntimeOptions,
} from "@hopline/testkit/runtime/worker-runtime";
import { type SqlEndpoint, startSqlEndpoint } from "@hopline/testkit/sql-endpoint/sql-endpoint";
import { type DemoData, seedDemo } from "@hopline/testkit/stack/seed";
import { BUNDLES } from "@hopline/testkit/workspace/workspace";
import type pg from "pg";

export type Stack = {
  readonly databaseUrl: string;
  readonly database: pg.Client;
  readonly sqlEndpoint: SqlEndpoint;
  readonly runtime: WorkerRuntime;
};

export type StackOptions = Pick<WorkerRuntimeOptions, "vars" | "dashboardPort" | "hasSideDoor"> & {
  /** Gets what the Workers log as an error. */
  readonly onError: (message: string) => void;
};

/** Ends what it has started, whatever becomes of the work. The bundles have been built. */
export async function withStack<T>(
  server: DatabaseServer,
  { onError, ...options }: StackOptions,
  work: (stack: Stack) => Promise<T>,
): Promise<T> {
  await using scratch = await server.createMigratedDatabase();
  await using sqlEndpoint = await startSqlEndpoint({ databaseUrl: scratch.url });
  await using database = await openClient(scratch.url);
  await using runtime = await startWorkers({
    ...options,
    bundles: BUNDLES,
    databaseUrl: PLACEHOLDER_DATABASE_URL,
    sqlEndpointUrl: sqlEndpoint.url,
    port: 0,
    persistDirectory: null,
    onLog: ({ level, message }) => (level === "error" ? onError(message) : undefined),
  });
  return await work({ databaseUrl: scratch.url, database, sqlEndpoint, runtime });
}

/** The demo data of `pnpm dev`. */
export async function seedStack({ databaseUrl, runtime }: Stack): Promise<DemoData> {
  const stateDirectory = await mkdtemp(join(tmpdir(), "hopline-bench-"));
  try {
    return await seedDemo({ databaseUrl, stateDirectory, host: new URL(runtime.url).host });
  } finally {
    await rm(stateDirectory, { recursive: true });
  }
}
