/** The first link of a deployment: made through its API, followed as a visitor does, found in the ledger. */
import { createClient } from "@hopline/client/client";
import { HoplineError } from "@hopline/client/hopline-error";
import { findLedgerTotals } from "@hopline/db/ledger/find-ledger-totals";
import { widenToBuckets } from "@hopline/db/ledger/reconcile";
import { Failure } from "@hopline/testkit/console/failure";

import { eventually, findLinkFault, isHealthy, type Place } from "../deploy/prove.ts";
import type { Tools } from "../deploy/tools.ts";
import { withSqlOf } from "./direct-sql.ts";
import { toFetch } from "./first-account.ts";

const SLUG = "hello";
const DESTINATION = "https://example.com/";
const TIMEOUT_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Resolves to its address. Rejects with a `Failure` that says what does not work. */
export async function proveFirstLink(
  place: Place,
  key: string,
  deps: Pick<Tools, "fetch" | "wait">,
): Promise<string> {
  const { databaseUrl, host } = place;
  const address = `https://${host}/${SLUG}`;
  if (!(await eventually(() => isHealthy(place, deps), deps))) {
    throw new Failure(
      `https://${host}/api/health does not answer yet: a new host may take minutes. Run this again.`,
    );
  }
  const client = createClient({ baseUrl: `https://${host}`, key, fetch: toFetch(deps.fetch) });
  const link = await client
    .createLink({ body: { domain: host, slug: SLUG, url: DESTINATION } })
    .catch(async (error: unknown) => {
      if (error instanceof HoplineError && error.code === "slug_taken") {
        // By an earlier run.
        return (await client.listLinks({ domain: host, slug: SLUG })).data[0];
      }
      throw new Failure(
        `https://${host} makes no link: ${error instanceof Error ? error.message : String(error)}`,
        {
          cause: error,
        },
      );
    });
  const proved = { id: toUuid(link?.id ?? ""), address, url: link?.url ?? DESTINATION };
  const fault = await findLinkFault(proved, { databaseUrl, ...deps });
  if (fault !== null) {
    throw new Failure(`${fault}. Run \`pnpm run doctor\`, then this again.`);
  }
  const nowMs = Date.now();
  const range = widenToBuckets(nowMs - HOUR_MS, nowMs);
  const { inserted } = await withSqlOf(databaseUrl, (runSql) => findLedgerTotals(runSql, range, TIMEOUT_MS));
  if (inserted === 0) {
    throw new Failure(`The click on ${address} is in no ledger: see docs/run-book.md.`);
  }
  return address;
}

/** `lnk_…` as the database has it. */
function toUuid(id: string): string {
  return id.replace(/^[a-z]+_/, "").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
