/**
 * Loads one key: KV, then the database, into the isolate. Decides what a failure means; rejects only on a bug. KV is never
 * written from here: it has one writer, who publishes.
 */
import { judge, noteHealth, rescue, type Tiers, type TierSays } from "./ask-tiers.ts";
import type { AbsenceBudget } from "./absence-budget.ts";
import type { CacheEntry } from "./cache-entry.ts";
import type { GroupedLookUps } from "./grouped-look-ups.ts";
import type { InFlight, InFlightReads } from "./in-flight.ts";
import type { Answer, ReadThroughLimits, Visit } from "./read-through-ports.ts";
import { withTimeout } from "./with-timeout.ts";

/** Made once an isolate. */
export interface LoadState<Key extends string, V> extends Tiers<Key, V> {
  readonly reads: InFlightReads<Published<V>>;
  readonly lookUps: GroupedLookUps<Key, TierSays<V>>;
  readonly absences: AbsenceBudget;
}

/** What KV comes to: an answer, or why the database has to be asked. */
export type Published<V> =
  | Extract<Answer<V>, { kind: "found" }>
  | { readonly kind: "missing" | "damaged" | "failed" | "behind" };

/** Another's read is waited for this often; whoever was let down twice reads alone. */
const MAX_FOLLOWED = 2;

/** A statement that fails within this share of its time is asked once more; after it the visitor has waited long enough. */
const ASK_AGAIN_WITHIN_SHARE = 0.2;

/** Room for what the timeouts do not count: the event loop between two steps. */
export const SLACK_MS = 100;

/** From KV; concurrent readers of a key share one read. */
export function loadPublished<Key extends string, V>(
  state: LoadState<Key, V>,
  key: Key,
  visit: Visit,
): Promise<Published<V>> {
  const read = state.reads.find(key, state.nowMs());
  return read === undefined ? lead(state, key, visit) : follow(state, key, { visit, read });
}

async function follow<Key extends string, V>(
  state: LoadState<Key, V>,
  key: Key,
  { visit, read: first }: { readonly visit: Visit; readonly read: InFlight<Published<V>> },
): Promise<Published<V>> {
  const { reads, emit, nowMs, wait } = state;
  let read: InFlight<Published<V>> | undefined = first;
  for (let followed = 0; followed < MAX_FOLLOWED && read !== undefined; followed += 1) {
    const { promise, untilMs } = read;
    emit({ event: "followed" });
    const timed = await withTimeout(() => promise, untilMs - nowMs(), wait);
    if (timed.kind === "done") {
      return timed.value;
    }
    emit({ event: "leader_lost", why: timed.kind === "failed" ? "rejected" : "late" });
    reads.forget(key, untilMs);
    const held = lastResort(state, key);
    if (held !== null) {
      return held;
    }
    read = reads.find(key, nowMs());
  }
  return lead(state, key, visit);
}

/** Not deferred: `waitUntil` costs as much as all the rest of a KV hit, and followers have a bound of their own. */
function lead<Key extends string, V>(
  state: LoadState<Key, V>,
  key: Key,
  { announced }: Visit,
): Promise<Published<V>> {
  const nowMs = state.nowMs();
  const untilMs = nowMs + state.limits.kvTimeoutMs + SLACK_MS;
  const promise = readPublished(state, key, { announced, untilMs });
  state.reads.start(key, { promise, untilMs }, nowMs);
  return promise;
}

/** @param announced resolves when the announcements are up to date: KV is read meanwhile, and judged after it. */
async function readPublished<Key extends string, V>(
  state: LoadState<Key, V>,
  key: Key,
  { announced, untilMs }: { readonly announced: Visit["announced"]; readonly untilMs: number },
): Promise<Published<V>> {
  const { kv, kvHealth, limits, wait, nowMs } = state;
  const timed = await withTimeout<unknown>(() => kv.load(key), limits.kvTimeoutMs, wait);
  if (announced !== null) {
    await announced;
  }
  state.reads.forget(key, untilMs);
  const said = noteHealth(state, "kv", kvHealth, timed)
    ? judge(state, "kv", key, timed.value)
    : rescue(state, key);
  if (said.kind !== "found") {
    return said;
  }
  const { entry, version } = said;
  if (entry.version === version) {
    return { kind: "found", entry, tier: "kv" };
  }
  if (nowMs() < entry.freshUntilMs) {
    return { kind: "found", entry, tier: "isolate" };
  }
  state.emit({ event: "behind", tier: "kv" });
  return { kind: "behind" };
}

