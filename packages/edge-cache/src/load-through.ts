/**
 * Loads one key: KV, then the database, into the isolate. Decides what a failure means; rejects only on a bug. KV is never
 * written from here: it has one writer, who publishes.
 */
import { isAbsence, type TierAnswer, type Tiers } from "./ask-tiers.ts";
import { createGroupedLookUps, SLACK_MS } from "./grouped-look-ups.ts";
import { Hedge } from "./hedge.ts";
import { type InFlight, InFlightReads } from "./in-flight.ts";
import { mayServeIfError } from "./last-known.ts";
import type { Answer, ReadThroughLimits, ReadThroughPorts, Visit } from "./read-through-ports.ts";
import { isTimeOut, type Timed, withTimeout } from "./with-timeout.ts";

type Found<V> = Extract<Answer<V>, { kind: "found" }>;

/** What KV comes to: an answer, or why the database has to be asked. */
export type KvAnswer<V> =
  | Found<V>
  | { readonly kind: "missing" | "damaged" | "outdated" | "failed" | "behind" };

export interface Loader<Key extends string, V> {
  /** From KV; concurrent readers of a key share one read. Where it is no answer, `loadFromOrigin` goes on. */
  loadFromKv(key: Key, visit: Visit): Promise<KvAnswer<V>>;
  /** From the database, in a group with others. `kvAnswer`: what KV said just before. */
  loadFromOrigin(key: Key, visit: Visit, kvAnswer: Exclude<KvAnswer<V>["kind"], "found">): Promise<Answer<V>>;
  /** Where KV has said that a key is missing, and the database is not asked: the next visitor asks neither. */
  holdAbsence(key: Key): void;
  /** What may be answered when no tier can say. */
  staleIfError(key: Key): Extract<Answer<V>, { kind: "found" }> | null;
}

/** Another's read is waited for this often; after two failures a visitor reads alone. */
const MAX_FOLLOWED = 2;

/** A database that visitors have not asked for so long may sleep: an early question would only wake it. */
const ASKED_WITHIN_MS = 300_000;

/** A statement that fails within this share of its time is asked once more; after it the visitor has waited long enough. */
const ASK_AGAIN_WITHIN_SHARE = 0.2;

