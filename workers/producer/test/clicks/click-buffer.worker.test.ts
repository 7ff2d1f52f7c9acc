/**
 * The click buffer in workerd: real requests with their own waitUntil, real queues with a reader behind them
 * (vitest.config.ts), real KV, real time.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { encodeLinkRecord } from "@hopline/core/link/link-record";
import { decodeSegment, type Segment } from "@hopline/core/click/segment";
import { SPILL_KEY_PREFIX } from "@hopline/core/click/spill-key";
import { importSealKey } from "@hopline/sealing/seal-key";
import { openSealed } from "@hopline/sealing/seal";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import worker from "../../src/index.ts";
import { USER_AGENT } from "../../../../packages/core/test/click/a-click.ts";

const LINK_URL = "https://go.example.com/busy";
const ADDRESS = "203.0.113.77";
const REFUSING = { send: () => Promise.reject(new Error("Too Many Requests")) };
const ALL_REFUSE = { CLICKS_0: REFUSING, CLICKS_1: REFUSING, CLICKS_2: REFUSING, CLICKS_3: REFUSING };
const NO_SHARD = { CLICKS_0: undefined, CLICKS_1: undefined, CLICKS_2: undefined, CLICKS_3: undefined };

beforeEach(async () => {
  const record = {
    linkId: "0198f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f",
    version: 1,
    state: "live",
    url: "https://example.com/",
    redirectStatus: 302,
  } as const;
  await env.LINKS.put("go.example.com/busy", encodeLinkRecord(record));
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a visitor's own request", () => {
  it("sends the click after the linger, when nobody else comes", async () => {
    const before = await readQueues();
    expect((await visit()).status).toBe(302);
    expect(sizesOf(await waitForClicks(before, 1))).toEqual([1]);
  });

  it("has its answer before the click is sent", async () => {
    const { promise: isSent, resolve: letItBeSent } = Promise.withResolvers<void>();
    const taking = { send: () => isSent };
    const context = createExecutionContext();
    const request = new Request<unknown, IncomingRequestCfProperties>(LINK_URL);
    const shards: object = { CLICKS_0: taking, CLICKS_1: taking, CLICKS_2: taking, CLICKS_3: taking };
    const response = await worker.fetch(request, { ...env, ...shards }, context);
    expect(response.status).toBe(302);
    letItBeSent();
    await waitOnExecutionContext(context);
  });

  it("shares its segment with the others of the same moment", async () => {
    const before = await readQueues();
    const lingers = await countLingers(() => Promise.all(Array.from({ length: 50 }, visit)));
    const segments = await waitForClicks(before, 50);
    expect(segments.length).toBeLessThanOrEqual(2 + lingers);
    expectConsecutive(segments);
  });

  it("fills no segment with more than a hundred clicks", async () => {
    const before = await readQueues();
    const lingers = await countLingers(() => Promise.all(Array.from({ length: 250 }, visit)));
    const segments = await waitForClicks(before, 250);
    expect(Math.max(...sizesOf(segments))).toBeLessThanOrEqual(100);
    expect(segments.length).toBeLessThanOrEqual(7 + lingers);
    expectConsecutive(segments);
  });

  it("leaves its click behind when it is cancelled", async () => {
    const before = await readQueues();
    const controller = new AbortController();
    const response = await exports.default.fetch(LINK_URL, { redirect: "manual", signal: controller.signal });
    controller.abort();
    expect(response.status).toBe(302);
    await waitForClicks(before, 1);
  });
});

describe("with CLICK_LINGER_MS=0", () => {
  it("each click is a message of its own", async () => {
    const before = await readQueues();
    await Promise.all(Array.from({ length: 5 }, () => visitWith({ CLICK_LINGER_MS: "0" })));
    expect(sizesOf(await waitForClicks(before, 5))).toEqual([1, 1, 1, 1, 1]);
  });
});

describe("when no shard takes the clicks", () => {
  it.each([
    ["every shard refuses", ALL_REFUSE],
    ["there is none", NO_SHARD],
  ])(
    "because %s, they wait in the spill, which only the holder of the key can read",
    async (_why, shards) => {
      const lines = vi.spyOn(console, "log").mockImplementation(() => undefined);
      await visitWith(shards);
      const { keys } = await env.SPILL.list({ prefix: SPILL_KEY_PREFIX });
      expect(keys).toHaveLength(1);
      const name = keys[0]?.name ?? "";
      const sealed = (await env.SPILL.get(name)) ?? "";
      expectNothingReadable(sealed, name, lines.mock.calls);

      const segment = await open(sealed);
      expect(name).toBe(`spill/${segment.isolateId}/${String(segment.firstSequence).padStart(16, "0")}`);
      expect(segment.clicks[0]).toMatchObject({ address: "203.0.113.0", userAgent: USER_AGENT });
      await env.SPILL.delete(name);
    },
  );

  it("and KV too, the log holds them, readable to the holder of the key only", async () => {
    const lines = vi.spyOn(console, "log").mockImplementation(() => undefined);
    await visitWith({ ...NO_SHARD, SPILL: { put: () => Promise.reject(new Error("KV PUT failed: 503")) } });
    const line = lastOfSegments(lines.mock.calls);
    expect(line).toMatchObject({ event: "segment.logged", clicks: 1 });
    expectNothingReadable(lines.mock.calls);
    expect((await open(line.sealed)).clicks).toHaveLength(1);
  });

  it.each([undefined, "", "not a key"])(
    "and SEAL_KEY is %j, nothing is written but the loss",
    async (SEAL_KEY) => {
      const lines = vi.spyOn(console, "log").mockImplementation(() => undefined);
      await visitWith({ ...NO_SHARD, SEAL_KEY });
      expect(lastOfSegments(lines.mock.calls)).toMatchObject({
        event: "segment.lost",
        clicks: 1,
        reason: "seal_key_unusable",
      });
      expect((await env.SPILL.list()).keys).toEqual([]);
      expectNothingReadable(lines.mock.calls);
    },
  );
});

function visit(): Promise<Response> {
  return exports.default.fetch(LINK_URL, { redirect: "manual" });
}

/** How many lingers the visits take, at least one: as many segments more may be sent meanwhile. */
async function countLingers(visitAll: () => Promise<unknown>): Promise<number> {
  const startedAtMs = Date.now();
  await visitAll();
  return Math.ceil((Date.now() - startedAtMs + 1) / Number(env.CLICK_LINGER_MS));
}

