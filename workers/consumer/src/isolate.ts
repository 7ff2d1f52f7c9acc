/** What outlives a batch in this Worker: the database client, made once an isolate. */
import { createNeonClient, type NeonSettings, type RunSql } from "@hopline/db/neon-client";

let runSql: RunSql | undefined;

/** The isolate's client. The settings of the first call hold: they are bindings, which an isolate never sees change. */
export function isolateClient(settings: NeonSettings): RunSql {
  runSql ??= createNeonClient(settings);
  return runSql;
}
