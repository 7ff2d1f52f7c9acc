/**
 * Everything that can fail fails, one after the other, while clicks keep coming: the real consumer with the real /sql
 * endpoint and a Postgres of its own. In the end each click is one event, the rollups agree, and nothing is missing.
 */
import { setTimeout as delay } from "node:timers/promises";
import { encodeSegment } from "@hopline/core/click/segment";
import { spillKeyOf } from "@hopline/core/click/spill-key";
import { findLedgerTotals } from "@hopline/db/ledger/find-ledger-totals";
import { createNeonClient, type RunSql } from "@hopline/db/neon-client";
import { reconcile } from "@hopline/db/ledger/reconcile";
import { createReplayDeps, findSealedTexts, replayBody } from "../src/dead-letters/replay.ts";
import { openScratchStack, type ScratchStack } from "@hopline/testkit/stack/scratch-stack";
import type { SqlFault } from "@hopline/testkit/sql-endpoint/sql-fault";
import { listDeadLetters, markReplayed } from "@hopline/db/ledger/find-dead-letters";
import { seal } from "@hopline/sealing/seal";
import { importSealKeys } from "@hopline/sealing/seal-key";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDeps } from "../src/create-deps.ts";
import { drainSpill, type DrainDeps, type SpillStore } from "../src/jobs/drain-spill.ts";
import { handleBatch } from "../src/ingest/handle-batch.ts";
import type { LogEvent } from "../src/log.ts";
import { aSegment, FIREFOX, T0 } from "./consumer-stage.ts";
import { createRedeliveringQueue } from "./ingest/redelivering-queue.ts";

const SEAL_KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const SECRET = "a visitor secret for the chaos test, 42 characters";
const ISOLATE = "00c0ffee00000001";
const SEGMENT_CLICKS = 20;
const CONSUMERS = 4;
const POISON_EVERY = 9;
/** While statements hang the consumer gives up sooner than after its 15 s. */
const HANGING_TIMEOUT_MS = 400;

/** A bound against hanging. */
const PATIENCE = { timeout: 40_000, interval: 20 };

let stack: ScratchStack;
let runSql: RunSql;
let deps: DrainDeps;
const log: LogEvent[] = [];
const spilled = new Map<string, string>();
const queue = createRedeliveringQueue(10);
const sent = { segments: 0, clicks: 0, poison: 0 };
let isHanging = false;
let crashNext = false;
let isOver = false;
let consumers: Promise<void>[] = [];

beforeAll(async () => {
  stack = await openScratchStack({ hasOwnServer: true });
  runSql = createNeonClient({ databaseUrl: stack.databaseUrl, sqlEndpoint: stack.sqlEndpoint.url });
  await stack.database.query("ALTER TABLE click_events ADD CONSTRAINT no_poison CHECK (city <> 'POISON')");
  deps = createDeps({
    runSql: (statement, timeoutMs) => runSql(statement, isHanging ? HANGING_TIMEOUT_MS : timeoutMs),
    spill: mapSpill(),
    sealKey: SEAL_KEY,
    visitorSecret: SECRET,
    log: (event) => log.push(event),
  });
  consumers = Array.from({ length: CONSUMERS }, consumeUntilOver);
});

afterAll(async () => {
  isOver = true;
  await Promise.all(consumers);
  await stack?.close();
});

