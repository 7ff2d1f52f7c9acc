/**
 * Looks a key up: isolate, then KV, then the database. Knows nothing of what the values mean.
 *
 * - Held and fresh (30 s, jittered): answered on the spot, without a promise or a call.
 * - Held and stale: answered on the spot, while one load runs in the background; past 60 s, or after missed changes, it is
 *   loaded first.
 * - Not held: concurrent requests for a key are one read of KV, and keys that KV does not know share statements.
 * - Every tier below fails: the last known answer, up to 24 h old, without waiting for the failing tiers each time. Not
 *   where the key may have got another owner unheard before they failed.
 */
import { createTiers, flatten } from "./ask-tiers.ts";
import type { CacheEntry } from "./cache-entry.ts";
import { createLoader, type Loader } from "./load-through.ts";
import {
  type Answer,
  type AnswerTier,
  DEFAULT_LIMITS,
  type ReadThroughLimits,
  type ReadThroughPorts,
  type Visit,
} from "./read-through-ports.ts";
import { setLatest } from "./set-latest.ts";

/** What loads rejects only on a bug. */
export interface ReadThrough<Key extends string, V> extends Loader<Key, V> {
  /**
   * What the isolate may answer right now, or `undefined`: then load it. Counts as a use of the key, and starts the refresh of
   * a stale entry. Synchronous, and allocates nothing on a fresh hit.
   */
  get(key: Key, nowMs: number, visit: Visit): CacheEntry<V> | undefined;
  load(key: Key, visit: Visit): Promise<Answer<V>>;
  /** Loads behind the answer: one load of a key at a time; while every tier fails, one a second in all. */
  refresh(key: Key, nowMs: number, visit: Visit): void;
}

/** A load takes no longer: a refresh that has not come back by then was cut off. */
const REFRESH_AGAIN_AFTER_MS = 2_000;
const MAX_REFRESHES = 1_024;

export function createReadThrough<Key extends string, V>(
  ports: ReadThroughPorts<Key, V>,
  limits: ReadThroughLimits = DEFAULT_LIMITS,
): ReadThrough<Key, V> {
  const tiers = createTiers(ports, limits);
  const { kvHealth, originHealth } = tiers;
  const loader = createLoader(ports, limits, tiers);
  /** When the refresh of a key was started, epoch milliseconds. */
  const refreshes = new Map<Key, number>();

  const doAllFail = (nowMs: number): boolean => kvHealth.isFailing(nowMs) && originHealth.isFailing(nowMs);

  function mayServeStale(key: Key, entry: CacheEntry<V>, nowMs: number): boolean {
    return (
      (entry.kind === "live" &&
        // Not what was doubted when it was stored.
        entry.freshUntilMs > entry.storedAtMs &&
        nowMs - entry.storedAtMs < limits.staleWhileRevalidateMs) ||
      (doAllFail(nowMs) && loader.staleIfError(key) !== null)
    );
  }

  function refresh(key: Key, nowMs: number, visit: Visit): void {
    const isRecent = nowMs - (refreshes.get(key) ?? -Infinity) < REFRESH_AGAIN_AFTER_MS;
    if (isRecent || (doAllFail(nowMs) && !kvHealth.takeProbe(nowMs))) {
      return;
    }
    setLatest(refreshes, [flatten(key), nowMs], MAX_REFRESHES);
    ports.emit({ event: "refreshing" });
    const untilMs = nowMs + limits.kvTimeoutMs + limits.originTimeoutMs;
    visit.defer(load(key, { ...visit, untilMs, isBehind: true }));
  }

  async function load(key: Key, visit: Visit): Promise<Answer<V>> {
    const answer = await loader.loadFromKv(key, visit);
    return answer.kind === "found" ? answer : loader.loadFromOrigin(key, visit, answer.kind);
  }

  return {
    ...loader,
    load,
    refresh,
    get(key, nowMs, visit) {
      const entry = ports.cache.get(key);
      if (entry === undefined || nowMs < entry.freshUntilMs) {
        return entry;
      }
      if (!mayServeStale(key, entry, nowMs)) {
        return undefined;
      }
      refresh(key, nowMs, visit);
      return entry;
    },
  };
}

/** The tier of an entry that `get` returned. */
export function heldTier<V>(entry: CacheEntry<V>, nowMs: number): AnswerTier {
  if (nowMs >= entry.freshUntilMs) {
    return "stale";
  }
  return entry.kind === "live" ? "isolate" : "negative";
}
