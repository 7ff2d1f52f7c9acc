/**
 * Databases that live as long as one test file.
 *
 * Copied from template0, not template1: nobody can be connected to template0, while TimescaleDB's background workers
 * look into template1 now and then and make CREATE DATABASE fail with 55006 under parallel test files.
 */
import { randomBytes } from "node:crypto";

import pg from "pg";

import { explainConnection, toClientConfig, withDatabase } from "./database-url.ts";
import { errorCode, Failure } from "../console/failure.ts";

export type ScratchDatabase = {
  readonly name: string;
  /** Holds the password: not for logs. */
  readonly url: string;
  /** Disconnects whoever is still there and removes the database. May be called twice. */
  drop(): Promise<void>;
};

const ATTEMPTS = 10;
const RETRY_DELAY_MS = 200;
/** object_in_use, and the race of two commands on one catalog row: both pass by themselves. */
const PASSING_CODES = ["55006", "XX000", "40001"];

/** Makes an empty database with a random name on the server that `serverUrl` names. */
export async function createScratchDatabase(serverUrl: string): Promise<ScratchDatabase> {
  const name = `hopline_test_${randomBytes(8).toString("hex")}`;
  await runOnServer(serverUrl, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
  return {
    name,
    url: withDatabase(serverUrl, name),
    drop: () => runOnServer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

async function runOnServer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client(toClientConfig(serverUrl));
  client.on("error", () => undefined);
  await client.connect().catch((error: unknown) => {
    throw explainConnection(serverUrl, error);
  });
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
  } finally {
    await client.end();
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
