/** The server the tests run on: DATABASE_URL's where it is set, one of our own otherwise. */
import { type DatabaseServer, openDatabaseServer } from "../src/postgres/database-server.ts";

export function openTestServer(): Promise<DatabaseServer> {
  return openDatabaseServer({ environment: process.env, durable: false, onLog: () => undefined });
}
