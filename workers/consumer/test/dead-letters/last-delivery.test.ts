import { encodeSegment } from "@hopline/core/click/segment";
import { describe, expect, it } from "vitest";
import { isDeadLetterQueue, LAST_DELIVERY } from "../../src/dead-letters/last-delivery.ts";
import { handleBatch } from "../../src/ingest/handle-batch.ts";
import { aMessage, aSegment, aStage, databaseError, segmentMessage, T0 } from "../consumer-stage.ts";

const QUEUE = "hopline-clicks-dead";
const isDown = () => Promise.reject(new Error("connection refused"));

describe("a message of the dead-letter queue", () => {
  it("is written like any other once the database is back, and nothing is left for a person", async () => {
    const stage = aStage();
    const messages = Array.from({ length: 100 }, (_, index) => segmentMessage(1 + index * 10, 10));
    await handleBatch(QUEUE, messages, stage.deps);
    expect(stage.batches.map(({ rows }) => rows.length)).toEqual([1_000]);
    expect(messages.map(({ settled }) => settled)).toEqual(messages.map(() => "ack"));
    expect(stage.letters).toEqual([]);
  });

  it("is buried for its content only: the click that is refused, and what is not a segment", async () => {
    const stage = aStage({
      insertClicks: ({ rows }) =>
        rows.some(({ eventId }) => eventId.endsWith("8"))
          ? Promise.reject(databaseError("23514"))
          : Promise.resolve(rows.length),
    });
    await handleBatch(QUEUE, [segmentMessage(7, 3), aMessage({ format: 9 })], stage.deps);
    expect(stage.letters).toMatchObject([
      { kind: "click_refused", reason: "23514", source: QUEUE, clicks: { firstSequence: 8, count: 1 } },
      { kind: "message_undecodable", reason: "format", clicks: null },
    ]);
    expect(stage.log[0]).toMatchObject({ event: "batch.inserted", inserted: 2, refused: 1 });
  });

  it("that crashed a hundred times is written but for the click that crashes", async () => {
    const { visitorKeys } = aStage().deps;
    const crashOnDay = "2026-11-22";
    const stage = aStage({
      visitorKeys: {
        sign: (day, text) =>
          day === crashOnDay || visitorKeys === null
            ? Promise.reject(new TypeError("a bug of ours"))
            : visitorKeys.sign(day, text),
      },
    });
    const crashing = (index: number) => ({ clickedAtMs: index === 1 ? Date.parse(crashOnDay) : T0 });
    const message = aMessage(encodeSegment(aSegment(7, 3, crashing)));
    await handleBatch(QUEUE, [message], stage.deps);
    expect(message.settled).toBe("ack");
    expect(stage.batches.flatMap(({ rows }) => rows)).toHaveLength(2);
    expect(stage.letters).toMatchObject([{ kind: "click_refused", clicks: { firstSequence: 8, count: 1 } }]);
  });

  it("is retried while the database is down, and ends in a sealed log line after its last delivery", async () => {
    const stage = aStage({ insertClicks: isDown });
    const early = segmentMessage(7, 3, LAST_DELIVERY - 1);
    const last = segmentMessage(10, 3, LAST_DELIVERY);
    await handleBatch(QUEUE, [early, last], stage.deps);
    expect(early.settled).toEqual({ retryAfterSeconds: expect.any(Number) });
    expect(stage.log.filter((line) => line.event === "message.unstored")).toEqual([
      { event: "message.unstored", queue: QUEUE, sealed: `sealed(${encodeSegment(aSegment(10, 3))})` },
    ]);
  });

  it("is never printed unsealed", async () => {
    const stage = aStage({
      insertClicks: isDown,
      seal: () => Promise.reject(new Error("SEAL_KEY is not base64 of 32 bytes")),
    });
    await handleBatch(QUEUE, [segmentMessage(10, 3, LAST_DELIVERY)], stage.deps);
    expect(JSON.stringify(stage.log)).toContain("message.dropped");
    expect(JSON.stringify(stage.log)).not.toMatch(/203\.0\.113|Mozilla/);
  });
});

it("no line of the log holds a message that its shard will deliver again", async () => {
  const stage = aStage({ insertClicks: isDown });
  await handleBatch("hopline-clicks-0", [segmentMessage(10, 3, LAST_DELIVERY)], stage.deps);
  expect(stage.log).toMatchObject([{ event: "batch.retried" }]);
});

it.each([
  ["hopline-clicks-dead", true],
  ["hopline-clicks-dead-staging", true],
  ["hopline-clicks-0", false],
  ["hopline-clicks-0-staging", false],
])("recognises %s as a dead-letter queue: %s", (queue, expected) => {
  expect(isDeadLetterQueue(queue)).toBe(expected);
});
