/** Everything that is asked of Postgres: published records, and uses of links with a strict cap. */
import { isDomainSlug } from "@hopline/core/link/domain-record";
import type { LinkKey } from "@hopline/core/link/link-address";
import { claimUse } from "@hopline/db/links/claim-use";
import { findDomainRecord } from "@hopline/db/links/find-domain-record";
import { findLinkRecord } from "@hopline/db/links/find-link-record";
import { createNeonClient, createNeonTransactions, type NeonSettings } from "@hopline/db/neon-client";
import type { ReadTier } from "@hopline/edge-cache/read-through-ports";
import type { CapClaims } from "../ports.ts";

export type Postgres = {
  /** The origin tier. */
  readonly links: ReadTier<LinkKey>;
  readonly caps: CapClaims;
};

export function createPostgres(settings: NeonSettings, timeoutMs: number): Postgres {
  const runSql = createNeonClient(settings);
  const runTransaction = createNeonTransactions(settings);
  return {
    links: {
      load(key) {
        const slash = key.indexOf("/");
        const host = key.slice(0, slash);
        const slug = key.slice(slash + 1);
        return isDomainSlug(slug)
          ? findDomainRecord(runSql, host, timeoutMs)
          : findLinkRecord(runSql, { host, slug }, timeoutMs);
      },
    },
    caps: { claim: (linkId) => claimUse(runTransaction, linkId, timeoutMs) },
  };
}
