/** The origin tier: published records of links and domains as they stand in Postgres. */
import { isDomainSlug } from "@hopline/core/domain-record";
import type { LinkKey } from "@hopline/core/link-address";
import { findDomainRecord } from "@hopline/db/find-domain-record";
import { findLinkRecord } from "@hopline/db/find-link-record";
import type { RunSql } from "@hopline/db/neon-client";
import type { ReadTier } from "@hopline/edge-cache/read-through-ports";

export function createPostgresLinks(runSql: RunSql, timeoutMs: number): ReadTier<LinkKey> {
  return {
    load(key) {
      const slash = key.indexOf("/");
      const host = key.slice(0, slash);
      const slug = key.slice(slash + 1);
      return isDomainSlug(slug)
        ? findDomainRecord(runSql, host, timeoutMs)
        : findLinkRecord(runSql, { host, slug }, timeoutMs);
    },
  };
}
