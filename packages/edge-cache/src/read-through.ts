/**
 * Looks a key up: isolate, then KV, then the database. Knows nothing of what the values mean.
 *
 * - Held and fresh (30 s, jittered): answered on the spot, without a promise or a call.
 * - Held and stale: answered on the spot, while one load runs in the background; past 60 s it is loaded first.
 * - Not held: concurrent requests for a key are one read of KV, and keys that KV does not know share statements.
 * - Every tier below fails: the last known answer, up to 24 h old, without waiting for the failing tiers each time.
 */
import { createAbsenceBudget } from "./absence-budget.ts";
import { askOrigin, flatten, type Tiers, type TierSays } from "./ask-tiers.ts";
import type { CacheEntry } from "./cache-entry.ts";
import { createGroupedLookUps } from "./grouped-look-ups.ts";
import { createInFlightReads } from "./in-flight.ts";
import {
  isAbsence,
  isLastResort,
  lastResort,
  loadPublished,
  loadStored,
  SLACK_MS,
  type LoadState,
  type Published,
} from "./load-through.ts";
import {
  type Answer,
  type AnswerTier,
  DEFAULT_LIMITS,
  type ReadThroughLimits,
  type ReadThroughPorts,
  type Visit,
} from "./read-through-ports.ts";
import { createRecentKeys, type RecentKeys } from "./recent-keys.ts";
import { createTierHealth } from "./tier-health.ts";

export interface ReadThrough<Key extends string, V> {
  /**
   * What the isolate may answer right now, or `undefined`: then load it. Counts as a use of the key, and starts the refresh of
   * a stale entry. Synchronous, and allocates nothing on a fresh hit.
   */
  get(key: Key, nowMs: number, visit: Visit): CacheEntry<V> | undefined;
  /** From KV, else from the database. Rejects only on a bug, as do the two below. */
  load(key: Key, visit: Visit): Promise<Answer<V>>;
  /** From KV alone. Where it is no answer, `loadStored` goes on. */
  loadPublished(key: Key, visit: Visit): Promise<Published<V>>;
  /** What may be answered when no tier can say: a link or a deletion of the last 24 h. */
  lastKnown(key: Key): Extract<Answer<V>, { kind: "found" }> | null;
  loadStored(key: Key, visit: Visit, published: Exclude<Published<V>["kind"], "found">): Promise<Answer<V>>;
}

/** How long a key waits for a place in a statement, beyond the time of the statement itself. */
const GROUP_WAIT_MS = 250;
const STATEMENT_EVERY_MS_FAILING = 100;

/** A load takes no longer: a refresh that has not come back by then was cut off. */
const REFRESH_AGAIN_AFTER_MS = 2_000;
const MAX_RECENT_KEYS = 1_024;

export function createReadThrough<Key extends string, V>(
  ports: ReadThroughPorts<Key, V>,
  limits: ReadThroughLimits = DEFAULT_LIMITS,
): ReadThrough<Key, V> {
  const state = createState(ports, limits);
  const recentRefreshes = createRecentKeys(MAX_RECENT_KEYS, REFRESH_AGAIN_AFTER_MS);
  const load = async (key: Key, visit: Visit): Promise<Answer<V>> => {
    const published = await loadPublished(state, key, visit);
    return published.kind === "found" ? published : loadStored(state, key, visit, published.kind);
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
      if (isRefreshDue(state, recentRefreshes, key)) {
        ports.emit({ event: "refreshing" });
        visit.defer(load(key, visit));
      }
      return entry;
    },
    load,
    loadPublished: (key, visit) => loadPublished(state, key, visit),
    lastKnown: (key) => lastResort(state, key),
    loadStored: (key, visit, published) => loadStored(state, key, visit, published),
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
  const originHealth = createTierHealth();
  const tiers: Tiers<Key, V> = { ...ports, limits, kvHealth: createTierHealth(), originHealth };
  const statementMs = limits.originTimeoutMs + SLACK_MS;
  const absences = createAbsenceBudget(limits.absences);
  /** Charged here, because visitors who have left their keys to a statement can't be. */
  const ask = async (keys: readonly Key[]): Promise<ReadonlyMap<Key, TierSays<V>>> => {
    const said = await askOrigin(tiers, keys);
    for (const one of said.values()) {
      if (isAbsence(one)) {
        absences.charge();
      } else if (one.kind === "found") {
        absences.credit();
      }
    }
    return said;
  };
  return {
    ...tiers,
    reads: createInFlightReads(),
    lookUps: createGroupedLookUps(
      {
        ask,
        isFailing: (nowMs) => originHealth.isFailing(nowMs),
        nowMs: ports.nowMs,
        wait: ports.wait,
      },
      {
        statements: limits.statements,
        everyMs: limits.statementEveryMs,
        everyMsFailing: STATEMENT_EVERY_MS_FAILING,
        maxKeys: limits.maxWaitingKeys,
        statementMs,
        waitMs: statementMs + GROUP_WAIT_MS,
      },
    ),
    absences,
  };
}

function mayServeStale<Key extends string, V>(
  { limits, kvHealth, originHealth }: Tiers<Key, V>,
  entry: CacheEntry<V>,
  nowMs: number,
): boolean {
  if (entry.kind === "live" && nowMs - entry.storedAtMs < limits.hardLimitMs) {
    return true;
  }
  return isLastResort(entry, nowMs, limits) && kvHealth.isFailing(nowMs) && originHealth.isFailing(nowMs);
}

/** One refresh of a key at a time. While every tier fails: one a second in all. */
function isRefreshDue<Key extends string, V>(
  { kvHealth, originHealth, nowMs }: Tiers<Key, V>,
  recentRefreshes: RecentKeys,
  key: Key,
): boolean {
  const now = nowMs();
  const allFail = kvHealth.isFailing(now) && originHealth.isFailing(now);
  return (!allFail || kvHealth.takeProbe(now)) && recentRefreshes.note(flatten(key), now);
}
