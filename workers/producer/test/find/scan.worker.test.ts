/**
 * 20,000 made-up slugs from as many networks, through the real producer, with 1,000 live links under traffic. What one
 * isolate may cost the database is stated by DEFAULT_LIMITS.absences, and it is held here.
 *
 * The clock is virtual: 200 scanners a second, forty times what the database is asked for, and as many visitors, for the
 * 100 seconds in which a link becomes stale three times. KV is a Map.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { LONGEST_POLL_MS } from "@hopline/edge-cache/poll-until";
import { DEFAULT_LIMITS } from "@hopline/edge-cache/read-through-ports";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import worker from "../../src/index.ts";
import { aDomainText, aFakeNeon, aRecordText } from "../fake-neon.ts";

const HOST = "go.example.com";
const LINKS = 1_000;
const RANDOM_SLUGS = 20_000;
const SCANNERS_PER_SECOND = 200;
const neon = aFakeNeon();
const published = new Map<string, string>();
let kvReads = 0;
/** The next timer is that of a read in KV, which is there at once. */
let isTimerOfRead = false;
let limitCalls = 0;
let clockMs = 1_795_000_000_000;
let seed = 1;

const queue = { send: async () => undefined };
const bindings = {
  ...env,
  // Longer than the waits below, which end at once.
  CLICK_LINGER_MS: "1000",
  CLICKS_0: queue,
  CLICKS_1: queue,
  CLICKS_2: queue,
  CLICKS_3: queue,
  LINKS: {
    get: async (key: string) => {
      kvReads += 1;
      isTimerOfRead = true;
      return published.get(key) ?? null;
    },
  },
  // As many networks as slugs: no network ever reaches its own limit.
  MISS_LIMIT: {
    limit: async () => {
      limitCalls += 1;
      return { success: true };
    },
  },
};

beforeAll(() => {
  vi.spyOn(globalThis, "fetch").mockImplementation(neon.answer);
  vi.spyOn(Date, "now").mockImplementation(() => clockMs);
  // Nothing hangs here, and 40,000 visitors in one test's context are more timers than workerd gives a request: only the
  // wait for the next statement or a slot ends, at once, and takes its time on the virtual clock.
  vi.spyOn(globalThis, "setTimeout").mockImplementation((fire: () => void, ms = 0) => {
    if (!isTimerOfRead && ms > 0 && ms <= LONGEST_POLL_MS) {
      clockMs += ms;
      queueMicrotask(fire);
    }
    isTimerOfRead = false;
    return 0;
  });
  published.set(`${HOST}/@`, aDomainText());
  for (let number = 0; number < LINKS; number += 1) {
    // Every tenth is in the database alone: a publish that got lost.
    const text = aRecordText({ url: `https://example.com/${number}` });
    neon.records.set(`${HOST}/link-${number}`, text);
    if (number % 10 !== 0) {
      published.set(`${HOST}/link-${number}`, text);
    }
  }
});

afterAll(() => {
  vi.restoreAllMocks();
});

it("costs the database no more than was stated, and live links keep answering from the isolate", async () => {
  // The isolate reads the change feed: until then it would ask the database for what KV says, too.
  const first = createExecutionContext();
  expect((await visit("", first)).status).toBe(404);
  await waitOnExecutionContext(first);
  neon.queries = 0;
  for (let number = 0; number < LINKS; number += 1) {
    expect(statusAndTier(await visit(`link-${number}`))).toMatch(/^302 (kv|db)$/);
  }
  const queriesBefore = neon.queries;
  expect(queriesBefore).toBe(LINKS / 10);

  const startedAtMs = clockMs;
  const answers = { known: new Map<string, number>(), unknown: new Map<string, number>() };
  for (let number = 0; number < RANDOM_SLUGS; number += 1) {
    clockMs += 1_000 / SCANNERS_PER_SECOND;
    count(answers.unknown, statusAndTier(await visit(randomSlug())));
    count(answers.known, statusAndTier(await visit(`link-${pick(LINKS)}`)));
  }

  const seconds = (clockMs - startedAtMs) / 1_000;
  const { burst, perSecond } = DEFAULT_LIMITS.absences;
  // Nobody was told that a link does not exist without the database having said so.
  const lookedUpForNothing = answers.unknown.get("404 db") ?? 0;
  const refreshes = neon.queries - queriesBefore - lookedUpForNothing;
  expect(lookedUpForNothing).toBeLessThanOrEqual(burst + perSecond * seconds + refreshes / 20);
  expect(lookedUpForNothing).toBeGreaterThan(burst);
  // A link that KV does not have is looked up again when it has become stale, after 27 s at the earliest.
  expect(refreshes).toBeLessThanOrEqual((LINKS / 10) * Math.ceil(seconds / 27));
  expect([...answers.unknown.keys()].toSorted()).toEqual(["404 db", "503 -"]);
  // Each live link is visited every five seconds: fresh or refreshed behind the answer, never loaded in front of it
  // unless it has not been asked for in a minute.
  const fromIsolate = (answers.known.get("302 isolate") ?? 0) + (answers.known.get("302 stale") ?? 0);
  expect(fromIsolate / RANDOM_SLUGS).toBeGreaterThan(0.99);
  expect([...answers.known.keys()].every((answer) => answer.startsWith("302 "))).toBe(true);
  expect(limitCalls).toBeGreaterThan(0);
  expect(kvReads).toBeLessThan(RANDOM_SLUGS + LINKS * Math.ceil(seconds / 27));
});

async function visit(slug: string, ctx = createExecutionContext()): Promise<Response> {
  const request = new Request<unknown, IncomingRequestCfProperties>(`https://${HOST}/${slug}`, {
    headers: { "hopline-debug": "1", "cf-connecting-ip": `${pick(224)}.${pick(256)}.${pick(256)}.7` },
  });
  return worker.fetch(request, bindings as unknown as typeof env, ctx);
}

function statusAndTier(response: Response): string {
  return `${response.status} ${response.headers.get("server-timing") ?? "-"}`;
}

function count(counts: Map<string, number>, answer: string): void {
  counts.set(answer, (counts.get(answer) ?? 0) + 1);
}

/** Uniform in [0, below); the same numbers in each run (Park and Miller's generator). */
function pick(below: number): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % below;
}

function randomSlug(): string {
  return `${pick(2_147_483_647).toString(36)}${pick(2_147_483_647).toString(36)}`;
}
