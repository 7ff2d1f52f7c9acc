import { readGolden } from "../../../packages/core/test/golden.ts";
import type { ClickRow } from "@hopline/db/insert-clicks";
import { describe, expect, it } from "vitest";
import { type BatchDeps, handleBatch, type SettledMessage } from "../src/handle-batch.ts";
import type { LogEvent } from "../src/log.ts";

const SEGMENT = readGolden("segment.v1.json");

describe("a queue batch", () => {
  it("is written in one statement and acknowledged", async () => {
    const stage = aStage();
    const messages = [aMessage("1", SEGMENT), aMessage("2", withFirst(43))];
    await handleBatch("hopline-clicks-0", messages, stage.deps);

    expect(stage.inserted.map((rows) => rows.map((row) => row.eventId))).toEqual([
      [
        "00c0ffee-1234-8567-a000-000000000029",
        "00c0ffee-1234-8567-a000-00000000002a",
        "00c0ffee-1234-8567-a000-00000000002b",
        "00c0ffee-1234-8567-a000-00000000002c",
      ],
    ]);
    expect(messages.map((message) => message.settled)).toEqual(["ack", "ack"]);
    expect(stage.log).toEqual([
      { event: "batch.inserted", queue: "hopline-clicks-0", segments: 2, clicks: 4, inserted: 4 },
    ]);
  });

  it("keeps the good segments when one message is not a segment, and never acknowledges that one", async () => {
    const stage = aStage();
    const messages = [aMessage("1", "nonsense"), aMessage("2", SEGMENT)];
    await handleBatch("hopline-clicks-0", messages, stage.deps);

    expect(stage.inserted).toHaveLength(1);
    expect(messages.map((message) => message.settled)).toEqual([{ retryAfterSeconds: 60 }, "ack"]);
    expect(stage.log[0]).toEqual({
      event: "segment.rejected",
      queue: "hopline-clicks-0",
      messageId: "1",
      field: "(whole)",
    });
  });

  it("is retried whole, later and later, while the database is down", async () => {
    const stage = aStage({ insertClicks: () => Promise.reject(new Error("connection refused")) });
    const first = [aMessage("1", SEGMENT), aMessage("2", withFirst(43))];
    await handleBatch("hopline-clicks-0", first, stage.deps);
    const later = [aMessage("1", SEGMENT, 6)];
    await handleBatch("hopline-clicks-0", later, stage.deps);

    expect(first.map((message) => message.settled)).toEqual([
      { retryAfterSeconds: 3 },
      { retryAfterSeconds: 3 },
    ]);
    expect(later.map((message) => message.settled)).toEqual([{ retryAfterSeconds: 65 }]);
    expect(stage.log[0]).toMatchObject({ event: "batch.retried", reason: "unavailable", sqlState: null });
  });

  it("does not ask the database about a batch without a segment", async () => {
    const stage = aStage();
    await handleBatch("hopline-clicks-0", [aMessage("1", {})], stage.deps);
    expect(stage.inserted).toEqual([]);
  });
});

describe("the row of a click", () => {
  it("holds no address, no user agent and no header", async () => {
    const stage = aStage();
    await handleBatch("hopline-clicks-0", [aMessage("1", SEGMENT)], stage.deps);
    expect(JSON.stringify(stage.inserted)).not.toMatch(/203\.0\.113|Mozilla|news\.example|de-CH/);
  });

  it("places no visitor who asked not to be tracked in a city", async () => {
    const stage = aStage();
    await handleBatch("hopline-clicks-0", [aMessage("1", SEGMENT)], stage.deps);
    expect(stage.inserted[0]?.[0]).toMatchObject({ country: "CH", city: null, source: "qr" });
  });
});

type RecordedMessage = SettledMessage & { settled: "ack" | { retryAfterSeconds: number } | "never" };

function aMessage(id: string, body: unknown, attempts = 1): RecordedMessage {
  const message: RecordedMessage = {
    id,
    body,
    attempts,
    settled: "never",
    ack: () => {
      message.settled = "ack";
    },
    retry: ({ delaySeconds }) => {
      message.settled = { retryAfterSeconds: delaySeconds };
    },
  };
  return message;
}

function withFirst(first: number): string {
  return JSON.stringify({ ...JSON.parse(SEGMENT), first });
}

function aStage(change: Partial<BatchDeps> = {}) {
  const inserted: (readonly ClickRow[])[] = [];
  const log: LogEvent[] = [];
  const deps: BatchDeps = {
    insertClicks: (rows) => {
      inserted.push(rows);
      return Promise.resolve(rows.length);
    },
    random: () => 0.5,
    log: (event) => log.push(event),
    ...change,
  };
  return { deps, inserted, log };
}
