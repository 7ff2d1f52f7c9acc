/**
 * Finds the link of a request: isolate, KV, database. A slug with capitals that KV does not know as it stands may be another
 * spelling of a link's, which its domain says; the domain is asked for only then, so that a link that KV knows never waits
 * for the database. The domain also lists which of its links forward what follows their slug.
 */
import { type DomainRecord, domainKeyOf } from "@hopline/core/link/domain-record";
import { findForwarding, type Forwarding } from "@hopline/core/link/forwarding";
import { foldKey, isReservedSlug, type LinkKey, linkKeyOf } from "@hopline/core/link/link-address";
import type { LinkRecord } from "@hopline/core/link/link-record";
import type { CacheEntry } from "@hopline/edge-cache/cache-entry";
import type { KvAnswer } from "@hopline/edge-cache/load-through";
import { heldTier } from "@hopline/edge-cache/read-through";
import type { Answer, AnswerTier, RefusalReason, Visit } from "@hopline/edge-cache/read-through-ports";
import type { EdgeRecord } from "../ports.ts";
import type { RequestContext } from "../request-context.ts";
import { getDomain, applyDomain } from "./apply-domain.ts";

export type FoundLink =
  | {
      readonly kind: "link";
      readonly record: LinkRecord;
      readonly tier: AnswerTier;
      /** What followed the slug of a link that forwards it, as it stood in the path. */
      readonly rest?: string;
    }
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
  const held = visit.announced === null ? deps.links.get(domainKeyOf(host), deps.nowMs(), visit) : undefined;
  const published = held === undefined ? loadPublishedDomain(context) : null;
  const isDeep = key.includes("/", host.length + 1);
  const settings = isDeep ? settingsIn(held ?? (await published) ?? getDomain(context)) : null;
  const forwarding = settings === null ? null : findForwarding(context.path, settings);
  const own = settings?.ignoresCase === true ? foldKey(key) : key;
  const found =
    forwarding === null
      ? await findRecord(context, key, trusted)
      : ((await findPublished(context, own)) ?? (await findForwarder(context, forwarding)));
  if (found.kind === "unknown" && forwarding === null) {
    return (await findForwarded(context, isDeep)) ?? found;
  }
  return found.kind === "link" ? under(found, held ?? (await published) ?? getDomain(context)) : found;
}

type FoundRecord = Extract<FoundLink, { kind: "link" }>;

function under(found: FoundRecord, domain: CacheEntry<EdgeRecord> | undefined): FoundLink {
  const record = applyDomain(found.record, domain);
  return record === null ? { kind: "unknown", tier: found.tier } : { ...found, record };
}

/**
 * The link that forwards a path at which there is none; `null`: the domain has no such link. Asks for the domain as the page
 * would that says so.
 *
 * @param isDeep without the domain's settings it can't be known what is there.
 */
export async function findForwarded(context: RequestContext, isDeep: boolean): Promise<FoundLink | null> {
  if (context.path === "/" || isReservedSlug(context.path.slice(1))) {
    return null;
  }
  const settings = await findDomain(context);
  if (settings.kind !== "settings") {
    return isDeep && settings.kind !== "none" ? settings : null;
  }
  const { domain } = settings;
  const forwarding = findForwarding(context.path, domain);
  const found = forwarding === null ? null : await findForwarder(context, forwarding);
  return found?.kind === "link" ? under(found, getDomain(context)) : found;
}

async function findForwarder(
  { host, deps, visit }: RequestContext,
  { slug, rest }: Forwarding,
): Promise<FoundLink> {
  const found = await findByKey(linkKeyOf(host, slug), deps, visit);
  return found.kind === "link" ? { ...found, rest } : found;
}

/**
 * The link that has a path of its own although another one forwards it; `null`: none. KV and what was announced are believed: ten
 * thousand rests of a path cost the database nothing. An imported link is found once KV has it, within a minute.
 */
async function findPublished({ deps, visit }: RequestContext, key: LinkKey): Promise<FoundLink | null> {
  const { links, nowMs } = deps;
  const held = await getHeld(key, deps, visit);
  if (held !== undefined) {
    return held.kind === "live" ? toHeld(held, nowMs()) : null;
  }
  const inKv = await links.loadFromKv(key, visit);
  if (inKv.kind === "missing") {
    links.holdAbsence(key);
    return null;
  }
  const said = inKv.kind === "found" ? inKv : await links.loadFromOrigin(key, visit, inKv.kind);
  const found = toFound(said);
  // Where no tier can say, what is known goes on: the other link.
  return found.kind === "link" ? found : null;
}

