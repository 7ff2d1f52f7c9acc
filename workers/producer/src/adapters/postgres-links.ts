/** The origin tier: the published record as it stands in Postgres. */
import type { LinkKey } from "@hopline/core/link-address";
import { findLinkRecord } from "@hopline/db/find-link-record";
import type { RunSql } from "@hopline/db/neon-client";
import type { ReadTier } from "@hopline/edge-cache/read-through-ports";

export function createPostgresLinks(runSql: RunSql, timeoutMs: number): ReadTier<LinkKey> {
  return {
    load(key) {
      const slash = key.indexOf("/");
      return findLinkRecord(runSql, { host: key.slice(0, slash), slug: key.slice(slash + 1) }, timeoutMs);
    },
  };
}
