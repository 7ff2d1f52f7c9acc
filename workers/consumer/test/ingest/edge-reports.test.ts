/** Reports that come with segments or alone: each is counted, and none costs a click. */
import { encodeSegment } from "@hopline/core/click/segment";
import { cellOf, type EdgeReport } from "@hopline/core/click/edge-report";
import { expect, it } from "vitest";
import { handleBatch } from "../../src/ingest/handle-batch.ts";
import { aMessage, aSegment, aStage, databaseError, segmentMessage } from "../consumer-stage.ts";

const QUEUE = "hopline-clicks-0";

function aReport(number: number, colo: string | null = null): EdgeReport {
  const cells = [{ cell: cellOf("kv", 302, 7), answers: 1, totalMs: 7 }];
  return { number, colo, feedAgeMs: null, feedGaps: 0, facts: null, cells };
}

function alone(number: number) {
  const segment = { isolateId: "00c0ffee00000001", firstSequence: 1, clicks: [] };
  return aMessage(encodeSegment({ ...segment, report: aReport(number, "FRA") }));
}

it("a report with clicks is counted for the data centre that the clicks name", async () => {
  const { deps, batches, reports } = aStage();
  const message = aMessage(encodeSegment({ ...aSegment(1, 2), report: aReport(1) }));
  await handleBatch(QUEUE, [message], deps);
  expect([message.settled, batches.length]).toEqual(["ack", 1]);
  expect(reports).toEqual([{ isolateId: "00c0ffee00000001", report: aReport(1), colo: "ZRH", queue: QUEUE }]);
});

it.each([
  ["hopline-clicks-63-staging", "hopline-clicks-63-staging"],
  ["hopline-clicks-dead", undefined],
  ["spill", undefined],
])(
  "a report that %s delivers is counted for the queue %s: only shards are labels of metrics",
  async (source, queue) => {
    const { deps, reports } = aStage();
    await handleBatch(source, [alone(1)], deps);
    expect(reports.map((row) => row.queue)).toEqual([queue]);
  },
);

it("a report alone is counted, and not mistaken for the clicks that will have its number", async () => {
  const { deps, batches, reports } = aStage();
  const messages = [alone(1), alone(2), segmentMessage(1, 3)];
  await handleBatch(QUEUE, messages, deps);
  expect(messages.map(({ settled }) => settled)).toEqual(["ack", "ack", "ack"]);
  expect(batches.map(({ segments }) => segments.map(({ clickCount }) => clickCount))).toEqual([[3]]);
  expect(reports.map(({ report, colo }) => [report.number, colo])).toEqual([
    [1, "FRA"],
    [2, "FRA"],
  ]);
});

it("a report that cannot be counted is dropped, and its clicks are not delivered again", async () => {
  const { deps, batches, log } = aStage({ insertEdgeReports: () => Promise.reject(databaseError("42501")) });
  const reporting = aMessage(encodeSegment({ ...aSegment(1, 2), report: aReport(1) }));
  const other = segmentMessage(3, 1);
  await handleBatch(QUEUE, [reporting, other], deps);
  expect(batches).toHaveLength(1);
  expect([reporting.settled, other.settled]).toEqual(["ack", "ack"]);
  expect(log).toContainEqual(
    expect.objectContaining({ event: "reports.dropped", reports: 1, sqlState: "42501" }),
  );
});

it("a report comes again with clicks that have to, and the database is not asked for it during an outage", async () => {
  const { deps, reports, log } = aStage({ insertClicks: () => Promise.reject(databaseError("57P01")) });
  const reporting = aMessage(encodeSegment({ ...aSegment(1, 2), report: aReport(1) }));
  const lonely = alone(2);
  await handleBatch(QUEUE, [reporting, lonely], deps);
  expect([reporting.settled, lonely.settled]).toEqual([{ retryAfterSeconds: 3 }, "ack"]);
  expect([reports, log.filter(({ event }) => event === "reports.dropped")]).toEqual([[], []]);
});

it("reports of ten seconds' batches are one statement, and what an outage leaves over is dropped and counted", async () => {
  let nowMs = 0;
  let statements = 0;
  const counted: number[] = [];
  const { deps, log } = aStage({
    nowMs: () => nowMs,
    insertEdgeReports: async (rows) => {
      statements += 1;
      counted.push(rows.length);
    },
  });
  for (; nowMs < 60_000; nowMs += 100) {
    const number = nowMs / 100 + 1;
    await handleBatch(
      QUEUE,
      [aMessage(encodeSegment({ ...aSegment(number, 1), report: aReport(number) }))],
      deps,
    );
  }
  expect([statements, counted]).toEqual([6, [1, 100, 100, 100, 100, 100]]);
  const rows = Array.from({ length: 4_999 }, (_, index) => ({
    isolateId: "00c0ffee00000002",
    report: aReport(index + 1),
    colo: null,
  }));
  await deps.countReports(rows, true);
  expect(log.at(-1)).toEqual({
    event: "reports.dropped",
    reports: 5_098,
    reason: "too_many",
    sqlState: null,
  });
});

it("a report alone comes again during an outage: what it says of the clicks is never dropped", async () => {
  const { deps } = aStage({ insertClicks: () => Promise.reject(databaseError("57P01")) });
  const lonely = alone(1);
  await handleBatch(QUEUE, [lonely], deps);
  expect(lonely.settled).toEqual({ retryAfterSeconds: 3 });
});

it("a report alone tells the ledger how many clicks its isolate has numbered", async () => {
  const { deps, batches, reports } = aStage({
    insertEdgeReports: () => Promise.reject(databaseError("42501")),
  });
  const segment = { isolateId: "00c0ffee00000001", firstSequence: 8, clicks: [] };
  const messages = [1, 2].map((number) =>
    aMessage(encodeSegment({ ...segment, report: aReport(number, "FRA") }), { id: `r${number}` }),
  );
  await handleBatch(QUEUE, messages, deps);
  expect(batches.map(({ rows, segments }) => ({ rows, segments }))).toMatchObject([
    {
      rows: [],
      segments: [{ firstSequence: 8, clickCount: 0, sentCount: 0, firstClickedAtMs: deps.nowMs() }],
    },
  ]);
  expect([messages.map(({ settled }) => settled), reports]).toEqual([["ack", "ack"], []]);
});

it("a batch tells how often its messages were retried", async () => {
  const { deps, batches } = aStage();
  await handleBatch(QUEUE, [segmentMessage(1, 1, 3), segmentMessage(2, 1, 1)], deps);
  expect(batches[0]?.retries).toBe(2);
});
