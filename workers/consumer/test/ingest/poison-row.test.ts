import { decodeSegment } from "@hopline/core/click/segment";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { handleBatch } from "../../src/ingest/handle-batch.ts";
import { aMessage, aSegment, aStage, databaseError, segmentMessage } from "../consumer-stage.ts";
import { encodeSegment } from "@hopline/core/click/segment";
import { runs } from "../../../../packages/core/test/runs.ts";

const QUEUE = "hopline-clicks-0";

describe("a row that the database refuses", () => {
  it("is buried alone, sealed and with the reason, and the other clicks are written", async () => {
    const stage = aDatabaseThatRefuses(new Set(["POISON"]));
    const poisoned = encodeSegment(aSegment(101, 100, (index) => (index === 42 ? { city: "POISON" } : {})));
    const messages = [segmentMessage(1, 100), aMessage(poisoned), segmentMessage(201, 100)];
    await handleBatch(QUEUE, messages, stage.deps);

    expect(messages.map((message) => message.settled)).toEqual(["ack", "ack", "ack"]);
    expect(stage.written()).toBe(299);
    expect(stage.letters).toHaveLength(1);
    expect(stage.letters[0]).toMatchObject({
      kind: "click_refused",
      reason: "23514",
      source: QUEUE,
      clicks: {
        firstSequence: 143,
        count: 1,
        segment: { firstSequence: 101, clickCount: 100, deliveries: 0 },
      },
    });
    const body = decodeSegment(/^sealed\((.*)\)$/.exec(stage.letters[0]?.sealedBody ?? "")?.[1]);
    expect(body).toMatchObject({ ok: true, value: { firstSequence: 143, clicks: [{ city: "POISON" }] } });
    expect(stage.log).toMatchObject([{ event: "batch.inserted", clicks: 300, inserted: 299, refused: 1 }]);
  });

  it("costs few statements among a thousand clicks", async () => {
    const stage = aDatabaseThatRefuses(new Set(["POISON"]));
    const messages = Array.from({ length: 10 }, (_, index) =>
      aMessage(
        encodeSegment(
          aSegment(1 + index * 100, 100, (click) => (index === 7 && click === 3 ? { city: "POISON" } : {})),
        ),
      ),
    );
    await handleBatch(QUEUE, messages, stage.deps);
    expect(stage.statements()).toBeLessThanOrEqual(24);
  });

  it("is never lost, whatever is refused: each click is written or buried, once", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 12 }),
        async (segments) => {
          const stage = aDatabaseThatRefuses(new Set(["POISON"]));
          let first = 1;
          const messages = segments.map((clicks) => {
            const segment = aSegment(first, clicks.length, (index) =>
              clicks[index] === true ? { city: "POISON" } : {},
            );
            first += clicks.length;
            return aMessage(encodeSegment(segment));
          });
          await handleBatch(QUEUE, messages, stage.deps);
          const poison = segments.flat().filter(Boolean).length;
          expect(stage.letters).toHaveLength(poison);
          expect(new Set(stage.letters.map((letter) => letter.id)).size).toBe(poison);
          expect(stage.written()).toBe(segments.flat().length - poison);
          // One part of each segment tells the ledger about the delivery.
          expect(stage.deliveries()).toBe(segments.length);
          expect(messages.every((message) => message.settled === "ack")).toBe(true);
        },
      ),
      runs(60),
    );
  });

  it("is retried with its whole segment if it cannot be buried; the others are done", async () => {
    const stage = aDatabaseThatRefuses(new Set(["POISON"]), {
      insertDeadLetter: () => Promise.reject(databaseError("57P01")),
    });
    const poisoned = encodeSegment(aSegment(101, 4, (index) => (index === 3 ? { city: "POISON" } : {})));
    const messages = [segmentMessage(1, 4), aMessage(poisoned)];
    await handleBatch(QUEUE, messages, stage.deps);
    expect(messages.map((message) => message.settled)).toEqual(["ack", { retryAfterSeconds: 3 }]);
  });
});

it("a sealing failure is not a database outage: the rest of the batch is written", async () => {
  const stage = aDatabaseThatRefuses(new Set(["POISON"]), {
    seal: () => Promise.reject(new Error("SEAL_KEY is not base64 of 32 bytes")),
  });
  const poisoned = encodeSegment(aSegment(1, 4, (index) => (index === 0 ? { city: "POISON" } : {})));
  const messages = [aMessage(poisoned), segmentMessage(101, 4)];
  await handleBatch(QUEUE, messages, stage.deps);
  expect(messages.map((message) => message.settled)).toEqual([{ retryAfterSeconds: 3 }, "ack"]);
  expect(stage.written()).toBe(7);
  expect(stage.log).toContainEqual(
    expect.objectContaining({ event: "batch.retried", messages: 1, reason: "sealing", sqlState: null }),
  );
});

/** Accepts a batch whole or not at all, like a statement, and refuses it if one of its cities is poison. */
function aDatabaseThatRefuses(cities: ReadonlySet<string>, change: Parameters<typeof aStage>[0] = {}) {
  const events = new Set<string>();
  let statements = 0;
  let deliveries = 0;
  const stage = aStage({
    insertClicks: (batch) => {
      statements += 1;
      if (batch.rows.some((row) => cities.has(row.city ?? ""))) {
        return Promise.reject(databaseError("23514"));
      }
      deliveries += batch.segments.reduce((sum, segment) => sum + segment.deliveries, 0);
      const before = events.size;
      batch.rows.forEach((row) => events.add(row.eventId));
      return Promise.resolve(events.size - before);
    },
    ...change,
  });
  return {
    ...stage,
    statements: () => statements,
    written: () => events.size,
    deliveries: () =>
      deliveries + stage.letters.reduce((sum, letter) => sum + (letter.clicks?.segment.deliveries ?? 0), 0),
  };
}
