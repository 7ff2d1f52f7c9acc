/** Everything that is asked of Postgres: published records, and uses of links with a strict cap. */
import type { LinkKey } from "@hopline/core/link/link-address";
import type { UnusedUses, WantedUses } from "@hopline/db/links/claim-uses";
import type { NeonSettings } from "@hopline/db/neon-client";
import { domainKeyOf, isDomainKey } from "@hopline/core/link/domain-record";
import type { StoredTier } from "@hopline/edge-cache/read-through-ports";
import { decodeEdgeRecord } from "./edge-record.ts";

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

const domainKeyOfLink = (key: LinkKey): LinkKey => domainKeyOf(key.slice(0, key.indexOf("/")));

/** With a domain its links end, but of a large one their records are changed later, one after the other. */
function hasEnded(domainText: string | undefined): boolean {
  return domainText !== undefined && decodeEdgeRecord(domainText).kind === "negative";
}

const endedWith = (ended: ReadonlySet<LinkKey>, key: LinkKey): boolean =>
  !isDomainKey(key) && ended.has(domainKeyOfLink(key));

/** In the version that its tombstone will have at least: a KV that has it as it was may not bring it back. */
function toEnded(text: string): string {
  const decoded = decodeEdgeRecord(text);
  return decoded.kind === "live"
    ? JSON.stringify({ ...(JSON.parse(text) as object), state: "deleted", version: decoded.version + 1 })
    : text;
}

async function load(settings: NeonSettings, timeoutMs: number): Promise<Postgres> {
  const [{ createNeonClient }, { findLinkRecords }, { claimUses, returnUses }] = await Promise.all([
    import("@hopline/db/neon-client"),
    import("@hopline/db/links/find-link-records"),
    import("@hopline/db/links/claim-uses"),
  ]);
  const runSql = createNeonClient(settings);
  return {
    links: {
      async load(keys) {
        const domainKeys = new Set(keys.map(domainKeyOfLink));
        const records = await findLinkRecords(runSql, [...new Set([...keys, ...domainKeys])], timeoutMs);
        const ended = new Set([...domainKeys].filter((key) => hasEnded(records.get(key))));
        return new Map(
          [...records].map(([key, text]) => [key, endedWith(ended, key) ? toEnded(text) : text]),
        );
      },
    },
    claim: (wanted) => claimUses(runSql, wanted, timeoutMs),
    giveBack: (unused) => returnUses(runSql, unused, timeoutMs),
  };
}