/** A visit with other bindings; ends when nothing is left to do. */
async function visitWith(change: object): Promise<void> {
  const request = new Request<unknown, IncomingRequestCfProperties>(LINK_URL, {
    headers: { "cf-connecting-ip": ADDRESS, "user-agent": USER_AGENT },
  });
  const context = createExecutionContext();
  const response = await worker.fetch(request, { ...env, ...change }, context);
  await waitOnExecutionContext(context);
  expect(response.status).toBe(302);
}

/** What was logged of segments, the last line: other lines may come between. */
function lastOfSegments(calls: readonly (readonly unknown[])[]) {
  const lines = calls.map(([line]) => JSON.parse(String(line)));
  return lines.findLast(({ event }) => String(event).startsWith("segment."));
}

/** Every segment that the queues have delivered so far, once: a queue that is slow to say that it has one gets it again. */
async function readQueues(): Promise<readonly Segment[]> {
  const bodies: unknown = await (await env.QUEUE_READER.fetch("http://queue-reader/")).json();
  return [...new Set(Array.isArray(bodies) ? bodies : [])].map((body) => {
    const segment = decodeSegment(body);
    if (!segment.ok) {
      throw new Error(`not a segment: ${segment.error.field}`);
    }
    return segment.value;
  });
}

/** The segments that came since `before`, in the order of their numbers, as soon as they hold that many clicks. */
function waitForClicks(before: readonly Segment[], clicks: number): Promise<readonly Segment[]> {
  return vi.waitFor(
    async () => {
      const since = (await readQueues()).slice(before.length);
      expect(sizesOf(since).reduce((sum, size) => sum + size, 0)).toBe(clicks);
      return since.toSorted((left, right) => left.firstSequence - right.firstSequence);
    },
    { timeout: 20_000, interval: 20 },
  );
}

function sizesOf(segments: readonly Segment[]): readonly number[] {
  return segments.map(({ clicks }) => clicks.length);
}

/** No number twice, none left out. */
function expectConsecutive(segments: readonly Segment[]): void {
  const numbers = segments.flatMap(({ firstSequence, clicks }) =>
    clicks.map((_, index) => firstSequence + index),
  );
  const first = numbers[0] ?? 0;
  expect(numbers).toEqual(numbers.map((_, index) => first + index));
}

async function open(sealed: string): Promise<Segment> {
  const text = await openSealed(sealed, await importSealKey(env.SEAL_KEY));
  const segment = decodeSegment(text.ok ? text.value : null);
  if (!segment.ok) {
    throw new Error(`the sealed segment does not open: ${segment.error.field}`);
  }
  return segment.value;
}

function expectNothingReadable(...written: readonly unknown[]): void {
  expect(JSON.stringify(written)).not.toMatch(/203\.0\.113|Mozilla|Firefox|0198f3c2/);
}
