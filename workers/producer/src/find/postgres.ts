/** Everything that is asked of Postgres: published records, and uses of links with a strict cap. */
import type { LinkKey } from "@hopline/core/link/link-address";
import { claimUses } from "@hopline/db/links/claim-uses";
import { findLinkRecords } from "@hopline/db/links/find-link-records";
import { createNeonClient, createNeonTransactions, type NeonSettings } from "@hopline/db/neon-client";
import type { StoredTier } from "@hopline/edge-cache/read-through-ports";

export type Postgres = {
  readonly links: StoredTier<LinkKey>;
  readonly claim: (linkId: string, wanted: number) => Promise<number>;
};

/** Once an isolate. The driver is loaded with the first statement. */
export function createPostgres(settings: NeonSettings, timeoutMs: number): Postgres {
  const runSql = createNeonClient(settings);
  const runTransaction = createNeonTransactions(settings);
  return {
    links: { load: (keys) => findLinkRecords(runSql, keys, timeoutMs) },
    claim: (linkId, wanted) => claimUses(runTransaction, { linkId, wanted }, timeoutMs),
  };
}
