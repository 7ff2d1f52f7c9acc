/**
 * A deployment in virtual time: the feed's own storage (on SQLite) and pages, as far away as a test says; data centres with a
 * cache each; and isolates that come and go, with the redirect's own code for everything that follows the feed.
 */
import { DatabaseSync } from "node:sqlite";
import { setImmediate as turn } from "node:timers/promises";
import { type LinkKey, linkKeyOf } from "@hopline/core/link/link-address";
import { encodeLinkRecord } from "@hopline/core/link/link-record";
import { IsolateCache } from "@hopline/edge-cache/isolate-cache";
import { createReadThrough } from "@hopline/edge-cache/read-through";
import type { Visit } from "@hopline/edge-cache/read-through-ports";
import { decodeEdgeRecord } from "../../../../producer/src/find/edge-record.ts";
import { createAnnouncedChanges } from "../../../../producer/src/find/feed/announced-changes.ts";
import { applyCaughtUp } from "../../../../producer/src/find/feed/apply-changes.ts";
import { catchUp, type CaughtUp } from "../../../../producer/src/find/feed/catch-up.ts";
import { createFeedSource } from "../../../../producer/src/find/feed/feed-source.ts";
import { createChangeFollower } from "../../../../producer/src/find/feed/follow-changes.ts";
import { READ_SPREAD_MS } from "../../../../producer/src/find/feed/plan-read.ts";
import type { EdgeRecord } from "../../../../producer/src/ports.ts";
import { openChangeLog } from "../../../src/publishing/change-log.ts";
import { createFeedPages } from "../../../src/publishing/feed-pages.ts";

export const HOST = "go.example.com";
const T0_MS = 1_800_000_000_000;

export const keyOf = (slug: string): LinkKey => linkKeyOf(HOST, slug);

export function recordOf(version: number, change: { readonly state?: "live" | "deleted" } = {}): string {
  const { state = "live" } = change;
  const url = state === "live" ? `https://example.com/${version}` : "";
  return encodeLinkRecord({
    linkId: "0198f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f",
    version,
    state,
    url,
    redirectStatus: 302,
  });
}

export type FeedWorld = ReturnType<typeof createFeedWorld>;

/** A data centre keeps what it has read from KV. */
const KV_COPY_MS = 60_000;

