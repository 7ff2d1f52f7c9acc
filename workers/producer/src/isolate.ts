/**
 * Everything that outlives a request in this Worker, and the redirect's ports over it and the bindings. Plain data only; a
 * request, a context or an unsettled promise kept here would hang a later visitor.
 */
import { importSealKey } from "@hopline/sealing/seal-key";
import { seal } from "@hopline/sealing/seal";
import { CLOCK_NAME } from "@hopline/core/clock/work-clock";
import { fitsKvKey } from "@hopline/core/link/link-address";
import { IsolateCache } from "@hopline/edge-cache/isolate-cache";
import { createReadThrough } from "@hopline/edge-cache/read-through";
import { DEFAULT_LIMITS } from "@hopline/edge-cache/read-through-ports";
import type { CapClaimDeps, UsedUpLinks } from "./answer/cap-claims.ts";
import { createPasswordLimit } from "./answer/password/password-limit.ts";
import { type ClickBuffer, createClickBuffer } from "./clicks/click-buffer.ts";
import { findClickShards } from "./clicks/queue-shards.ts";
import { createClickRecorder } from "./clicks/send-clicks.ts";
import { decodeEdgeRecord } from "./find/edge-record.ts";
import { type AnnouncedChanges, createAnnouncedChanges } from "./find/feed/announced-changes.ts";
import type { applyCaughtUp } from "./find/feed/apply-changes.ts";
import { createChangeFollower } from "./find/feed/follow-changes.ts";
import { READ_SPREAD_MS } from "./find/feed/plan-read.ts";
import { createMissLimit, type NetworkNotes } from "./find/miss-limit.ts";
import { createPostgres } from "./find/postgres.ts";
import { logFailure, logToConsole } from "./log.ts";
import { type AnswerMeter, createAnswerMeter } from "./metrics/answer-meter.ts";
import { createAnswerCounter } from "./metrics/count-answers.ts";
import type { MissMeter } from "./metrics/miss-meter.ts";
import type {
  CapClaims,
  ChangeFollower,
  ClickRecorder,
  ClickShard,
  EdgeRecord,
  LinkDirectory,
  RedirectDeps,
} from "./ports.ts";
import { readSettings, type Settings } from "./settings.ts";

type IsolateState = {
  readonly cache: IsolateCache<EdgeRecord>;
  /** What the change feed has said in the last minutes. */
  readonly announced: AnnouncedChanges;
  readonly clicks: ClickBuffer;
  readonly answers: AnswerMeter;
  /** `null`: nothing was asked for that is not there. */
  readonly misses: { meter: MissMeter | null };
  /** Counted since the last report. */
  readonly asked: Asked;
  readonly networks: NetworkNotes;
  readonly usedUp: UsedUpLinks;
  /** Until when they stay full, epoch milliseconds. */
  readonly fullPasswordCounts: Map<string, number>;
};

/** Keys that KV and the database were asked for, and those for which the next tier was asked early. */
type Asked = { kv: number; db: number; hedged: number };

/** The clock keeps it for longer (SPILLED_FOR_MS in packages/core/src/clock/work-clock.ts). */
const SPILL_ANNOUNCED_EVERY_MS = 10_000;

let state: IsolateState | undefined;

/** An isolate has one `env` for its whole life: its ports are made with the first request. */
let bound: { readonly env: ProducerEnv; readonly deps: RedirectDeps } | undefined;

export function depsOf(env: ProducerEnv): RedirectDeps {
  if (bound?.env !== env) {
    // With the first request: workerd gives out no randomness before one.
    state ??= createState();
    bound = { env, deps: createDeps(env, state) };
  }
  return bound.deps;
}

function createState(): IsolateState {
  const cache = new IsolateCache<EdgeRecord>({ nowMs: Date.now, random: Math.random });
  const asked: Asked = { kv: 0, db: 0, hedged: 0 };
  const misses: IsolateState["misses"] = { meter: null };
  const takeFacts = () => {
    const { liveEntries, liveBytes, negativeEntries, negativeBytes } = cache.sizes();
    const counted = { ...asked, ...cache.takePressure(), buffered: clicks.countClicks() };
    Object.assign(asked, { kv: 0, db: 0, hedged: 0 });
    return { ...counted, entries: liveEntries + negativeEntries, bytes: liveBytes + negativeBytes };
  };
  const answers = createAnswerMeter(takeFacts, (nowMs) => misses.meter?.take(nowMs) ?? []);
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  const isolateId = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const clicks = createClickBuffer(isolateId, (nowMs) => answers.takeReport(nowMs));
  return {
    answers,
    misses,
    asked,
    cache,
    announced: createAnnouncedChanges(Date.now),
    clicks,
    networks: { limitedUntilMs: new Map(), hits: new Map() },
    usedUp: new Map(),
    fullPasswordCounts: new Map(),
  };
}

