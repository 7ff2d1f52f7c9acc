/** One connection to a database, which ends with the block that opened it: `await using client = await openClient(url)`. */
import pg from "pg";

import { explainConnection, toClientConfig } from "./database-url.ts";

/** A server that cannot be reached is a Failure. An open transaction is rolled back at the end. */
export async function openClient(databaseUrl: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client(toClientConfig(databaseUrl));
  // A connection that breaks fails its next query; without a listener it would also end the process.
  client.on("error", () => undefined);
  await client.connect().catch((error: unknown) => {
    throw explainConnection(databaseUrl, error);
  });
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
