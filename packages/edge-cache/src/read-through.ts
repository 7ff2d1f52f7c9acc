/**
 * Looks a key up: isolate, then KV, then the database. Knows nothing of what the values mean.
 *
 * - Held and fresh (30 s, jittered): answered on the spot, without a promise or a call.
 * - Held and stale: answered on the spot, while one load runs in the background; past 60 s it is loaded first.
 * - Not held: concurrent requests for a key are one read of KV, and keys that KV does not know share statements.
 * - Every tier below fails: the last known answer, up to 24 h old, without waiting for the failing tiers each time.
 */
import { createAbsenceBudget } from "./absence-budget.ts";
import { askOrigin, flatten, type Tiers, type TierAnswer } from "./ask-tiers.ts";
import type { CacheEntry } from "./cache-entry.ts";
import { createGroupedLookUps } from "./grouped-look-ups.ts";
import { createInFlightReads } from "./in-flight.ts";
import {
  mayServeIfError,
  staleIfError,
  loadFromKv,
  loadFromOrigin,
  type LoadState,
  type KvAnswer,
} from "./load-through.ts";
import {
  type Answer,
  type AnswerTier,
  DEFAULT_LIMITS,
  type ReadThroughLimits,
  type ReadThroughPorts,
  type Visit,
} from "./read-through-ports.ts";
import { setLatest } from "./set-latest.ts";
import { createTierHealth } from "./tier-health.ts";

export interface ReadThrough<Key extends string, V> {
  /**
   * What the isolate may answer right now, or `undefined`: then load it. Counts as a use of the key, and starts the refresh of
   * a stale entry. Synchronous, and allocates nothing on a fresh hit.
   */
  get(key: Key, nowMs: number, visit: Visit): CacheEntry<V> | undefined;
  /** From KV, else from the database. Rejects only on a bug, as do the two below. */
  load(key: Key, visit: Visit): Promise<Answer<V>>;
  /** From KV alone. Where it is no answer, `loadFromOrigin` goes on. */
  loadFromKv(key: Key, visit: Visit): Promise<KvAnswer<V>>;
  /** What may be answered when no tier can say: a link or a deletion of the last 24 h. */
  staleIfError(key: Key): Extract<Answer<V>, { kind: "found" }> | null;
  loadFromOrigin(
    key: Key,
    visit: Visit,
    published: Exclude<KvAnswer<V>["kind"], "found">,
  ): Promise<Answer<V>>;
}

/** A load takes no longer: a refresh that has not come back by then was cut off. */
const REFRESH_AGAIN_AFTER_MS = 2_000;
const MAX_REFRESHES = 1_024;

export function createReadThrough<Key extends string, V>(
  ports: ReadThroughPorts<Key, V>,
  limits: ReadThroughLimits = DEFAULT_LIMITS,
): ReadThrough<Key, V> {
  const state = createState(ports, limits);
  /** When the refresh of a key was started, epoch milliseconds. */
  const refreshes = new Map<Key, number>();
  const load = async (key: Key, visit: Visit): Promise<Answer<V>> => {
    const published = await loadFromKv(state, key, visit);
    return published.kind === "found" ? published : loadFromOrigin(state, key, visit, published.kind);
  };
  return {
    get(key, nowMs, visit) {
      const entry = ports.cache.get(key);
      if (entry === undefined || nowMs < entry.freshUntilMs) {
        return entry;
      }
      if (!mayServeStale(state, entry, nowMs)) {
        return undefined;
      }
      if (isRefreshDue(state, refreshes, key)) {
        ports.emit({ event: "refreshing" });
        visit.defer(load(key, visit));
      }
      return entry;
    },
    load,
    loadFromKv: (key, visit) => loadFromKv(state, key, visit),
    staleIfError: (key) => staleIfError(state, key),
    loadFromOrigin: (key, visit, published) => loadFromOrigin(state, key, visit, published),
  };
}

/** The tier of an entry that `get` returned. */
export function heldTier<V>(entry: CacheEntry<V>, nowMs: number): AnswerTier {
  if (nowMs >= entry.freshUntilMs) {
    return "stale";
  }
  return entry.kind === "live" ? "isolate" : "negative";
}

function createState<Key extends string, V>(
  ports: ReadThroughPorts<Key, V>,
  limits: ReadThroughLimits,
): LoadState<Key, V> {
  const tiers: Tiers<Key, V> = {
    ...ports,
    limits,
    kvHealth: createTierHealth(),
    originHealth: createTierHealth(),
    absences: createAbsenceBudget(limits.absences),
  };
  const lookUps = createGroupedLookUps<Key, TierAnswer<V>>({
    ask: (keys) => askOrigin(tiers, keys),
    isFailing: (nowMs) => tiers.originHealth.isFailing(nowMs),
    nowMs: ports.nowMs,
    wait: ports.wait,
    limits,
  });
  return { ...tiers, reads: createInFlightReads(), lookUps };
}

function mayServeStale<Key extends string, V>(
  { limits, kvHealth, originHealth }: Tiers<Key, V>,
  entry: CacheEntry<V>,
  nowMs: number,
): boolean {
  if (entry.kind === "live" && nowMs - entry.storedAtMs < limits.staleWhileRevalidateMs) {
    return true;
  }
  return mayServeIfError(entry, nowMs, limits) && kvHealth.isFailing(nowMs) && originHealth.isFailing(nowMs);
}

/** One refresh of a key at a time. While every tier fails: one a second in all. */
function isRefreshDue<Key extends string, V>(
  { kvHealth, originHealth, nowMs }: Tiers<Key, V>,
  refreshes: Map<Key, number>,
  key: Key,
): boolean {
  const now = nowMs();
  const allFail = kvHealth.isFailing(now) && originHealth.isFailing(now);
  if (
    now - (refreshes.get(key) ?? -Infinity) < REFRESH_AGAIN_AFTER_MS ||
    (allFail && !kvHealth.takeProbe(now))
  ) {
    return false;
  }
  setLatest(refreshes, [flatten(key), now], MAX_REFRESHES);
  return true;
}