describe("clicks survive", () => {
  it.each<[string, SqlFault | null]>([
    ["a good day", null],
    ["a /sql that answers 500", { kind: "status", status: 500, message: "down" }],
    ["a /sql that hangs", { kind: "hang" }],
    ["connections reset before the statement", { kind: "reset" }],
    ["answers lost after the commit", { kind: "execute-then-reset" }],
  ])("%s", async (_name, fault) => {
    let faults = 0;
    isHanging = fault?.kind === "hang";
    stack.sqlEndpoint.setFault(({ number }) => {
      const isHit = fault !== null && number % 3 !== 0;
      faults += isHit ? 1 : 0;
      return isHit ? fault : null;
    });
    sendSegments(40);
    await expect.poll(() => faults, PATIENCE).toBeGreaterThanOrEqual(fault === null ? 0 : 12);
    stack.sqlEndpoint.setFault(null);
    isHanging = false;
    await untilDrained();
  });

  it.each(["fast", "crash"] as const)("a Postgres that goes down (%s) and comes back", async (how) => {
    const retriedBefore = countLog("batch.retried");
    sendSegments(10);
    await stack.postgres?.halt(how);
    sendSegments(10);
    await expect.poll(() => countLog("batch.retried"), PATIENCE).toBeGreaterThan(retriedBefore + 2);
    await stack.postgres?.start();
    await untilDrained();
  });

  it("a consumer that crashes after the commit and before it acknowledges", async () => {
    const before = queue.redeliveries();
    for (let round = 0; round < 3; round += 1) {
      crashNext = true;
      sendSegments(8);
      await untilDrained();
    }
    expect(queue.redeliveries()).toBeGreaterThan(before);
  });

  it("the same message three times", async () => {
    sendSegments(20, { copies: 3 });
    await untilDrained();
    expect(await count("SELECT count(*) FROM segment_ledger WHERE deliveries >= 3")).toBeGreaterThanOrEqual(
      20,
    );
  });

  it("queues that all refuse: two concurrent drains write the spill once", async () => {
    await spillSegments(15);
    await Promise.all([drainSpill(deps), drainSpill(deps)]);
    expect(spilled.size).toBe(0);
  });

  it("a KV that refuses too: the log line is imported, twice by mistake", async () => {
    const segment = nextSegment();
    const keys = await importSealKeys(SEAL_KEY);
    const sealed = await seal(encodeSegment(segment), keys[0]);
    const line = JSON.stringify({ event: "segment.logged", sealed });
    const replayDeps = createReplayDeps(runSql, keys, SECRET);
    const [text = ""] = findSealedTexts(`${line}\n${line}`);
    const first = await replayBody(text, null, replayDeps);
    expect(first).toMatchObject({ kind: "written", clicks: SEGMENT_CLICKS });
    expect(await replayBody(text, null, replayDeps)).toMatchObject({ ...first, inserted: 0 });
  });
});

describe("at the end", () => {
  it("every click is one event or one sealed dead letter, and all of it adds up", async () => {
    expect(await count("SELECT count(*) FROM click_events")).toBe(sent.clicks - sent.poison);
    expect(await count("SELECT count(DISTINCT event_id) FROM click_events")).toBe(sent.clicks - sent.poison);
    expect(await count("SELECT count(*) FROM dead_letters")).toBe(sent.poison);
    expect(await reconcileAll()).toMatchObject({
      accepted: sent.clicks,
      inserted: sent.clicks - sent.poison,
      rejected: sent.poison,
      deadLettered: 0,
      missing: 0,
      rollupDifference: 0,
      eventDifference: 0,
      addsUp: true,
    });
  });

  it("the ledger counts repeated clicks, and none as both inserted and refused", async () => {
    expect(await count("SELECT sum(duplicates) FROM segment_ledger")).toBeGreaterThan(0);
    expect(await count("SELECT count(*) FROM segment_ledger WHERE inserted + rejected <> click_count")).toBe(
      0,
    );
  });

  it("no table, log line or dead letter holds an address or a user agent", async () => {
    const secrets = ["203.0.113", FIREFOX, "Mozilla", "today?id=7"];
    const tables = await stack.database.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    expect(tables.rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["click_events", "dead_letters"]),
    );
    for (const { name } of tables.rows) {
      // A row's text has every column, of whatever type; bytea also as the characters that it may hide.
      const rows = await stack.database.query<{ text: string }>(
        `SELECT one::text AS text FROM ${name} AS one`,
      );
      const text = rows.rows.map((row) => `${row.text}\n${fromHex(row.text)}`).join("\n");
      expect([name, secrets.filter((secret) => text.includes(secret))]).toEqual([name, []]);
    }
    expect(secrets.filter((secret) => JSON.stringify(log).includes(secret))).toEqual([]);
  });

  it("dead letters are replayed once their cause is gone, and every click is an event", async () => {
    await stack.database.query("ALTER TABLE click_events DROP CONSTRAINT no_poison");
    const replayDeps = createReplayDeps(runSql, await importSealKeys(SEAL_KEY), SECRET);
    const letters = await listDeadLetters(runSql, { withReplayed: false, limit: 1_000 }, 10_000);
    expect(letters).toHaveLength(sent.poison);
    for (const letter of letters) {
      const replayed = await replayBody(letter.sealedBody, letter.ledger, replayDeps);
      expect(replayed).toMatchObject({ kind: "written", inserted: 1, refused: 0 });
      await markReplayed(runSql, letter.id, 10_000);
    }
    expect(await count("SELECT count(*) FROM click_events")).toBe(sent.clicks);
    expect(await reconcileAll()).toMatchObject({
      accepted: sent.clicks,
      inserted: sent.clicks,
      rejected: 0,
      missing: 0,
      rollupDifference: 0,
      addsUp: true,
    });
  });
});

