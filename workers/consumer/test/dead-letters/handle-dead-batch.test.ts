import { encodeSegment } from "@hopline/core/click/segment";
import { describe, expect, it } from "vitest";
import { handleDeadBatch, isDeadLetterQueue } from "../../src/dead-letters/handle-dead-batch.ts";
import { aMessage, aSegment, aStage, segmentMessage } from "../consumer-stage.ts";

const QUEUE = "hopline-clicks-dead";

describe("a message of the dead-letter queue", () => {
  it("becomes a sealed letter with its clicks in the ledger", async () => {
    const stage = aStage();
    const message = segmentMessage(7, 3);
    await handleDeadBatch(QUEUE, [message], stage.deps);
    expect(message.settled).toBe("ack");
    expect(stage.letters).toMatchObject([
      {
        kind: "segment_exhausted",
        reason: "out_of_tries",
        source: QUEUE,
        sealedBody: `sealed(${encodeSegment(aSegment(7, 3))})`,
        clicks: { firstSequence: 7, count: 3, segment: { firstSequence: 7, clickCount: 3, deliveries: 1 } },
      },
    ]);
  });

  it("is one letter, however often it is delivered", async () => {
    const stage = aStage();
    await handleDeadBatch(
      QUEUE,
      [segmentMessage(7, 3), segmentMessage(7, 3), segmentMessage(10, 3)],
      stage.deps,
    );
    expect(new Set(stage.letters.map((letter) => letter.id)).size).toBe(2);
  });

  it("that is not a segment becomes a letter too", async () => {
    const stage = aStage();
    await handleDeadBatch(QUEUE, [aMessage({ format: 9 })], stage.deps);
    expect(stage.letters).toMatchObject([{ kind: "message_undecodable", reason: "format", clicks: null }]);
  });

  it("is retried while the database is down, and ends in a sealed log line after its last delivery", async () => {
    const stage = aStage({ insertDeadLetter: () => Promise.reject(new Error("connection refused")) });
    const early = segmentMessage(7, 3, 100);
    const last = segmentMessage(10, 3, 101);
    await handleDeadBatch(QUEUE, [early, last], stage.deps);
    expect(early.settled).toEqual({ retryAfterSeconds: expect.any(Number) });
    expect(stage.log.filter((line) => line.event === "message.unstored")).toEqual([
      { event: "message.unstored", queue: QUEUE, sealed: `sealed(${encodeSegment(aSegment(10, 3))})` },
    ]);
  });

  it("is never printed unsealed", async () => {
    const stage = aStage({
      insertDeadLetter: () => Promise.reject(new Error("connection refused")),
      seal: () => Promise.reject(new Error("SEAL_KEY is not base64 of 32 bytes")),
    });
    await handleDeadBatch(QUEUE, [segmentMessage(10, 3, 101)], stage.deps);
    expect(JSON.stringify(stage.log)).toContain("message.dropped");
    expect(JSON.stringify(stage.log)).not.toMatch(/203\.0\.113|Mozilla/);
  });
});

it.each([
  ["hopline-clicks-dead", true],
  ["hopline-clicks-dead-staging", true],
  ["hopline-clicks-0", false],
  ["hopline-clicks-0-staging", false],
])("recognises %s as a dead-letter queue: %s", (queue, expected) => {
  expect(isDeadLetterQueue(queue)).toBe(expected);
});
