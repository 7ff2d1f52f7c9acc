/** Opens drizzle over the Neon driver. Every statement gets its own deadline, which the driver does not offer by itself. */
import { neon, neonConfig } from "@neondatabase/serverless";
import { drizzle, type NeonHttpDatabase } from "drizzle-orm/neon-http";

export type Database = NeonHttpDatabase;

/** A person waits behind most statements; past this the database is taken for absent. Milliseconds. */
const STATEMENT_TIMEOUT_MS = 5_000;

export function openDatabase(settings: {
  readonly databaseUrl: string;
  readonly sqlEndpoint: string;
}): Database {
  if (settings.sqlEndpoint !== "") {
    neonConfig.fetchEndpoint = settings.sqlEndpoint;
  }
  neonConfig.fetchFunction = (input: string, init: RequestInit): Promise<Response> =>
    fetch(input, { ...init, signal: AbortSignal.timeout(STATEMENT_TIMEOUT_MS) });
  try {
    return drizzle({ client: neon(settings.databaseUrl) });
  } catch {
    // The driver's own message quotes the whole connection string, password included.
    throw new Error(
      "DATABASE_URL is not a Postgres connection string. Expected postgresql://user:password@host/database.",
    );
  }
}