/**
 * From the database, in a group with others.
 *
 * @param published what KV said just before.
 */
export async function loadStored<Key extends string, V>(
  state: LoadState<Key, V>,
  key: Key,
  visit: Visit,
  published: Exclude<Published<V>["kind"], "found">,
): Promise<Answer<V>> {
  const { originHealth, nowMs } = state;
  const isHeld = state.cache.peek(key)?.kind === "live";
  const wasFailing = originHealth.isFailing(nowMs());
  const held = lastResort(state, key);
  if (held !== null && wasFailing) {
    if (originHealth.takeProbe(nowMs())) {
      visit.defer(lookUp(state, key, visit));
    }
    return held;
  }
  if (!isHeld && visit.isInPenalty()) {
    // Where KV could not say, this may be a link that it has: no fault of the visitor's.
    return held ?? { kind: "refused", reason: published === "failed" ? "exhausted" : "visitor" };
  }
  if (!isHeld && !state.absences.allows(nowMs(), state.lookUps.countKeys(nowMs()))) {
    return held ?? { kind: "refused", reason: "exhausted" };
  }
  const askedAtMs = nowMs();
  const answer = await lookUp(state, key, visit);
  const hasFailedAtOnce =
    answer.kind === "unavailable" &&
    nowMs() - askedAtMs < state.limits.originTimeoutMs * ASK_AGAIN_WITHIN_SHARE;
  // One broken connection must not cost a hundred visitors their redirect: their keys join the next statement, once.
  return hasFailedAtOnce && !wasFailing ? lookUp(state, key, visit) : answer;
}

async function lookUp<Key extends string, V>(
  state: LoadState<Key, V>,
  key: Key,
  visit: Visit,
): Promise<Answer<V>> {
  const arrivals = state.announced.arrivals(key);
  let found = await state.lookUps.find(key, visit.defer);
  if (found.kind === "done" && isAbsence(found.said) && state.announced.arrivals(key) !== arrivals) {
    // Keys have come into being while the database was asked: "there is none" may be older than they are.
    state.cache.delete(key);
    found = await state.lookUps.find(key, visit.defer);
  }
  if (found.kind === "busy") {
    return lastResort(state, key) ?? { kind: "refused", reason: "busy" };
  }
  if (found.kind !== "done" || found.said.kind !== "found") {
    return lastResort(state, key) ?? { kind: "unavailable" };
  }
  const { said, isFirst } = found;
  if (isFirst && !isAbsence(said)) {
    visit.creditFind();
  } else if (isFirst) {
    visit.defer(withTimeout(visit.chargeAbsence, state.limits.originTimeoutMs, state.wait));
  }
  return { kind: "found", entry: said.entry, tier: "db" };
}

/** Whether the database has said that the key does not exist, and nothing came since. */
export function isAbsence<V>(said: TierSays<V>): boolean {
  return said.kind === "found" && said.entry.version === 0;
}

/**
 * What may still be answered when no tier can be asked: a link, or a deletion that somebody made, up to 24 h old. A mere
 * absence may not: a link may have come since, and an outage is a 503, never a 404.
 */
export function isLastResort<V>(
  entry: CacheEntry<V> | undefined,
  nowMs: number,
  { lastResortMs }: ReadThroughLimits,
): entry is CacheEntry<V> {
  return entry !== undefined && entry.version > 0 && nowMs - entry.storedAtMs < lastResortMs;
}

export function lastResort<Key extends string, V>(
  { cache, nowMs, limits }: LoadState<Key, V>,
  key: Key,
): Extract<Answer<V>, { kind: "found" }> | null {
  const held = cache.peek(key);
  return isLastResort(held, nowMs(), limits) ? { kind: "found", entry: held, tier: "stale" } : null;
}
