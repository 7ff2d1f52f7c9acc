/**
 * Finds the link of a request: isolate, KV, database. A slug with capitals that KV does not know as it stands may be another
 * spelling of a link's, which its domain says; the domain is asked for only then, so that a link that KV knows never waits
 * for the database.
 */
import { domainKeyOf } from "@hopline/core/link/domain-record";
import { foldKey, type LinkKey } from "@hopline/core/link/link-address";
import type { LinkRecord } from "@hopline/core/link/link-record";
import type { CacheEntry } from "@hopline/edge-cache/cache-entry";
import type { KvAnswer } from "@hopline/edge-cache/load-through";
import { heldTier } from "@hopline/edge-cache/read-through";
import type { Answer, AnswerTier, RefusalReason, Visit } from "@hopline/edge-cache/read-through-ports";
import { setLatest } from "@hopline/edge-cache/set-latest";
import type { DomainDirectory, DomainSettings, EdgeRecord, LinkDirectory } from "../ports.ts";
import type { RequestContext } from "../request-context.ts";
import { underDomain } from "./under-domain.ts";

export type FoundLink =
  | { readonly kind: "link"; readonly record: LinkRecord; readonly tier: AnswerTier }
  | { readonly kind: "unknown"; readonly tier?: AnswerTier }
  | { readonly kind: "refused"; readonly reason: RefusalReason }
  | { readonly kind: "unavailable" };

/**
 * Rejects only on a bug. The domain is read at the same time as the link, from the isolate or KV.
 *
 * @param trusted the isolate's entry; used only if no read of the feed is pending.
 */
export async function findLink(
  context: RequestContext,
  key: LinkKey,
  trusted: CacheEntry<EdgeRecord> | undefined,
): Promise<FoundLink> {
  const { host, deps, visit } = context;
  const domain = deps.domains.fromKv(host, visit);
  const found = await findRecord(context, key, trusted);
  if (found.kind !== "link") {
    return found;
  }
  const record = underDomain(found.record, (await domain) ?? deps.domains.held(host, visit));
  return record === null ? { kind: "unknown", tier: found.tier } : { ...found, record };
}

async function findRecord(
  { host, deps, visit }: RequestContext,
  key: LinkKey,
  trusted: CacheEntry<EdgeRecord> | undefined,
): Promise<FoundLink> {
  const { links, nowMs } = deps;
  const held = visit.announced === null ? trusted : await getHeld(key, deps, visit);
  const folded = foldKey(key);
  if (held !== undefined && (held.kind === "live" || folded === key)) {
    return toHeld(held, nowMs());
  }
  if (folded === key) {
    return toFound(await links.load(key, visit));
  }
  // Does not wait for the feed: otherwise a link of the exact spelling would wait for it before KV is asked.
  const domain = links.get(domainKeyOf(host), nowMs(), visit);
  if (domain?.kind === "live" && isDomain(domain.value) && domain.value.ignoresCase) {
    return findByKey(folded, deps, visit);
  }
  const published = held === undefined ? await links.loadFromKv(key, visit) : null;
  return published?.kind === "found" && published.entry.kind === "live"
    ? toFound(published)
    : findInAnyCase(
        { deps, visit, settings: await deps.domains.find(host, visit) },
        { key, folded, published },
      );
}

type Spellings = {
  readonly key: LinkKey;
  readonly folded: LinkKey;
  /** What KV says of the slug as it stands, which is not a link; `null`: an absence is held. */
  readonly published: KvAnswer<EdgeRecord> | null;
};

async function findInAnyCase(
  {
    deps,
    visit,
    settings,
  }: { readonly deps: Links; readonly visit: Visit; readonly settings: DomainSettings },
  { key, folded, published }: Spellings,
): Promise<FoundLink> {
  switch (settings.kind) {
    case "settings":
      if (settings.domain.ignoresCase) {
        return findByKey(folded, deps, visit);
      }
      return published === null || published.kind === "found"
        ? { kind: "unknown", tier: published?.tier ?? "negative" }
        : toFound(await deps.links.loadFromOrigin(key, visit, published.kind));
    case "none":
      return { kind: "unknown" };
    case "unavailable":
      // Not what is known of the folded spelling: on a case-sensitive domain that is another link.
      return toFound(
        deps.links.staleIfError(key) ??
          (settings.refused === null
            ? { kind: "unavailable" }
            : { kind: "refused", reason: settings.refused }),
      );
  }
}

async function findByKey(key: LinkKey, deps: Links, visit: Visit): Promise<FoundLink> {
  const held = await getHeld(key, deps, visit);
  return held === undefined ? toFound(await deps.links.load(key, visit)) : toHeld(held, deps.nowMs());
}

type Links = Pick<RequestContext["deps"], "links" | "nowMs">;

/** What the isolate holds once the change feed has been read; what it does not hold is looked up meanwhile. */
async function getHeld(
  key: LinkKey,
  { links, nowMs }: Links,
  visit: Visit,
): Promise<CacheEntry<EdgeRecord> | undefined> {
  const held = links.get(key, nowMs(), visit);
  if (held === undefined || visit.announced === null) {
    return held;
  }
  await visit.announced;
  return links.get(key, nowMs(), visit);
}

/** A load takes no longer: one that has not come back by then was cut off. */
const LOAD_AGAIN_AFTER_MS = 2_000;
const MAX_LOADS = 1_024;

/** The settings of domains, from the tiers of links. */
export function createDomainDirectory(links: LinkDirectory, nowMs: () => number): DomainDirectory {
  /** When loads behind an answer were started, epoch milliseconds. */
  const loads = new Map<LinkKey, number>();
  return {
    held(host, visit) {
      const key = domainKeyOf(host);
      const now = nowMs();
      const held = links.get(key, now, visit);
      if (held === undefined && now - (loads.get(key) ?? 0) >= LOAD_AGAIN_AFTER_MS) {
        setLatest(loads, [key, now], MAX_LOADS);
        visit.defer(links.load(key, visit));
      }
      return held ?? links.staleIfError(key)?.entry;
    },
    async fromKv(host, visit) {
      const key = domainKeyOf(host);
      const held = await getHeld(key, { links, nowMs }, visit);
      if (held !== undefined) {
        return held;
      }
      const published = await links.loadFromKv(key, visit);
      return published.kind === "found" ? published.entry : undefined;
    },
    async find(host, visit) {
      const key = domainKeyOf(host);
      const held = await getHeld(key, { links, nowMs }, visit);
      if (held !== undefined) {
        return toSettings(held);
      }
      const answer = await links.load(key, visit);
      switch (answer.kind) {
        case "found":
          return toSettings(answer.entry);
        case "refused":
          return { kind: "unavailable", refused: answer.reason };
        case "unavailable":
          return { kind: "unavailable", refused: null };
      }
    },
  };
}

function toSettings(entry: CacheEntry<EdgeRecord>): DomainSettings {
  return entry.kind === "live" && isDomain(entry.value)
    ? { kind: "settings", domain: entry.value }
    : { kind: "none" };
}

function toHeld(entry: CacheEntry<EdgeRecord>, nowMs: number): FoundLink {
  return toFound({ kind: "found", entry, tier: heldTier(entry, nowMs) });
}

function toFound(answer: Answer<EdgeRecord>): FoundLink {
  if (answer.kind !== "found") {
    return answer;
  }
  const { entry, tier } = answer;
  return entry.kind === "live" && !isDomain(entry.value)
    ? { kind: "link", record: entry.value, tier }
    : { kind: "unknown", tier };
}

function isDomain(record: EdgeRecord): record is Extract<EdgeRecord, { domainId: string }> {
  return "domainId" in record;
}
