/**
 * Loads one key: KV, then the database, into the isolate. Decides what a failure means; rejects only on a bug. KV is never
 * written from here: it has one writer, who publishes.
 */
import { isAbsence, judge, noteHealth, rescue, type Tiers, type TierAnswer } from "./ask-tiers.ts";
import type { CacheEntry } from "./cache-entry.ts";
import { type GroupedLookUps, SLACK_MS } from "./grouped-look-ups.ts";
import type { InFlight, InFlightReads } from "./in-flight.ts";
import type { Answer, ReadThroughLimits, Visit } from "./read-through-ports.ts";
import { withTimeout } from "./with-timeout.ts";

/** Made once an isolate. */
export interface LoadState<Key extends string, V> extends Tiers<Key, V> {
  readonly reads: InFlightReads<KvAnswer<V>>;
  readonly lookUps: GroupedLookUps<Key, TierAnswer<V>>;
}

/** What KV comes to: an answer, or why the database has to be asked. */
export type KvAnswer<V> =
  | Extract<Answer<V>, { kind: "found" }>
  | { readonly kind: "missing" | "damaged" | "failed" | "behind" };

/** Another's read is waited for this often; whoever was let down twice reads alone. */
const MAX_FOLLOWED = 2;

/** A statement that fails within this share of its time is asked once more; after it the visitor has waited long enough. */
const ASK_AGAIN_WITHIN_SHARE = 0.2;

/** From KV; concurrent readers of a key share one read. */
export function loadFromKv<Key extends string, V>(
  state: LoadState<Key, V>,
  key: Key,
  visit: Visit,
): Promise<KvAnswer<V>> {
  const read = state.reads.find(key, state.nowMs());
  return read === undefined ? lead(state, key, visit) : follow(state, key, { visit, read });
}

async function follow<Key extends string, V>(
  state: LoadState<Key, V>,
  key: Key,
  { visit, read: first }: { readonly visit: Visit; readonly read: InFlight<KvAnswer<V>> },
): Promise<KvAnswer<V>> {
  const { reads, emit, nowMs, wait } = state;
  let read: InFlight<KvAnswer<V>> | undefined = first;
  for (let followed = 0; followed < MAX_FOLLOWED && read !== undefined; followed += 1) {
    const { promise, untilMs } = read;
    emit({ event: "followed" });
    const timed = await withTimeout(() => promise, untilMs - nowMs(), wait);
    if (timed.kind === "done") {
      return timed.value;
    }
    emit({ event: "leader_lost", reason: timed.reason });
    reads.forget(key, untilMs);
    const held = staleIfError(state, key);
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
): Promise<KvAnswer<V>> {
  const nowMs = state.nowMs();
  const untilMs = nowMs + state.limits.kvTimeoutMs + SLACK_MS;
  const promise = readKv(state, key, { announced, untilMs });
  state.reads.start(key, { promise, untilMs }, nowMs);
  return promise;
}

/** @param announced resolves when the announcements are up to date: KV is read meanwhile, and judged after it. */
async function readKv<Key extends string, V>(
  state: LoadState<Key, V>,
  key: Key,
  { announced, untilMs }: { readonly announced: Visit["announced"]; readonly untilMs: number },
): Promise<KvAnswer<V>> {
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
export async function loadFromOrigin<Key extends string, V>(
  state: LoadState<Key, V>,
  key: Key,
  visit: Visit,
  published: Exclude<KvAnswer<V>["kind"], "found">,
): Promise<Answer<V>> {
  const { originHealth, nowMs } = state;
  const isHeld = state.cache.peek(key)?.kind === "live";
  const wasFailing = originHealth.isFailing(nowMs());
  const held = staleIfError(state, key);
  if (held !== null && wasFailing) {
    if (originHealth.takeProbe(nowMs())) {
      visit.defer(lookUp(state, key, visit));
    }
    return held;
  }
  if (!isHeld && visit.isRateLimited()) {
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
    return staleIfError(state, key) ?? { kind: "refused", reason: "busy" };
  }
  if (found.kind !== "done" || found.said.kind !== "found") {
    return staleIfError(state, key) ?? { kind: "unavailable" };
  }
  const { said, isFirst } = found;
  if (isFirst && !isAbsence(said)) {
    visit.creditHit();
  } else if (isFirst) {
    visit.defer(withTimeout(visit.chargeMiss, state.limits.originTimeoutMs, state.wait));
  }
  return { kind: "found", entry: said.entry, tier: "db" };
}

/**
 * What may still be answered when no tier can be asked: a link, or a deletion that somebody made, up to 24 h old. A mere
 * absence may not: a link may have come since, and an outage is a 503, never a 404.
 */
export function mayServeIfError<V>(
  entry: CacheEntry<V> | undefined,
  nowMs: number,
  { staleIfErrorMs }: ReadThroughLimits,
): entry is CacheEntry<V> {
  return entry !== undefined && entry.version > 0 && nowMs - entry.storedAtMs < staleIfErrorMs;
}

export function staleIfError<Key extends string, V>(
  { cache, nowMs, limits }: LoadState<Key, V>,
  key: Key,
): Extract<Answer<V>, { kind: "found" }> | null {
  const held = cache.peek(key);
  return mayServeIfError(held, nowMs(), limits) ? { kind: "found", entry: held, tier: "stale" } : null;
}
