/** Where clicks are counted in ClickHouse, and it does not answer: batches wait in their queue, and are counted when it is back. */
import type { ClickHouse } from "@hopline/clickhouse/clickhouse-client";
import { ClickHouseFailure } from "@hopline/clickhouse/clickhouse-client";
import type { RunSql } from "@hopline/db/neon-client";
import { toStatement } from "@hopline/db/sql";
import { expect, it } from "vitest";
import { countBatch, type CountDeps, openCountingHint } from "../../src/ingest/count-clicks.ts";
import { createStore } from "../../src/ingest/create-store.ts";
import { handleBatch } from "../../src/ingest/handle-batch.ts";
import { toPendingSegment } from "../../src/ingest/pending-segment.ts";
import { writeSegments } from "../../src/ingest/write-segments.ts";
import { aMessage, aSegment, aStage, type RecordedMessage, segmentMessage, T0 } from "../consumer-stage.ts";
import { encodeSegment } from "@hopline/core/click/segment";

const QUEUE = "hopline-clicks-0";
const HOURS_MS = 3_600_000;

/** A database that counts in a mode, and ClickHouse, each with what it was asked. */
function stores(mode: "postgres" | "clickhouse") {
  const asked: string[] = [];
  const inserts: number[] = [];
  let [nowMs, isAway, counted] = [T0, false, 0];
  const wrongMode = Object.assign(new Error("elsewhere"), { code: "HL001" });
  const runSql: RunSql = async (statement) => {
    const { text, parameters } = toStatement(statement);
    if (text.includes("INSERT INTO click_rollups")) {
      if (!parameters.includes(mode)) {
        throw wrongMode;
      }
      asked.push("counted");
      counted += 1;
      return [{ inserted: 1, settled: 1, used_up: 0, left: 0 }];
    }
    asked.push("looked up");
    return [
      { kind: "mode", id: mode },
      { kind: "link", id: aSegment(1, 1).clicks[0]?.linkId, workspace: "w", domain: "d" },
    ];
  };
  const clickHouse: ClickHouse = {
    select: () => Promise.reject(new Error("no question is asked")),
    execute: () => Promise.reject(new Error("nothing is changed")),
    insert: async () => {
      inserts.push(nowMs);
      if (isAway) {
        throw new ClickHouseFailure("connection refused", null);
      }
    },
  };
  const deps: CountDeps = {
    runSql,
    clickHouse,
    hint: openCountingHint(clickHouse),
    timeoutMs: 1_000,
    nowMs: () => nowMs,
  };
  const stage = aStage({
    insertClicks: async (batch) => (await countBatch(batch, deps)).inserted,
    maxClicks: createStore(deps).maxClicks,
    nowMs: () => nowMs,
  });
  return {
    stage,
    deps,
    asked,
    inserts,
    counted: () => counted,
    setAway: (away: boolean) => (isAway = away),
    advance: (ms: number) => (nowMs += ms),
  };
}

it.each([
  ["clickhouse", 1],
  ["postgres", 2],
] as const)(
  "all that a queue delivers at once is counted in %s by %i statements",
  async (mode, statements) => {
    const { stage, deps, counted } = stores(mode);
    deps.hint.mode = mode;
    const messages = Array.from({ length: 100 }, (_, index) => segmentMessage(1 + index * 100, 100));
    await handleBatch(QUEUE, messages, stage.deps);
    expect([counted(), messages.every(({ settled }) => settled === "ack")]).toEqual([statements, true]);
  },
);

it("for six hours: it is asked once a minute, no click becomes a letter, and all are counted within a minute of its return", async () => {
  const { stage, inserts, counted, setAway, advance } = stores("clickhouse");
  setAway(true);
  type Waiting = { message: RecordedMessage; dueMs: number };
  let waiting: Waiting[] = Array.from({ length: 30 }, (_, index) => ({
    message: aMessage(encodeSegment(aSegment(1 + index, 1)), { id: `m${index}` }),
    dueMs: T0 + index * 10_000,
  }));
  const deliver = async (): Promise<void> => {
    const nowMs = stage.deps.nowMs();
    const due = waiting.filter(({ dueMs }) => dueMs <= nowMs);
    if (due.length > 0) {
      await handleBatch(
        QUEUE,
        due.map(({ message }) => message),
        stage.deps,
      );
    }
    waiting = waiting.flatMap((one) => {
      const { settled } = one.message;
      if (!due.includes(one) || settled === "never") {
        return [one];
      }
      if (settled === "ack") {
        return [];
      }
      const message = aMessage(one.message.body, {
        id: one.message.id,
        attempts: one.message.attempts + 1,
      });
      return [{ message, dueMs: nowMs + settled.retryAfterSeconds * 1_000 }];
    });
  };
  for (let atMs = 0; atMs < 6 * HOURS_MS; atMs += 5_000) {
    await deliver();
    advance(5_000);
  }
  expect(counted()).toBe(0);
  expect(waiting).toHaveLength(30);
  expect(inserts.length).toBeGreaterThan(30);
  expect(inserts.every((atMs, index) => index === 0 || atMs - (inserts[index - 1] ?? 0) >= 60_000)).toBe(
    true,
  );
  // A hundred tries, and a hundred more from the queue of dead letters.
  expect(Math.max(...waiting.map(({ message }) => message.attempts))).toBeLessThan(100);
  setAway(false);
  for (let atMs = 0; atMs < 20 * 60_000; atMs += 5_000) {
    await deliver();
    advance(5_000);
  }
  expect(waiting).toEqual([]);
  expect(stage.letters).toEqual([]);
});

it("a batch is counted in the other mode when that has changed, and the isolate remembers it", async () => {
  const { stage, deps, asked, inserts } = stores("postgres");
  const message = aMessage(encodeSegment(aSegment(1, 3)));
  await handleBatch(QUEUE, [message], stage.deps);
  expect([message.settled, asked, inserts]).toEqual(["ack", ["looked up", "counted"], []]);
  expect(deps.hint.mode).toBe("postgres");
  await handleBatch(QUEUE, [aMessage(encodeSegment(aSegment(4, 3)))], stage.deps);
  expect(asked).toEqual(["looked up", "counted", "counted"]);
});

it("a click that no database would take is buried before the others of its segment are counted, all at once", async () => {
  const stage = aStage();
  const delivery = { receivedAtMs: T0, copies: 1 };
  const pending = await toPendingSegment(aSegment(1, 10), delivery, stage.deps);
  const rows = pending.rows.map((row, index) =>
    index === 4 && row !== null ? { ...row, linkVersion: 1.5 } : row,
  );
  expect(await writeSegments([{ ...pending, rows }], "test", stage.deps)).toMatchObject({
    inserted: 9,
    refused: 1,
  });
  expect(stage.letters).toMatchObject([{ reason: "linkVersion", clicks: { firstSequence: 5 } }]);
  expect(stage.batches).toMatchObject([{ segments: [{ clickCount: 10, sentCount: 9 }] }]);
  expect(stage.batches[0]?.rows).toHaveLength(9);
});
