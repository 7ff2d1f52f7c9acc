/** What outlives a batch in this Worker: the database client, made once an isolate. */
import {
  createNeonClient,
  createNeonTransactions,
  type NeonSettings,
  type RunSql,
  type RunTransaction,
} from "@hopline/db/neon-client";

let runSql: RunSql | undefined;
let runTransaction: RunTransaction | undefined;

/** The isolate's client. The settings of the first call hold: they are bindings, which an isolate never sees change. */
export function isolateClient(settings: NeonSettings): RunSql {
  runSql ??= createNeonClient(settings);
  return runSql;
}

/** The same for transactions. */
export function isolateTransactions(settings: NeonSettings): RunTransaction {
  runTransaction ??= createNeonTransactions(settings);
  return runTransaction;
}
