/**
 * Looks a key up: isolate, then KV, then the database. Knows nothing of what the values mean.
 *
 * - Held and fresh (30 s, jittered): answered on the spot, without a promise or a call.
 * - Held and stale: answered on the spot, while one load runs in the background; past 60 s it is loaded first.
 * - Not held: concurrent requests for a key become one load. A follower waits for a bounded time and then does its own.
 * - Every tier below fails: the last known answer, up to 24 h old, without waiting for the failing tiers each time.
 */
import type { CacheEntry } from "./cache-entry.ts";
import type { Flight } from "./flights.ts";
import { loadThrough } from "./load-through.ts";
import {
  type Answer,
  createCore,
  DEFAULT_LIMITS,
  isLastResort,
  type ReadThroughCore,
  type ReadThroughLimits,
  type ReadThroughPorts,
} from "./read-through-core.ts";
import type { AnswerTier, ReadThroughEvent } from "./read-through-events.ts";
import type { Visit } from "./read-through-ports.ts";
import { type Timed, withTimeout } from "./with-timeout.ts";

export interface ReadThrough<Key extends string, V> {
  /**
   * What the isolate may answer right now, or `undefined`: then `load`. Synchronous, and allocates nothing on a fresh
   * hit; of a stale entry it starts the refresh.
   */
  peek(key: Key, nowMs: number, visit: Visit): CacheEntry<V> | undefined;
  /** Looks further down. Rejects only on a fault of our own. */
  load(key: Key, visit: Visit): Promise<Answer<V>>;
}

/** Another's load is waited for this often; whoever was let down twice goes alone. Twice unavailable is believed. */
const MAX_FOLLOWED = 2;

const FRESH_HIT: ReadThroughEvent = { event: "answered", tier: "isolate" };
const STALE_HIT: ReadThroughEvent = { event: "answered", tier: "stale" };
const ABSENT_HIT: ReadThroughEvent = { event: "answered", tier: "negative" };

export function createReadThrough<Key extends string, V>(
  ports: ReadThroughPorts<Key, V>,
  limits: ReadThroughLimits = DEFAULT_LIMITS,
): ReadThrough<Key, V> {
  const core = createCore(ports, limits);
  const { cache, emit } = ports;
  return {
    peek(key, nowMs, visit) {
      const entry = cache.get(key);
      if (entry === undefined) {
        return undefined;
      }
      if (nowMs < entry.freshUntilMs) {
        emit(entry.kind === "live" ? FRESH_HIT : ABSENT_HIT);
        return entry;
      }
      if (!mayServeStale(core, entry, nowMs)) {
        return undefined;
      }
      emit(STALE_HIT);
      refresh(core, key, visit);
      return entry;
    },
    async load(key, visit) {
      const answer = await loadShared(core, key, visit);
      emit(toEvent(answer));
      return answer;
    },
  };
}

/** The tier of an entry that `peek` returned. */
export function heldTier<V>(entry: CacheEntry<V>, nowMs: number): AnswerTier {
  if (nowMs >= entry.freshUntilMs) {
    return "stale";
  }
  return entry.kind === "live" ? "isolate" : "negative";
}

function mayServeStale<Key extends string, V>(
  { limits, kvHealth, originHealth }: ReadThroughCore<Key, V>,
  entry: CacheEntry<V>,
  nowMs: number,
): boolean {
  if (entry.kind === "live" && nowMs - entry.storedAtMs < limits.hardLimitMs) {
    return true;
  }
  return isLastResort(entry, nowMs, limits) && kvHealth.isFailing(nowMs) && originHealth.isFailing(nowMs);
}

/** Starts a load behind the answer, unless one is under way. While every tier fails: one a second in all. */
function refresh<Key extends string, V>(core: ReadThroughCore<Key, V>, key: Key, visit: Visit): void {
  const { flights, kvHealth, originHealth } = core;
  const nowMs = core.nowMs();
  if (flights.find(key, nowMs) !== undefined) {
    return;
  }
  if (kvHealth.isFailing(nowMs) && originHealth.isFailing(nowMs) && !kvHealth.takeProbe(nowMs)) {
    return;
  }
  core.emit({ event: "refreshing" });
  // The key is held, so the visitor's own limit is not asked.
  visit.defer(lead(core, key, visit));
}

function loadShared<Key extends string, V>(
  core: ReadThroughCore<Key, V>,
  key: Key,
  visit: Visit,
): Promise<Answer<V>> {
  return core.flights.find(key, core.nowMs()) === undefined
    ? lead(core, key, visit)
    : followOrLead(core, key, visit);
}

async function followOrLead<Key extends string, V>(
  core: ReadThroughCore<Key, V>,
  key: Key,
  visit: Visit,
): Promise<Answer<V>> {
  for (let followed = 0; followed < MAX_FOLLOWED; followed += 1) {
    const flight = core.flights.find(key, core.nowMs());
    if (flight === undefined) {
      break;
    }
    const answer = await follow(core, key, flight);
    const isWorthATry = answer?.kind === "unavailable" && followed === 0;
    if (answer !== null && !isWorthATry) {
      return answer;
    }
  }
  return lead(core, key, visit);
}

/**
 * Asks KV while the visitor waits, and no longer: `waitUntil` costs as much as all the rest of a KV hit. Where it goes on
 * to the database its promise is kept alive beyond the visitor who started it, because others may wait for it.
 */
function lead<Key extends string, V>(
  core: ReadThroughCore<Key, V>,
  key: Key,
  visit: Visit,
): Promise<Answer<V>> {
  const { flights, kvPhaseMs, originPhaseMs } = core;
  const goesOn = () => {
    flights.putOff(flight, core.nowMs() + originPhaseMs);
    visit.defer(flight.landing);
  };
  const nowMs = core.nowMs();
  const flight = flights.start(key, loadThrough(core, key, { visit, goesOn }), {
    nowMs,
    untilMs: nowMs + kvPhaseMs,
  });
  return flight.landing;
}

/**
 * Waits for another request's load. `null`: the follower is on its own, because the load was lost with its request, did
 * not settle in time, or was refused for its own visitor's sake.
 */
async function follow<Key extends string, V>(
  core: ReadThroughCore<Key, V>,
  key: Key,
  flight: Flight<Answer<V>>,
): Promise<Answer<V> | null> {
  core.emit({ event: "followed" });
  const timed = await waitFor(core, flight);
  if (timed.kind === "done") {
    const { value } = timed;
    return value.kind === "refused" && value.reason === "visitor" ? null : value;
  }
  core.emit({ event: "leader_lost", why: timed.kind === "failed" ? "rejected" : "late" });
  core.flights.abandon(key, flight);
  const held = core.cache.peek(key);
  return isLastResort(held, core.nowMs(), core.limits) ? { kind: "found", entry: held, tier: "stale" } : null;
}

/** To the flight's end, wherever that is put off to meanwhile. */
async function waitFor<Key extends string, V>(
  core: ReadThroughCore<Key, V>,
  flight: Flight<Answer<V>>,
): Promise<Timed<Answer<V>>> {
  for (;;) {
    const { untilMs } = flight;
    const timed = await withTimeout(() => flight.landing, untilMs - core.nowMs(), core.wait);
    if (timed.kind !== "timed_out" || flight.untilMs === untilMs) {
      return timed;
    }
  }
}

function toEvent<V>(answer: Answer<V>): ReadThroughEvent {
  switch (answer.kind) {
    case "found":
      return { event: "answered", tier: answer.tier };
    case "refused":
      return { event: "refused", reason: answer.reason };
    case "unavailable":
      return { event: "unavailable" };
  }
}
