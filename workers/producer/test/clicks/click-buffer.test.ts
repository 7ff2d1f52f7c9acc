import { type EncodedSegment, encodeClick, joinSegment } from "@hopline/core/click/segment";
import { describe, expect, it } from "vitest";
import {
  ABANDONED_AFTER_MS,
  type ClickBuffer,
  createClickBuffer,
  LINGER_GRACE_MS,
} from "../../src/clicks/click-buffer.ts";
import { aClick } from "../../../../packages/core/test/click/a-click.ts";

const ISOLATE_ID = "00c0ffee12345678";
const LINGER_MS = 100;
const A_CLICK = encodeClick(aClick());

/** First sequence number and count of each segment. */
function numbers(segments: readonly (EncodedSegment | null)[]): readonly (readonly [number, number])[] {
  return segments.flatMap((segment) =>
    segment === null ? [] : [[segment.firstSequence, segment.clicks.length] as const],
  );
}

function add(buffer: ClickBuffer, times: number, nowMs = 0): readonly EncodedSegment[] {
  return Array.from({ length: times }, () => buffer.add(A_CLICK, nowMs, LINGER_MS)).flatMap(
    ({ send }) => send,
  );
}

describe("the first click in an empty buffer", () => {
  it("starts the linger, and those after it wait for it", () => {
    const buffer = createClickBuffer(ISOLATE_ID);
    const steps = [0, 10, 20].map((nowMs) => buffer.add(A_CLICK, nowMs, LINGER_MS));
    expect(steps).toEqual([
      { send: [], linger: 1 },
      { send: [], linger: null },
      { send: [], linger: null },
    ]);
    expect(numbers([buffer.takeBatch(1, 100)])).toEqual([[1, 3]]);
  });

  it("starts it again after each flush, under the next number", () => {
    const buffer = createClickBuffer(ISOLATE_ID);
    add(buffer, 3);
    buffer.takeBatch(1, 100);
    expect(buffer.add(A_CLICK, 200, LINGER_MS).linger).toBe(4);
  });

  it("goes at once with a linger of 0", () => {
    const buffer = createClickBuffer(ISOLATE_ID);
    const steps = [0, 0].map((nowMs) => buffer.add(A_CLICK, nowMs, 0));
    expect(steps.map(({ send }) => numbers(send))).toEqual([[[1, 1]], [[2, 1]]]);
    expect(steps.map(({ linger }) => linger)).toEqual([null, null]);
  });
});

describe("a batch", () => {
  it("goes early at a hundred clicks, and its linger then finds nothing", () => {
    const buffer = createClickBuffer(ISOLATE_ID);
    expect(numbers(add(buffer, 100))).toEqual([[1, 100]]);
    expect(buffer.takeBatch(1, 100)).toBeNull();
  });

  it("is not taken by the linger of the one before", () => {
    const buffer = createClickBuffer(ISOLATE_ID);
    add(buffer, 101);
    expect(buffer.takeBatch(1, 100)).toBeNull();
    expect(numbers([buffer.takeBatch(101, 110)])).toEqual([[101, 1]]);
  });

  it("is taken once, whoever comes first", () => {
    const buffer = createClickBuffer(ISOLATE_ID);
    add(buffer, 2);
    expect(numbers([buffer.takeBatch(1, 100), buffer.takeBatch(1, 100)])).toEqual([[1, 2]]);
  });

  it.each([
    ["plain text", "x"],
    ["text of three bytes a unit", "漢"],
    ["text of six bytes a unit", "\ud83d"],
    ["text that JSON escapes", '"'],
  ])("goes before it grows past 60,000 bytes of %s", (_what, unit) => {
    const buffer = createClickBuffer(ISOLATE_ID);
    const click = encodeClick(aClick({ userAgent: unit.repeat(512), referrer: unit.repeat(256) }));
    const sent = Array.from({ length: 200 }, () => buffer.add(click, 0, LINGER_MS)).flatMap(
      ({ send }) => send,
    );
    const sizes = sent.map((segment) => new TextEncoder().encode(joinSegment(segment)).length);
    expect(sent.length).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(60_000);
  });

  it("of any one click that the edge can make is far below the limit", () => {
    const worst = (length: number): string => "\u0001".repeat(length);
    const place = worst(64);
    const click = aClick({
      address: worst(43),
      userAgent: worst(512),
      referrer: worst(256),
      acceptLanguage: place,
      purpose: place,
      country: place,
      region: place,
      city: place,
      continent: place,
      colo: place,
    });
    expect(new TextEncoder().encode(encodeClick(click)).length).toBeLessThan(15_000);
  });
});

