/**
 * Databases that live as long as one test file, empty or migrated.
 *
 * An empty one is copied from template0, not template1: no connection to template0 is possible, while TimescaleDB's
 * background workers look into template1 now and then and make CREATE DATABASE fail with 55006 under parallel test files.
 * A migrated one is copied from the template of this test run (src/test-run/provide-database.ts), where there is one.
 */
import { randomBytes } from "node:crypto";

import { withDatabase } from "./database-url.ts";
import { migrate } from "./migrate.ts";
import { grantWorkerRoles } from "./worker-roles.ts";
import { openClient } from "./open-client.ts";
import { describeError, errorCode, Failure } from "../console/failure.ts";
import { inWorkspace } from "../workspace/workspace.ts";

export type ScratchDatabase = AsyncDisposable & {
  readonly name: string;
  /** Holds the password: not for logs. */
  readonly url: string;
  /** Disconnects the clients that are left and removes the database. May be called twice. */
  drop(): Promise<void>;
};

const ATTEMPTS = 10;
const RETRY_DELAY_MS = 200;
/** object_in_use, and the race of two commands on one catalog row: both pass by themselves. */
const PASSING_CODES = ["55006", "XX000", "40001"];

/** Names the template database of this test run to its test files, and how it is copied. */
export const TEMPLATE_VARIABLE = "HOPLINE_TEMPLATE_DATABASE";

/** Makes an empty database with a random name on the server that `serverUrl` names. */
export function createScratchDatabase(serverUrl: string): Promise<ScratchDatabase> {
  return createDatabase(serverUrl, "template0 ENCODING 'UTF8'");
}

/** The same with all migrations and the Workers' roles: a copy of the run's template, or made here without one. */
export async function createMigratedDatabase(serverUrl: string): Promise<ScratchDatabase> {
  const template = process.env[TEMPLATE_VARIABLE] ?? "";
  if (template !== "") {
    try {
      return await createDatabase(serverUrl, template);
    } catch (error) {
      // TimescaleDB's workers may be connected to the template: slower, and no reason to fail.
      console.warn(`${template} cannot be copied, so this database is migrated: ${describeError(error)}`);
    }
  }
  const database = await createScratchDatabase(serverUrl);
  await migrateForWorkers(database.url);
  return database;
}

/** All migrations, and the roles that the Workers act in. */
export async function migrateForWorkers(databaseUrl: string): Promise<void> {
  await migrate(databaseUrl, { directory: inWorkspace("migrations"), onProgress: () => undefined });
  await grantWorkerRoles(databaseUrl);
}

/** Makes the database that `createMigratedDatabase` copies. Closed to connections: one would make copying fail. */
export async function createTemplateDatabase(serverUrl: string): Promise<ScratchDatabase> {
  const template = await createMigratedDatabase(serverUrl);
  await runOnServer(serverUrl, `ALTER DATABASE ${template.name} ALLOW_CONNECTIONS false`);
  await runOnServer(
    serverUrl,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${template.name}'`,
  );
  return template;
}

async function createDatabase(serverUrl: string, template: string): Promise<ScratchDatabase> {
  const name = `hopline_test_${randomBytes(8).toString("hex")}`;
  await runOnServer(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  const drop = () => runOnServer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  return { name, url: withDatabase(serverUrl, name), drop, [Symbol.asyncDispose]: drop };
}

async function runOnServer(serverUrl: string, statement: string): Promise<void> {
  await using client = await openClient(serverUrl);
  try {
    await retryPassing(() => client.query(statement));
  } catch (cause) {
    if (errorCode(cause) === "42501") {
      throw new Failure(
        "The tests make a database each: the login in DATABASE_URL needs the right CREATEDB.",
        { cause },
      );
    }
    throw cause;
  }
}

async function retryPassing(run: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await run();
      return;
    } catch (error) {
      if (attempt === ATTEMPTS || !PASSING_CODES.includes(errorCode(error) ?? "")) {
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS * attempt));
    }
  }
}
