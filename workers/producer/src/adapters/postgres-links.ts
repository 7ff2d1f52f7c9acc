/** The origin tier: the published record as it stands in Postgres. */
import type { LinkKey } from "@hopline/core/link-address";
import { findLinkRecord } from "@hopline/db/find-link-record";
import type { RunSql } from "@hopline/db/neon-client";
import type { LinkTier } from "../ports.ts";

export function createPostgresLinks(runSql: RunSql, timeoutMs: number): LinkTier {
  return {
    load(key: LinkKey): Promise<string | null> {
      const slash = key.indexOf("/");
      return findLinkRecord(runSql, { host: key.slice(0, slash), slug: key.slice(slash + 1) }, timeoutMs);
    },
  };
}