async function findRecord(
  context: RequestContext,
  key: LinkKey,
  trusted: CacheEntry<EdgeRecord> | undefined,
): Promise<FoundLink> {
  const { host, deps, visit } = context;
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
  const settings = settingsIn(links.get(domainKeyOf(host), nowMs(), visit));
  if (settings?.ignoresCase === true) {
    return findByKey(folded, deps, visit);
  }
  const inKv = held === undefined ? await links.loadFromKv(key, visit) : null;
  return inKv?.kind === "found" && inKv.entry.kind === "live"
    ? toFound(inKv)
    : findInAnyCase(context, { key, folded, inKv });
}

type Spellings = {
  readonly key: LinkKey;
  readonly folded: LinkKey;
  /** What KV says of the slug as it stands, which is not a link; `null`: an absence is held. */
  readonly inKv: KvAnswer<EdgeRecord> | null;
};

async function findInAnyCase(context: RequestContext, { key, folded, inKv }: Spellings): Promise<FoundLink> {
  const { deps, visit } = context;
  const settings = await findDomain(context);
  switch (settings.kind) {
    case "settings":
      if (settings.domain.ignoresCase) {
        return findByKey(folded, deps, visit);
      }
      return inKv === null || inKv.kind === "found"
        ? { kind: "unknown", tier: inKv?.tier ?? "negative" }
        : toFound(await deps.links.loadFromOrigin(key, visit, inKv.kind));
    case "none":
      return { kind: "unknown" };
    case "refused":
    case "unavailable":
      // Not what is known of the folded spelling: on a case-sensitive domain that is another link.
      return toFound(deps.links.staleIfError(key) ?? settings);
  }
}

async function findByKey(key: LinkKey, deps: Links, visit: Visit): Promise<FoundLink> {
  const held = await getHeld(key, deps, visit);
  return held === undefined ? toFound(await deps.links.load(key, visit)) : toHeld(held, deps.nowMs());
}

type Links = Pick<RequestContext["deps"], "links" | "nowMs">;

/**
 * What the isolate holds once the change feed has been read; what it does not hold is looked up meanwhile. Where the feed takes
 * too long, what is held may have changed hands: KV is asked, and only if it can't answer is the held one the last known.
 */
async function getHeld(
  key: LinkKey,
  { links, nowMs }: Links,
  visit: Visit,
): Promise<CacheEntry<EdgeRecord> | undefined> {
  const held = links.get(key, nowMs(), visit);
  if (held === undefined || visit.announced === null) {
    return held;
  }
  return (await visit.announced) ? links.get(key, nowMs(), visit) : undefined;
}

/** What the isolate holds of the domain, else what KV has; what the database has only where KV has it as it was before it changed. */
async function loadPublishedDomain({
  host,
  deps,
  visit,
}: RequestContext): Promise<CacheEntry<EdgeRecord> | undefined> {
  const key = domainKeyOf(host);
  const held = await getHeld(key, deps, visit);
  if (held !== undefined) {
    return held;
  }
  const inKv = await deps.links.loadFromKv(key, visit);
  const isOld = inKv.kind === "outdated" || inKv.kind === "behind";
  const published = isOld ? await deps.links.loadFromOrigin(key, visit, inKv.kind) : inKv;
  return published.kind === "found" ? published.entry : undefined;
}

/** `none`: the host is no short domain. */
export type DomainSettings =
  | { readonly kind: "settings"; readonly domain: DomainRecord }
  | { readonly kind: "none" }
  | Exclude<Answer<EdgeRecord>, { kind: "found" }>;

/** The settings of the domain that is visited, from the tiers of links. Rejects only on a bug. */
export async function findDomain({ host, deps, visit }: RequestContext): Promise<DomainSettings> {
  const key = domainKeyOf(host);
  const held = await getHeld(key, deps, visit);
  if (held !== undefined) {
    return toSettings(held);
  }
  const answer = await deps.links.load(key, visit);
  return answer.kind === "found" ? toSettings(answer.entry) : answer;
}

function toSettings(entry: CacheEntry<EdgeRecord>): DomainSettings {
  const domain = settingsIn(entry);
  return domain === null ? { kind: "none" } : { kind: "settings", domain };
}

export function settingsIn(entry: CacheEntry<EdgeRecord> | undefined): DomainRecord | null {
  return entry?.kind === "live" && isDomain(entry.value) ? entry.value : null;
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
