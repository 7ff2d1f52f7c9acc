/**
 * What the parts of a read-through share: its ports, its limits and the state that lives as long as the isolate. Made
 * once an isolate. Plain data only outlives a request here, apart from the flights, which are bounded in time.
 */
import type { CacheEntry } from "./cache-entry.ts";
import { createFlights, type Flights } from "./flights.ts";
import type { IsolateCache } from "./isolate-cache.ts";
import type { AnswerTier, Emit, RefusalReason } from "./read-through-events.ts";
import type { Decode, FillableTier, ReadTier } from "./read-through-ports.ts";
import { createRecentKeys, type RecentKeys } from "./recent-keys.ts";
import { createSlots, type Slots } from "./slots.ts";
import { createTierHealth, type TierHealth } from "./tier-health.ts";
import { createTokenBudget, type TokenBudget, type TokenBudgetLimits } from "./token-budget.ts";
import type { Wait } from "./with-timeout.ts";

export interface ReadThroughPorts<Key extends string, V> {
  readonly cache: IsolateCache<V>;
  readonly kv: FillableTier<Key>;
  readonly origin: ReadTier<Key>;
  readonly decode: Decode<V>;
  /** Epoch milliseconds; the clock of `cache`. In workerd it only advances after I/O. */
  readonly nowMs: () => number;
  readonly wait: Wait;
  readonly emit: Emit;
}

export interface ReadThroughLimits {
  readonly kvTimeoutMs: number;
  readonly originTimeoutMs: number;
  /** Since it was stored: an older live entry is loaded anew before it is answered, in normal times. */
  readonly hardLimitMs: number;
  /** Since it was stored: the oldest answer that is given while every tier below fails. */
  readonly lastResortMs: number;
  /** Database queries of this isolate that may run at once. */
  readonly originSlots: number;
  /** Look-ups that may wait for one of them, `ORIGIN_QUEUE_WAIT_MS` at most. */
  readonly originQueue: number;
  /** Database queries that may end without a link: `burst + perSecond * seconds` of them at most. */
  readonly absentQueries: TokenBudgetLimits;
}

/** DESIGN.md section 2. The caps are per isolate; a busy data centre runs several. */
export const DEFAULT_LIMITS: ReadThroughLimits = {
  kvTimeoutMs: 250,
  originTimeoutMs: 1_500,
  hardLimitMs: 60_000,
  lastResortMs: 24 * 60 * 60 * 1_000,
  originSlots: 16,
  originQueue: 32,
  absentQueries: { burst: 100, perSecond: 5 },
};

export const ORIGIN_QUEUE_WAIT_MS = 250;
export const ADMISSION_TIMEOUT_MS = 50;

/** Room for what the timeouts do not count: the event loop between two steps. */
const SLACK_MS = 100;

/** A back-fill of a key is not repeated for as long as a data centre may still remember its absence. */
const FILL_AGAIN_AFTER_MS = 60_000;
const MAX_RECENT_FILLS = 1_024;

/** What a look-up comes to. Plain data: it is handed from one request to another. */
export type Answer<V> =
  | { readonly kind: "found"; readonly entry: CacheEntry<V>; readonly tier: AnswerTier }
  | { readonly kind: "refused"; readonly reason: RefusalReason }
  | { readonly kind: "unavailable" };

export interface ReadThroughCore<Key extends string, V> extends ReadThroughPorts<Key, V> {
  readonly limits: ReadThroughLimits;
  /** The longest that a load may be with KV, and then with the database. */
  readonly kvPhaseMs: number;
  readonly originPhaseMs: number;
  readonly flights: Flights<Answer<V>>;
  readonly kvHealth: TierHealth;
  readonly originHealth: TierHealth;
  readonly originSlots: Slots;
  readonly originQueue: Slots;
  readonly absentQueries: TokenBudget;
  readonly recentFills: RecentKeys;
}

export function createCore<Key extends string, V>(
  ports: ReadThroughPorts<Key, V>,
  limits: ReadThroughLimits,
): ReadThroughCore<Key, V> {
  const slotMs = limits.originTimeoutMs + SLACK_MS;
  return {
    ...ports,
    limits,
    kvPhaseMs: limits.kvTimeoutMs + SLACK_MS,
    originPhaseMs: ADMISSION_TIMEOUT_MS + ORIGIN_QUEUE_WAIT_MS + slotMs,
    flights: createFlights(),
    kvHealth: createTierHealth(),
    originHealth: createTierHealth(),
    originSlots: createSlots(limits.originSlots, slotMs),
    originQueue: createSlots(limits.originQueue, ORIGIN_QUEUE_WAIT_MS + SLACK_MS),
    absentQueries: createTokenBudget(limits.absentQueries),
    recentFills: createRecentKeys(MAX_RECENT_FILLS, FILL_AGAIN_AFTER_MS),
  };
}

/**
 * Whether `entry` may still be answered when no tier can be asked: a link, or a deletion that somebody made, up to 24 h
 * old. A mere absence may not: a link may have come since, and an outage is a 503, never a 404.
 */
export function isLastResort<V>(
  entry: CacheEntry<V> | undefined,
  nowMs: number,
  { lastResortMs }: ReadThroughLimits,
): entry is CacheEntry<V> {
  return entry !== undefined && entry.version > 0 && nowMs - entry.storedAtMs < lastResortMs;
}
