/**
 * The consumer's entry in workerd: which batch goes where, with real KV. The driver's fetch is faked; the statements are
 * tested on a real database elsewhere.
 */
import {
  createExecutionContext,
  createMessageBatch,
  createScheduledController,
  getQueueResult,
  waitOnExecutionContext,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { encodeSegment } from "@hopline/core/click/segment";
import { spillKeyOf } from "@hopline/core/click/spill-key";
import { seal } from "@hopline/sealing/seal";
import { importSealKey } from "@hopline/sealing/seal-key";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import worker from "../../src/index.ts";
import { aSegment } from "../consumer-stage.ts";

let statements: string[] = [];
let databaseIsUp = true;
/** The statement that replaces rows of the ledger by their sum. */
const COMPACTS = "AS taken FROM taken";
/** Of the table of leased work, between the statement that enqueues it and the one that claims it. */
let work: readonly { readonly kind: string; readonly key: string }[] = [];

beforeEach(() => {
  statements = [];
  databaseIsUp = true;
  vi.spyOn(globalThis, "fetch").mockImplementation(answerAsNeon);
});
afterEach(() => void vi.restoreAllMocks());

it("writes a shard's batch and acknowledges it, then asks whether a webhook wants its clicks", async () => {
  const result = await deliver("hopline-clicks-0", encodeSegment(aSegment(1, 3)));
  expect(result.explicitAcks).toEqual(["m1"]);
  expect(statements).toHaveLength(2);
  expect(statements[0]).toContain("INSERT INTO click_events");
  expect(statements[1]).toContain("webhook_endpoints");
});

it("retries a batch while the database is down", async () => {
  databaseIsUp = false;
  const result = await deliver("hopline-clicks-0", encodeSegment(aSegment(1, 3)));
  expect(result.explicitAcks).toEqual([]);
  expect(result.retryMessages.map(({ msgId }) => msgId)).toEqual(["m1"]);
});

it("writes messages of the dead-letter queue like a shard's", async () => {
  const result = await deliver("hopline-clicks-dead", encodeSegment(aSegment(1, 3)));
  expect(result.explicitAcks).toEqual(["m1"]);
  expect(statements[0]).toContain("INSERT INTO click_events");
});

it("buries sealed what is not a segment", async () => {
  const result = await deliver("hopline-clicks-dead", '{"address":"203.0.113.7","agent":"Mozilla"}');
  expect(result.explicitAcks).toEqual(["m1"]);
  expect(statements[0]).toContain("INSERT INTO dead_letters");
  expect(statements[0]).toContain("sealed.v1.");
  expect(statements[0]).not.toMatch(/203\.0\.113|Mozilla/);
});

it("drains the spill with a sweep, then asks whether a webhook wants its clicks", async () => {
  const segment = aSegment(1, 3);
  const key = spillKeyOf(segment.isolateId, segment.firstSequence);
  await env.SPILL.put(key, await seal(encodeSegment(segment), await importSealKey(env.SEAL_KEY)));
  await tick();
  expect(await env.SPILL.get(key)).toBeNull();
  expect(statements).toContainEqual(expect.stringContaining("INSERT INTO click_events"));
  await vi.waitFor(() =>
    expect(statements).toContainEqual(expect.stringMatching(/^\{"query":"[^"]*webhook_endpoints/)),
  );
});

it("removes no click and no count of them when clicks are kept for ever", async () => {
  await tick();
  const others = statements.filter((statement) => !statement.includes(COMPACTS));
  expect(
    others.filter((statement) => /DELETE FROM (?!work|missed_visits)|drop_chunks/.test(statement)),
  ).toEqual([]);
});

async function deliver(queue: string, body: string) {
  const batch = createMessageBatch(queue, [{ id: "m1", timestamp: new Date(), attempts: 1, body }]);
  const context = createExecutionContext();
  await worker.queue(batch, env, context);
  return getQueueResult(batch, context);
}

async function tick(): Promise<void> {
  const context = createExecutionContext();
  await worker.scheduled(createScheduledController({ cron: "* * * * *" }), env, context);
  await waitOnExecutionContext(context);
}

/** Answers with one row that has the counts of every statement. */
async function answerAsNeon(_input: unknown, init?: RequestInit): Promise<Response> {
  if (!databaseIsUp) {
    return new Response("the database is down", { status: 500 });
  }
  const body = String(init?.body);
  statements.push(body);
  const nothing = { command: "SELECT", rowCount: 0, fields: [], rows: [], rowAsArray: true };
  if (body.startsWith('{"queries"')) {
    const { queries }: { readonly queries: readonly Query[] } = JSON.parse(body);
    return Response.json({ results: queries.map((query) => answerWork(query) ?? nothing) });
  }
  const counts = ["inserted", "settled", "used_up", "written"].map((name) => ({ name, dataTypeID: 23 }));
  // A webhook wants all clicks.
  const fields = [...counts, { name: "isListening", dataTypeID: 16 }];
  return Response.json({
    command: "SELECT",
    rowCount: 1,
    fields,
    rows: [["3", "1", "0", "1", "t"]],
    rowAsArray: true,
  });
}

type Query = { readonly query: string; readonly params: readonly string[] };

/** Hands out what was enqueued, once; of the ledger nothing is left to compact. */
function answerWork({ query, params }: Query): object | null {
  if (query.includes("INSERT INTO work")) {
    work = JSON.parse(params[0] ?? "[]");
  }
  if (query.includes("nextInSeconds")) {
    const rows = work.map(({ kind }) => [kind, "0", "0"]);
    const fields = ["kind", "inSeconds", "nextInSeconds"].map((name, index) => ({
      name,
      dataTypeID: index === 0 ? 25 : 701,
    }));
    return { command: "SELECT", rowCount: rows.length, fields, rows, rowAsArray: true };
  }
  if (query.includes(COMPACTS)) {
    const fields = [{ name: "taken", dataTypeID: 23 }];
    return { command: "SELECT", rowCount: 1, fields, rows: [["0"]], rowAsArray: true };
  }
  if (!query.includes("AS wanted")) {
    return null;
  }
  const rows = work.map(({ kind, key }) => [kind, key, "{}", "1", "1"]);
  work = [];
  const fields = ["kind", "key", "payload", "revision", "attempts"].map((name) => ({ name, dataTypeID: 25 }));
  return { command: "UPDATE", rowCount: rows.length, fields, rows, rowAsArray: true };
}