export function createLoader<Key extends string, V>(
  { cache, kv, announced, nowMs, wait, emit }: ReadThroughPorts<Key, V>,
  limits: ReadThroughLimits,
  tiers: Tiers<Key, V>,
): Loader<Key, V> {
  const { originHealth, absences } = tiers;
  const reads = new InFlightReads<KvAnswer<V>>();
  const hedge = new Hedge();
  /** When the database was last asked for a key that KV did not give, epoch milliseconds. */
  let askedAtMs = -Infinity;
  const lookUps = createGroupedLookUps<Key, TierAnswer<V>>({
    ask: (keys) => tiers.askOrigin(keys),
    isFailing: (atMs) => originHealth.isFailing(atMs),
    nowMs,
    wait,
    limits,
  });

  async function follow(key: Key, visit: Visit, first: InFlight<KvAnswer<V>>): Promise<KvAnswer<V>> {
    let read: InFlight<KvAnswer<V>> | undefined = first;
    for (let followed = 0; followed < MAX_FOLLOWED && read !== undefined; followed += 1) {
      const { promise, untilMs } = read;
      emit({ event: "followed" });
      const timed = await withTimeout(() => promise, Math.min(untilMs, visit.untilMs) - nowMs(), wait);
      if (timed.kind === "done") {
        return timed.value;
      }
      if (nowMs() >= visit.untilMs) {
        return { kind: "failed" };
      }
      emit({ event: "leader_lost", reason: timed.reason });
      reads.forget(key, untilMs);
      const held = staleIfError(key);
      if (held !== null) {
        return held;
      }
      read = reads.find(key, nowMs());
    }
    return lead(key, visit);
  }

  /** Not deferred: `waitUntil` costs as much as all the rest of a KV hit, and followers have a bound of their own. */
  function lead(key: Key, visit: Visit): Promise<KvAnswer<V>> {
    const untilMs = nowMs() + limits.kvTimeoutMs + SLACK_MS;
    const promise = readKv(key, visit, untilMs);
    reads.start(key, { promise, untilMs }, nowMs());
    return promise;
  }

  async function readKv(key: Key, visit: Visit, untilMs: number): Promise<KvAnswer<V>> {
    const timed = await askKv(key, visit);
    if ("found" in timed) {
      reads.forget(key, untilMs);
      return timed.found;
    }
    if (visit.announced !== null) {
      // KV was read meanwhile; what it says is judged by the announcements.
      await visit.announced;
    }
    reads.forget(key, untilMs);
    const said = tiers.judgeKv(key, timed);
    if (said.kind !== "found") {
      return said;
    }
    const { entry, version } = said;
    if (nowMs() < entry.freshUntilMs) {
      return { kind: "found", entry, tier: entry.version === version ? "kv" : "isolate" };
    }
    emit({ event: "behind", tier: "kv" });
    return { kind: "behind" };
  }

  /** What KV says; or what the database does, if KV is slow and the database has a link. */
  async function askKv(key: Key, visit: Visit): Promise<Timed<unknown> | { readonly found: Found<V> }> {
    const startedAtMs = nowMs();
    const limitMs = Math.min(limits.kvTimeoutMs, visit.untilMs - startedAtMs);
    const firstMs = Math.min(limitMs, visit.isBehind ? limitMs : hedge.afterMs);
    const note = (): void => hedge.note(nowMs() - startedAtMs);
    let read: Promise<unknown> | undefined;
    // One timer for a read that is fast: it costs as much as all the rest of a KV hit.
    const first = await withTimeout(() => (read = kv.load(key)), firstMs, wait);
    const early = read;
    if (early === undefined || firstMs >= limitMs || !isTimeOut(first)) {
      note();
      return first;
    }
    const reading = withTimeout(() => early, limitMs - firstMs, wait);
    void reading.then(note);
    return mayHedge(key, visit) ? firstGood(reading, lookUp(key, visit)) : reading;
  }

  function mayHedge(key: Key, visit: Visit): boolean {
    const now = nowMs();
    const isAllowed = cache.peek(key)?.kind === "live" || absences.allows(now, lookUps.countKeys(now));
    const isAwake = now - askedAtMs < ASKED_WITHIN_MS && !originHealth.isFailing(now);
    if (!isAwake || visit.isRateLimited() || !isAllowed || !hedge.take()) {
      return false;
    }
    emit({ event: "hedged" });
    return true;
  }

  async function lookUp(key: Key, visit: Visit): Promise<Answer<V>> {
    const arrivals = announced.arrivals(key);
    let found = await lookUps.find(key, visit);
    if (found.kind === "done" && isAbsence(found.said) && announced.arrivals(key) !== arrivals) {
      // Keys have come into being while the database was asked: "there is none" may be older than they are.
      cache.delete(key);
      found = await lookUps.find(key, visit);
    }
    if (found.kind === "busy") {
      return staleIfError(key) ?? { kind: "refused", reason: "busy" };
    }
    if (found.kind !== "done" || found.said.kind !== "found") {
      return staleIfError(key) ?? { kind: "unavailable" };
    }
    const { said, isFirst } = found;
    if (isFirst && !isAbsence(said)) {
      visit.creditHit();
    } else if (isFirst) {
      visit.defer(withTimeout(visit.chargeMiss, limits.originTimeoutMs, wait));
    }
    return { kind: "found", entry: said.entry, tier: "db" };
  }

  function staleIfError(key: Key): Extract<Answer<V>, { kind: "found" }> | null {
    const held = cache.peek(key);
    const now = nowMs();
    const lastKnown = { ...limits, nowMs: now, workedUntilMs: tiers.workedUntilMs(now), announced };
    return mayServeIfError(held, lastKnown) ? { kind: "found", entry: held, tier: "stale" } : null;
  }

  return {
    loadFromKv(key, visit) {
      const read = reads.find(key, nowMs());
      return read === undefined ? lead(key, visit) : follow(key, visit, read);
    },
    async loadFromOrigin(key, visit, kvAnswer) {
      const isHeld = cache.peek(key)?.kind === "live";
      const wasFailing = originHealth.isFailing(nowMs());
      const held = staleIfError(key);
      if (held !== null && wasFailing) {
        if (originHealth.takeProbe(nowMs())) {
          visit.defer(lookUp(key, visit));
        }
        return held;
      }
      if (!isHeld && visit.isRateLimited()) {
        // Where KV could not say, this may be a link that it has: no fault of the visitor's.
        return held ?? { kind: "refused", reason: kvAnswer === "failed" ? "exhausted" : "visitor" };
      }
      if (!isHeld && !absences.allows(nowMs(), lookUps.countKeys(nowMs()))) {
        return held ?? { kind: "refused", reason: "exhausted" };
      }
      const startedAtMs = nowMs();
      askedAtMs = startedAtMs;
      const answer = await lookUp(key, visit);
      const hasFailedAtOnce =
        answer.kind === "unavailable" &&
        nowMs() - startedAtMs < limits.originTimeoutMs * ASK_AGAIN_WITHIN_SHARE;
      // One broken connection must not cost a hundred visitors their redirect: their keys join the next statement, once.
      return hasFailedAtOnce && !wasFailing ? lookUp(key, visit) : answer;
    },
    holdAbsence: (key) => tiers.holdAbsence(key),
    staleIfError,
  };
}

/** KV's answer, unless the database has a link before. */
function firstGood<V>(
  reading: Promise<Timed<unknown>>,
  asked: Promise<Answer<V>>,
): Promise<Timed<unknown> | { readonly found: Found<V> }> {
  return new Promise((resolve, reject) => {
    void reading.then(resolve);
    asked.then((answer) => {
      if (answer.kind === "found" && answer.tier === "db" && answer.entry.version > 0) {
        resolve({ found: answer });
      }
    }, reject);
  });
}