export function createFeedWorld({ distanceMs = 0, random = Math.random, maxChanges = 300_000 } = {}) {
  let nowMs = T0_MS;
  let timers: { readonly atMs: number; readonly ring: () => void }[] = [];
  const wait = (ms: number) => new Promise<void>((ring) => void timers.push({ atMs: nowMs + ms, ring }));
  const storage = sqlite();
  const open = () => {
    const log = openChangeLog(storage, () => "feed-1", maxChanges);
    return { log, pages: createFeedPages(log) };
  };
  let feed = open();
  let isFeedDown = false;
  const kv = new Map<string, string>();
  const stored = new Map<string, string>();
  const counts = { feedReads: 0, lookUps: 0 };

  const object = {
    async fetch(url: string) {
      counts.feedReads += 1;
      await wait(distanceMs / 2);
      if (isFeedDown) {
        throw new Error("the feed is down");
      }
      const response = feed.pages.respond(new URL(url).pathname.slice(1), nowMs);
      await wait(distanceMs / 2);
      return response;
    },
  };

  /** One data centre: a Cache API in virtual time. */
  function createColo() {
    const kept = new Map<
      string,
      { readonly bytes: ArrayBuffer; readonly headers: Headers; readonly untilMs: number }
    >();
    const cache = {
      async match(url: unknown) {
        const found = kept.get(String(url));
        return found === undefined || found.untilMs <= nowMs
          ? undefined
          : new Response(found.bytes, { headers: found.headers });
      },
      async put(url: unknown, response: Response) {
        const maxAge = Number(/max-age=(\d+)/.exec(response.headers.get("cache-control") ?? "")?.[1] ?? 0);
        const bytes = await response.arrayBuffer();
        kept.set(String(url), { bytes, headers: response.headers, untilMs: nowMs + maxAge * 1_000 });
      },
    };
    const copies = new Map<LinkKey, { readonly text: string | null; readonly untilMs: number }>();
    const readKv = async (key: LinkKey): Promise<string | null> => {
      const copy = copies.get(key);
      if (copy !== undefined && copy.untilMs > nowMs) {
        return copy.text;
      }
      const text = kv.get(key) ?? null;
      copies.set(key, { text, untilMs: nowMs + KV_COPY_MS });
      return text;
    };
    return {
      createIsolate: (onHeard?: (caughtUp: CaughtUp) => void) => createIsolate({ cache, readKv }, onHeard),
    };
  }

  type Colo = { readonly cache: object; readonly readKv: (key: LinkKey) => Promise<string | null> };

  function createIsolate({ cache, readKv }: Colo, onHeard?: (caughtUp: CaughtUp) => void) {
    const held = new IsolateCache<EdgeRecord>({ nowMs: () => nowMs, random });
    const announced = createAnnouncedChanges(() => nowMs);
    announced.doubtKv(nowMs);
    let gaps = 0;
    const source = createFeedSource({
      // The two methods that are called of a namespace, a stub and a cache.
      namespace: { getByName: () => object } as never,
      openCache: () => cache as never,
      location: undefined,
      cacheHost: "feed.test.invalid",
      nowMs: () => nowMs,
    });
    const follower = createChangeFollower({
      catchUp: (state, onBehind) => catchUp(source, state, onBehind),
      expect: (untilMs) => announced.expect(untilMs),
      apply(caughtUp, isFirst) {
        applyCaughtUp({ cache: held, announced }, caughtUp, isFirst);
        gaps += !isFirst && caughtUp.missedUntilMs > -Infinity ? 1 : 0;
        onHeard?.(caughtUp);
      },
      giveUp: () => announced.trustKv(),
      noteRead: () => undefined,
      spreadMs: random() * READ_SPREAD_MS,
      nowMs: () => nowMs,
      wait,
      log: () => undefined,
    });
    const links = createReadThrough<LinkKey, EdgeRecord>({
      cache: held,
      kv: { load: readKv },
      origin: {
        async load(keys) {
          counts.lookUps += keys.length;
          return new Map(
            keys.flatMap((key) => (stored.has(key) ? [[key, stored.get(key) ?? ""] as const] : [])),
          );
        },
      },
      decode: decodeEdgeRecord,
      announced,
      nowMs: () => nowMs,
      wait,
      emit: () => undefined,
    });
    const poll = () => follower.poll(nowMs, () => undefined);
    return {
      poll,
      gaps: () => gaps,
      isKvDoubted: () => announced.isKvDoubted(),
      /** As the redirect does it: what is held if it may be trusted, else what the tiers say. */
      async visit(slug: string): Promise<string> {
        const visit: Visit = {
          defer: () => undefined,
          untilMs: Number.POSITIVE_INFINITY,
          announced: poll(),
          isRateLimited: () => false,
          chargeMiss: async () => undefined,
          creditHit: () => undefined,
        };
        const key = keyOf(slug);
        await visit.announced;
        const entry = links.get(key, nowMs, visit);
        const answer = entry === undefined ? await links.load(key, visit) : { kind: "found" as const, entry };
        if (answer.kind !== "found") {
          return answer.kind;
        }
        const { value } = answer.entry.kind === "live" ? answer.entry : { value: null };
        return value !== null && "url" in value ? value.url : "404";
      },
    };
  }

  return {
    kv,
    stored,
    counts,
    createColo,
    nowMs: () => nowMs,
    /** A publisher tells the feed; whether KV has it is the test's affair. */
    announce(
      changes: readonly { readonly key: LinkKey; readonly version: number; readonly recordText: string }[],
    ) {
      if (feed.log.append(changes, nowMs)) {
        feed.pages.outdate();
      }
    },
    setFeedDown(isDown: boolean) {
      isFeedDown = isDown;
    },
    /** As when the platform moves the object: what it has stored stays. */
    restartFeed() {
      feed = open();
    },
    /** Moves the clock to its next timer or by `ms`, whichever comes first, again and again. */
    async pass(ms: number): Promise<void> {
      const untilMs = nowMs + ms;
      await settle();
      for (;;) {
        const atMs = timers.reduce((next, timer) => Math.min(next, timer.atMs), Infinity);
        if (atMs > untilMs) {
          break;
        }
        nowMs = Math.max(nowMs, atMs);
        const due = timers.filter((timer) => timer.atMs <= nowMs);
        timers = timers.filter((timer) => timer.atMs > nowMs);
        due.forEach(({ ring }) => ring());
        await settle();
      }
      nowMs = untilMs;
    },
    /** The answer of a visit, however long it takes. */
    async answer<T>(work: Promise<T>): Promise<T> {
      let isDone = false;
      const done = work.finally(() => (isDone = true));
      while (!isDone) {
        await settle();
        if (!isDone) {
          await this.pass(5);
        }
      }
      return done;
    },
  };
}

async function settle(): Promise<void> {
  for (let turns = 0; turns < 4; turns += 1) {
    await turn();
  }
}

/** As much of a Durable Object's storage as the log uses. */
function sqlite(): Pick<DurableObjectStorage, "sql" | "transactionSync"> {
  const database = new DatabaseSync(":memory:");
  const prepared = new Map<string, ReturnType<typeof database.prepare>>();
  const exec = (text: string, ...values: readonly (string | number | null)[]) => {
    const statement = prepared.get(text) ?? database.prepare(text);
    prepared.set(text, statement);
    const rows = statement.all(...values);
    return { toArray: () => rows, one: () => rows[0] };
  };
  const storage = { sql: { exec }, transactionSync: <T>(work: () => T): T => work() };
  return storage as never;
}
