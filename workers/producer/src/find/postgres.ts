/** Everything that is asked of Postgres: published records, and uses of links with a strict cap. */
import type { LinkKey } from "@hopline/core/link/link-address";
import type { UnusedUses, WantedUses } from "@hopline/db/links/claim-uses";
import type { NeonSettings } from "@hopline/db/neon-client";
import type { StoredTier } from "@hopline/edge-cache/read-through-ports";

export type Postgres = {
  readonly links: StoredTier<LinkKey>;
  readonly claim: (wanted: WantedUses) => Promise<number>;
  readonly giveBack: (unused: UnusedUses) => Promise<void>;
};

/** Once an isolate. The statements are loaded when the first of them runs, as the driver is: most isolates never ask. */
export function createPostgres(settings: NeonSettings, timeoutMs: number): Postgres {
  let opened: Postgres | undefined;
  const open = async (): Promise<Postgres> => (opened ??= await load(settings, timeoutMs));
  return {
    links: { load: async (keys) => (await open()).links.load(keys) },
    claim: async (wanted) => (await open()).claim(wanted),
    giveBack: async (unused) => (await open()).giveBack(unused),
  };
}

async function load(settings: NeonSettings, timeoutMs: number): Promise<Postgres> {
  const [{ createNeonClient }, { findLinkRecords }, { claimUses, returnUses }] = await Promise.all([
    import("@hopline/db/neon-client"),
    import("@hopline/db/links/find-link-records"),
    import("@hopline/db/links/claim-uses"),
  ]);
  const runSql = createNeonClient(settings);
  return {
    links: { load: (keys) => findLinkRecords(runSql, keys, timeoutMs) },
    claim: (wanted) => claimUses(runSql, wanted, timeoutMs),
    giveBack: (unused) => returnUses(runSql, unused, timeoutMs),
  };
}
