import { describe, expect, it } from "vitest";
import { handleBatch } from "../../src/ingest/handle-batch.ts";
import { aMessage, aStage, databaseError, segmentMessage } from "../consumer-stage.ts";

const QUEUE = "hopline-clicks-0";

describe("a queue batch", () => {
  it("is written in one statement and acknowledged", async () => {
    const stage = aStage();
    const messages = [segmentMessage(1, 2), segmentMessage(3, 2)];
    await handleBatch(QUEUE, messages, stage.deps);

    expect(stage.batches.map((batch) => batch.rows.map((row) => row.eventId))).toEqual([
      [
        "00c0ffee-0000-8000-8400-000000000001",
        "00c0ffee-0000-8000-8400-000000000002",
        "00c0ffee-0000-8000-8400-000000000003",
        "00c0ffee-0000-8000-8400-000000000004",
      ],
    ]);
    expect(messages.map((message) => message.settled)).toEqual(["ack", "ack"]);
    expect(stage.log).toEqual([
      { event: "batch.inserted", queue: QUEUE, segments: 2, clicks: 4, inserted: 4, refused: 0 },
    ]);
  });

  it("tells the ledger how long the clicks were in the queue", async () => {
    const stage = aStage();
    await handleBatch(QUEUE, [segmentMessage(1, 2)], stage.deps);
    const [segment] = stage.batches[0]?.segments ?? [];
    expect((segment?.receivedAtMs ?? 0) - (segment?.lastClickedAtMs ?? 0)).toBe(4_999);
  });

  it("writes a segment once if three messages carry it, and settles all three", async () => {
    const stage = aStage();
    const messages = [segmentMessage(1, 2), segmentMessage(1, 2), segmentMessage(1, 2)];
    await handleBatch(QUEUE, messages, stage.deps);
    expect(stage.batches).toHaveLength(1);
    expect(stage.batches[0]?.rows).toHaveLength(2);
    expect(stage.batches[0]?.segments).toMatchObject([{ clickCount: 2, sentCount: 6, deliveries: 3 }]);
    expect(messages.map((message) => message.settled)).toEqual(["ack", "ack", "ack"]);
  });

  it("of more than five thousand clicks is written in statements of whole segments", async () => {
    const stage = aStage();
    const messages = Array.from({ length: 60 }, (_, index) => segmentMessage(1 + index * 90, 90));
    await handleBatch(QUEUE, messages, stage.deps);
    expect(stage.batches.map((batch) => batch.rows.length)).toEqual([4_950, 450]);
  });

  it("writes the good segments, and turns a message that is not a segment into a sealed dead letter", async () => {
    const stage = aStage();
    const messages = [aMessage("nonsense"), segmentMessage(1, 2), aMessage({ format: 2 }, { id: "n" })];
    await handleBatch(QUEUE, messages, stage.deps);

    expect(stage.batches).toHaveLength(1);
    expect(messages.map((message) => message.settled)).toEqual(["ack", "ack", "ack"]);
    expect(stage.letters).toMatchObject([
      {
        kind: "message_undecodable",
        reason: "(whole)",
        source: QUEUE,
        sealedBody: "sealed(nonsense)",
        clicks: null,
      },
      { kind: "message_undecodable", reason: "format", source: QUEUE, sealedBody: 'sealed({"format":2})' },
    ]);
  });

  it("retries a message that is not a segment if no letter can be written or sealed", async () => {
    for (const change of [
      { insertDeadLetter: () => Promise.reject(new Error("connection refused")) },
      { seal: () => Promise.reject(new Error("SEAL_KEY is not base64 of 32 bytes")) },
    ]) {
      const message = aMessage("nonsense");
      await handleBatch(QUEUE, [message], aStage(change).deps);
      expect(message.settled).toEqual({ retryAfterSeconds: 3 });
    }
  });

  it("is retried whole, with growing delays, while the database is down, and runs one statement only", async () => {
    let statements = 0;
    const stage = aStage({
      insertClicks: () => {
        statements += 1;
        return Promise.reject(new Error("connection refused"));
      },
    });
    const first = Array.from({ length: 30 }, (_, index) => segmentMessage(1 + index * 90, 90));
    await handleBatch(QUEUE, first, stage.deps);
    const later = [segmentMessage(1, 2, 6)];
    await handleBatch(QUEUE, later, stage.deps);

    expect(statements).toBe(2);
    expect(first.every((message) => message.settled !== "ack" && message.settled !== "never")).toBe(true);
    expect(first[0]?.settled).toEqual({ retryAfterSeconds: 3 });
    expect(later.map((message) => message.settled)).toEqual([{ retryAfterSeconds: 65 }]);
    expect(stage.log[0]).toMatchObject({
      event: "batch.retried",
      messages: 30,
      reason: "unavailable",
      sqlState: null,
    });
  });

  it.each([
    ["42703", "statement"],
    ["40P01", "conflict"],
    ["57P01", "unavailable"],
  ])("is retried after SQLSTATE %s, a %s failure", async (code, reason) => {
    const stage = aStage({ insertClicks: () => Promise.reject(databaseError(code)) });
    const message = segmentMessage(1, 2);
    await handleBatch(QUEUE, [message], stage.deps);
    expect(message.settled).toEqual({ retryAfterSeconds: 3 });
    expect(stage.letters).toEqual([]);
    expect(stage.log).toMatchObject([{ event: "batch.retried", reason, sqlState: code }]);
  });

  it("is written without a segment that cannot be enriched, which is retried", async () => {
    let calls = 0;
    const stage = aStage({
      visitorKeys: {
        sign: () => {
          calls += 1;
          return calls === 1
            ? Promise.reject(new TypeError("a fault of ours"))
            : Promise.resolve(new Uint8Array(32));
        },
      },
    });
    const messages = [segmentMessage(1, 1), segmentMessage(2, 1)];
    await handleBatch(QUEUE, messages, stage.deps);
    expect(messages.map((message) => message.settled)).toEqual([{ retryAfterSeconds: 3 }, "ack"]);
    expect(stage.log[0]).toMatchObject({ event: "segment.crashed", reason: "TypeError" });
  });

  it("without a segment runs no statement for clicks", async () => {
    const stage = aStage();
    await handleBatch(QUEUE, [aMessage({})], stage.deps);
    expect(stage.batches).toEqual([]);
  });
});