function createDeps(env: ProducerEnv, isolate: IsolateState): RedirectDeps {
  const settings = readSettings(env);
  const postgres = createPostgres(
    { databaseUrl: env.DATABASE_URL, sqlEndpoint: env.NEON_SQL_ENDPOINT },
    settings.databaseTimeoutMs,
  );
  const links: LinkDirectory = createReadThrough(
    {
      cache: isolate.cache,
      // A data centre keeps what it read for 60 s, which is KV's default; each option that is named costs on every read.
      kv: {
        load(key) {
          isolate.asked.kv += 1;
          return fitsKvKey(key) ? env.LINKS.get(key) : Promise.resolve(null);
        },
      },
      origin: {
        load(keys) {
          isolate.asked.db += keys.length;
          return postgres.links.load(keys);
        },
      },
      decode: decodeEdgeRecord,
      announced: isolate.announced,
      nowMs: Date.now,
      wait: waitFor,
      emit(event) {
        isolate.asked.hedged += event.event === "hedged" ? 1 : 0;
        logFailure(event, logToConsole);
      },
    },
    { ...DEFAULT_LIMITS, kvTimeoutMs: settings.kvTimeoutMs, originTimeoutMs: settings.databaseTimeoutMs },
  );
  const shards = findClickShards(env);
  return {
    links,
    changes: settings.followsChanges ? followChanges(env, isolate, settings) : { poll: () => null },
    misses: createMissLimit(env.MISS_LIMIT, isolate.networks, Date.now),
    passwords: createPasswordLimit(
      {
        byNetwork: env.PASSWORD_LIMIT,
        byLink: env.PASSWORD_LINK_LIMIT,
        beyond: env.PASSWORD_BEYOND_LIMIT,
      },
      { full: isolate.fullPasswordCounts, nowMs: Date.now, log: logToConsole },
    ),
    secret: env.SEAL_KEY,
    caps: claimLater({
      claim: postgres.claim,
      giveBack: postgres.giveBack,
      timeoutMs: settings.databaseTimeoutMs,
      usedUp: isolate.usedUp,
      nowMs: Date.now,
      random: Math.random,
      wait: waitFor,
    }),
    clicks: recordClicks(env, isolate, settings, shards),
    answers: createAnswerCounter({
      meter: isolate.answers,
      async loadMisses() {
        const { createMissMeter } = await import("./metrics/miss-meter.ts");
        return (isolate.misses.meter ??= createMissMeter(crypto.getRandomValues(new Uint32Array(1))[0] ?? 0));
      },
      buffer: isolate.clicks,
      shards,
      random: Math.random,
      log: logToConsole,
    }),
    forwardToApi: (request) => env.API.fetch(request),
    visitTimeoutMs: settings.visitTimeoutMs,
    nowMs: Date.now,
    wait: waitFor,
    log: logToConsole,
  };
}

/** Loaded with the first claim, as the database driver is: most isolates have no link with a strict cap. */
function claimLater(deps: CapClaimDeps): CapClaims {
  let opened: CapClaims | undefined;
  return {
    async claim(link, visit) {
      const { createCapClaims } = await import("./answer/cap-claims.ts");
      opened ??= createCapClaims(deps);
      return opened.claim(link, visit);
    },
  };
}

function followChanges(
  env: ProducerEnv,
  { cache, announced, answers }: IsolateState,
  { feedCacheHost }: Settings,
): ChangeFollower {
  answers.noteFeed(Date.now());
  // Until the feed has been read, KV may lack whatever it will say.
  announced.doubtKv(Date.now());
  let applyRead: typeof applyCaughtUp = () => {
    throw new Error("invariant: what was read of the feed is applied after a read");
  };
  return createChangeFollower({
    // Loaded behind the first response, or beside its read of KV.
    async catchUp(state, onBehind) {
      const [{ catchUp }, { createFeedSource }, applying] = await Promise.all([
        import("./find/feed/catch-up.ts"),
        import("./find/feed/feed-source.ts"),
        import("./find/feed/apply-changes.ts"),
      ]);
      applyRead = applying.applyCaughtUp;
      const source = createFeedSource({
        namespace: env.CHANGE_FEED,
        location: env.CHANGE_FEED_LOCATION,
        cacheHost: feedCacheHost,
        openCache: () => caches.default,
        nowMs: Date.now,
      });
      return catchUp(source, state, onBehind);
    },
    apply(caughtUp, isFirst) {
      applyRead({ cache, announced }, caughtUp, isFirst);
      if (!isFirst && caughtUp.missedUntilMs > -Infinity) {
        answers.noteGap();
      }
    },
    expect: (untilMs) => announced.expect(untilMs),
    giveUp: () => announced.trustKv(),
    noteRead: (knownAtMs) => answers.noteFeed(knownAtMs),
    spreadMs: Math.random() * READ_SPREAD_MS,
    nowMs: Date.now,
    wait: waitFor,
    log: logToConsole,
  });
}

function recordClicks(
  env: ProducerEnv,
  { clicks }: IsolateState,
  { lingerMs }: Settings,
  shards: readonly ClickShard[],
): ClickRecorder {
  let spillAnnouncedAtMs = 0;
  return createClickRecorder({
    buffer: clicks,
    shards,
    // A namespace of its own, so that listing it finds segments only.
    spill: {
      put: (key, sealedSegment) => env.SPILL.put(key, sealedSegment),
      async announce() {
        if (Date.now() - spillAnnouncedAtMs > SPILL_ANNOUNCED_EVERY_MS) {
          await env.CHANGE_FEED.getByName(CLOCK_NAME).fetch("https://clock/clock/spilled", {
            method: "POST",
          });
          // Not before: what was not heard is announced again with the next segment.
          spillAnnouncedAtMs = Date.now();
        }
      },
    },
    // The key is imported each time: a promise of it must not be shared between requests.
    seal: async (text) => seal(text, await importSealKey(env.SEAL_KEY)),
    lingerMs,
    nowMs: Date.now,
    wait: waitFor,
    random: Math.random,
    log: logToConsole,
  });
}

/**
 * Resolves after so many milliseconds, unless the request has been ended: a timer ends with its request. By `setTimeout`, because a call of
 * `scheduler.wait` takes 19,000 instructions and one of `setTimeout` 8,000 (callgrind, workerd 1.20261102), and each look-up
 * in KV starts one.
 */
function waitFor(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