describe("when the request that holds the linger is gone", () => {
  it("a later click takes the overdue batch with it", () => {
    const buffer = createClickBuffer(ISOLATE_ID);
    add(buffer, 3, 0);
    const step = buffer.add(A_CLICK, LINGER_MS + LINGER_GRACE_MS + 1, LINGER_MS);
    expect([numbers(step.send), step.linger]).toEqual([[[1, 4]], null]);
  });

  it("a request that brings no click takes it, too, once", () => {
    const buffer = createClickBuffer(ISOLATE_ID);
    add(buffer, 3, 0);
    const atMs = LINGER_MS + LINGER_GRACE_MS;
    const steps = [atMs, atMs + 1, atMs + 2].map((nowMs) => numbers(buffer.takeOverdue(nowMs, LINGER_MS)));
    expect(steps).toEqual([[], [[1, 3]], []]);
  });

  it("a request that brings no click takes an abandoned segment, too", () => {
    const buffer = createClickBuffer(ISOLATE_ID);
    add(buffer, 100, 0);
    expect(numbers(buffer.takeOverdue(ABANDONED_AFTER_MS, LINGER_MS))).toEqual([]);
    expect(numbers(buffer.takeOverdue(ABANDONED_AFTER_MS + 1, LINGER_MS))).toEqual([[1, 100]]);
  });

  it("stays while the linger may still end", () => {
    const buffer = createClickBuffer(ISOLATE_ID);
    add(buffer, 3, 0);
    expect(buffer.add(A_CLICK, LINGER_MS + LINGER_GRACE_MS, LINGER_MS).send).toEqual([]);
  });
});

describe("a segment in flight", () => {
  it("is given out again, under its numbers, when nobody settled it", () => {
    const buffer = createClickBuffer(ISOLATE_ID);
    const [sent] = add(buffer, 100, 0);
    const before = buffer.add(A_CLICK, ABANDONED_AFTER_MS, 0);
    const after = buffer.add(A_CLICK, ABANDONED_AFTER_MS + 1, 0);
    expect(numbers(before.send)).toEqual([[101, 1]]);
    expect(numbers(after.send)).toEqual([
      [1, 100],
      [102, 1],
    ]);
    expect(after.send[0]).toBe(sent);
  });

  it("is left to the request that took it over, for as long again", () => {
    const buffer = createClickBuffer(ISOLATE_ID);
    add(buffer, 100, 0);
    const atMs = ABANDONED_AFTER_MS + 1;
    const steps = [atMs, atMs + 1, 2 * atMs].map((nowMs) => buffer.add(A_CLICK, nowMs, LINGER_MS).send);
    expect(steps.map((send) => send.some((segment) => segment.firstSequence === 1))).toEqual([
      true,
      false,
      true,
    ]);
  });

  it("is forgotten when it is settled", () => {
    const buffer = createClickBuffer(ISOLATE_ID);
    const [sent] = add(buffer, 100, 0);
    expect([buffer.countInFlight(), buffer.countClicks()]).toEqual([1, 100]);
    if (sent !== undefined) {
      buffer.settle(sent);
    }
    expect([buffer.countInFlight(), buffer.countClicks()]).toEqual([0, 0]);
    expect(buffer.add(A_CLICK, ABANDONED_AFTER_MS * 2, LINGER_MS).send).toEqual([]);
  });

  it("is counted among the clicks that no queue has, with those that wait", () => {
    const buffer = createClickBuffer(ISOLATE_ID);
    add(buffer, 103, 0);
    expect(buffer.countClicks()).toBe(103);
  });

  it("comes back one at a time, however many were abandoned", () => {
    const buffer = createClickBuffer(ISOLATE_ID);
    add(buffer, 300, 0);
    const steps = [1, 2, 3, 4].map((ms) => buffer.add(A_CLICK, ABANDONED_AFTER_MS + ms, LINGER_MS).send);
    expect(steps.map(numbers)).toEqual([[[1, 100]], [[101, 100]], [[201, 100]], []]);
  });
});