function nextSegment() {
  const first = sent.clicks + 1;
  const isPoisoned = sent.segments % POISON_EVERY === 0;
  sent.segments += 1;
  sent.clicks += SEGMENT_CLICKS;
  sent.poison += isPoisoned ? 1 : 0;
  return aSegment(first, SEGMENT_CLICKS, (index) => ({
    clickedAtMs: T0 + (first + index) * 1_000,
    optedOut: index % 4 === 0,
    ...(isPoisoned && index === 7 ? { city: "POISON" } : {}),
  }));
}

function sendSegments(segments: number, { copies = 1 } = {}): void {
  for (let index = 0; index < segments; index += 1) {
    const body = encodeSegment(nextSegment());
    for (let copy = 0; copy < copies; copy += 1) {
      queue.send(`${sent.segments}/${copy}`, body);
    }
  }
}

async function spillSegments(segments: number): Promise<void> {
  const [key] = await importSealKeys(SEAL_KEY);
  for (let index = 0; index < segments; index += 1) {
    const segment = nextSegment();
    spilled.set(spillKeyOf(ISOLATE, segment.firstSequence), await seal(encodeSegment(segment), key));
  }
}

function mapSpill(): SpillStore {
  return {
    list: (limit) => Promise.resolve([...spilled.keys()].slice(0, limit)),
    read: (key) => Promise.resolve(spilled.get(key) ?? null),
    remove: (key) => Promise.resolve(void spilled.delete(key)),
  };
}

async function consumeUntilOver(): Promise<void> {
  while (!isOver) {
    const hadWork = await queue.deliverOne(async (messages) => {
      const isCrashing = crashNext;
      crashNext = false;
      await handleBatch("hopline-clicks-0", messages, deps);
      return isCrashing ? "crashed" : "settled";
    });
    // Also backs off: without it a stopped database gets thousands of requests.
    await delay(hadWork ? 1 : 5);
  }
}

async function untilDrained(): Promise<void> {
  await expect.poll(() => queue.backlog(), PATIENCE).toBe(0);
}

function countLog(event: LogEvent["event"]): number {
  return log.filter((line) => line.event === event).length;
}

async function count(statement: string): Promise<number> {
  const result = await stack.database.query<Record<string, unknown>>(statement);
  return Number(Object.values(result.rows[0] ?? {})[0]);
}

async function reconcileAll() {
  return reconcile(await findLedgerTotals(runSql, { sinceMs: 0, untilMs: T0 + 86_400_000 }, 10_000));
}

function fromHex(text: string): string {
  return text.replaceAll(/\\x([0-9a-f]+)/g, (_, hex: string) => Buffer.from(hex, "hex").toString("latin1"));
}
