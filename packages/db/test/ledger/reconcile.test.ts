import { beforeEach, describe, expect, it } from "vitest";
import { countLinkTotals } from "../../src/ledger/count-link-totals.ts";
import { dropOldClicks } from "../../src/ledger/drop-old-clicks.ts";
import {
  SELECT_LEDGER_REACH,
  selectLedgerDays,
  toLedgerDays,
  toLedgerReach,
} from "../../src/ledger/find-ledger-days.ts";
import { findLedgerTotals, findOldestDay, type LedgerTotals } from "../../src/ledger/find-ledger-totals.ts";
import { reconcile, widenToBuckets } from "../../src/ledger/reconcile.ts";
import { T0 } from "../click-batch.ts";
import { DAY_MS, TIMEOUT_MS, useDbStage } from "../db-stage.ts";

const QUARTER_MS = 900_000;

const GOOD: LedgerTotals = {
  isolates: 1,
  segments: 2,
  delivered: 100,
  inserted: 97,
  duplicates: 40,
  rejected: 3,
  gaps: 0,
  events: 97,
  rollupDifference: 0,
  totalDifference: 0,
  openLetters: 2,
  openUndecodable: 0,
};

describe("the arithmetic", () => {
  it("adds up if every click is inserted or rejected", () => {
    expect(reconcile(GOOD)).toEqual({
      accepted: 100,
      inserted: 97,
      duplicate: 40,
      rejected: 3,
      missing: 0,
      rollupDifference: 0,
      totalDifference: 0,
      eventDifference: 0,
      addsUp: true,
    });
  });

  it.each<[string, Partial<LedgerTotals>, object]>([
    ["a gap", { gaps: 5 }, { accepted: 105, missing: 5 }],
    ["a segment that is partly settled", { inserted: 90, events: 90 }, { accepted: 100, missing: 7 }],
    ["rollups that drifted", { rollupDifference: 1 }, { rollupDifference: 1 }],
    ["totals of links that drifted", { totalDifference: 1 }, { totalDifference: 1 }],
    ["missing events", { events: 96 }, { eventDifference: -1 }],
    ["events that the ledger does not know", { events: 98 }, { eventDifference: 1 }],
    ["a gap hidden by a segment that claims too many clicks", { gaps: 3, inserted: 100 }, { missing: 0 }],
  ])("does not add up with %s", (_name, change, expected) => {
    expect(reconcile({ ...GOOD, ...change })).toMatchObject({ ...expected, addsUp: false });
  });

  it("widens a range to whole buckets, and keeps a range of whole buckets", () => {
    const whole = { sinceMs: T0, untilMs: T0 + QUARTER_MS };
    expect(widenToBuckets(T0 + 1, T0 + 2)).toEqual(whole);
    expect(widenToBuckets(whole.sinceMs, whole.untilMs)).toEqual(whole);
  });
});

const NONE = {
  accepted: 0,
  inserted: 0,
  duplicate: 0,
  rejected: 0,
  waiting: 0,
  missing: 0,
};

describe("the numbers", () => {
  const { select, insert, emptyClicks, runAs, runTransaction, runSql: runAsConsumer } = useDbStage();
  const runSql = runAs("hopline_reader");

  beforeEach(emptyClicks);

  const reconcileRange = async (sinceMs: number, untilMs: number) =>
    reconcile(await findLedgerTotals(runSql, { sinceMs, untilMs }, TIMEOUT_MS));

  it("count clicks that were numbered but not delivered, before the first segment and between two", async () => {
    await insert([
      { isolateId: "0000000000000001", first: 4, count: 10 },
      { isolateId: "0000000000000001", first: 21, count: 10 },
      { isolateId: "0000000000000002", first: 1, count: 5 },
    ]);
    expect(await reconcileRange(0, T0 + QUARTER_MS)).toMatchObject({
      accepted: 35,
      inserted: 25,
      missing: 10,
      addsUp: false,
    });
    await insert([
      { isolateId: "0000000000000001", first: 1, count: 3 },
      { isolateId: "0000000000000001", first: 14, count: 7 },
    ]);
    expect(await reconcileRange(0, T0 + QUARTER_MS)).toMatchObject({
      accepted: 35,
      missing: 0,
      addsUp: true,
    });
  });

  it("name the last clicks of an isolate that only a report knows of, until they arrive", async () => {
    const isolateId = "0000000000000001";
    const reported = { isolateId, first: 11, count: 0 };
    await insert([{ isolateId, first: 1, count: 8 }, reported]);
    expect(await reconcileRange(0, T0 + QUARTER_MS)).toMatchObject({ accepted: 10, missing: 2 });
    await insert([{ isolateId, first: 9, count: 2 }]);
    await insert([{ isolateId, first: 11, count: 3 }]);
    await insert([reported]);
    expect(await reconcileRange(0, T0 + QUARTER_MS)).toMatchObject({
      accepted: 13,
      inserted: 13,
      duplicate: 0,
      missing: 0,
      addsUp: true,
    });
  });

  it("of two adjacent ranges add up to those of both, with a segment and a gap across the edge", async () => {
    const across = (index: number) => ({ clickedAtMs: T0 + QUARTER_MS - 5 + index });
    await insert([
      { first: 3, count: 4, row: (index) => ({ clickedAtMs: T0 + index }) },
      { first: 7, count: 10, row: across },
      { first: 20, count: 5, row: (index) => ({ clickedAtMs: T0 + QUARTER_MS + 100 + index }) },
    ]);
    const before = await reconcileRange(T0, T0 + QUARTER_MS);
    const after = await reconcileRange(T0 + QUARTER_MS, T0 + 2 * QUARTER_MS);
    // The five of the second segment that were before the edge, and the five behind it.
    expect(before).toMatchObject({
      accepted: 11,
      inserted: 9,
      missing: 2,
      eventDifference: 0,
      rollupDifference: 0,
    });
    expect(after).toMatchObject({
      accepted: 13,
      inserted: 10,
      missing: 3,
      eventDifference: 0,
      rollupDifference: 0,
    });
    expect(await reconcileRange(T0, T0 + 2 * QUARTER_MS)).toMatchObject({
      accepted: 24,
      inserted: 19,
      missing: 5,
    });
  });

  it("show a rollup that differs from its events, and a missing event", async () => {
    await insert([{ count: 10 }]);
    await select("UPDATE click_rollups SET clicks = clicks + 1");
    expect(await reconcileRange(0, T0 + QUARTER_MS)).toMatchObject({ rollupDifference: 1, addsUp: false });
    await select("UPDATE click_rollups SET clicks = clicks - 1");
    await select("DELETE FROM click_events WHERE event_id = (SELECT event_id FROM click_events LIMIT 1)");
    expect(await reconcileRange(0, T0 + QUARTER_MS)).toMatchObject({
      // One in each of the two rollups.
      rollupDifference: 2,
      eventDifference: -1,
    });
  });

  it("of each day add up to those of all days together, and what is missing is only waiting at first", async () => {
    const day = 86_400_000;
    const at = (offset: number) => (index: number) => ({ clickedAtMs: T0 + offset + index });
    await insert([
      { first: 3, count: 4, row: at(0) },
      // Across midnight, with a gap before it.
      { first: 9, count: 10, row: at(day / 2 - 5) },
      { isolateId: "0000000000000002", first: 1, count: 5, copies: 2, row: at(day / 2 + 10) },
      { isolateId: "0000000000000002", first: 7, count: 5, row: at(2 * day) },
    ]);
    await select("UPDATE segment_ledger SET inserted = inserted - 3, rejected = 2 WHERE first_sequence = 7");
    const midnight = Date.UTC(2026, 10, 21);
    const edges = [midnight, midnight + day, midnight + 2 * day, midnight + 3 * day];
    const readDays = async () => toLedgerDays(await runSql(selectLedgerDays(edges), TIMEOUT_MS), 3);
    const waiting = await readDays();
    expect(waiting).toEqual([
      { ...NONE, accepted: 13, inserted: 9, waiting: 4 },
      { ...NONE, accepted: 10, inserted: 10, duplicate: 5 },
      { ...NONE, accepted: 6, inserted: 2, rejected: 2, waiting: 2 },
    ]);
    await select("UPDATE segment_ledger SET first_settled_at = now() - interval '16 minutes'");
    await select("UPDATE segment_ledger SET last_settled_at = now() - interval '16 minutes'");
    const settled = await readDays();
    expect(settled).toEqual(waiting.map((one) => ({ ...one, waiting: 0, missing: one.waiting })));
    const sum = (name: keyof (typeof settled)[number]) =>
      settled.reduce((total, one) => total + one[name], 0);
    const whole = await reconcileRange(midnight, midnight + 3 * day);
    expect(whole).toMatchObject({
      accepted: sum("accepted"),
      inserted: sum("inserted"),
      duplicate: sum("duplicate"),
      rejected: sum("rejected"),
      missing: sum("missing"),
    });
    const reach = await runSql(SELECT_LEDGER_REACH, TIMEOUT_MS);
    expect(toLedgerReach(reach)).toEqual({
      countedUntilMs: T0 + 2 * day,
      openLetters: 0,
      unreadableLetters: 0,
      oldestLetterMs: null,
    });
  });

  it("add up where retention has removed a day, wholly or in part, and late clicks have come into it since", async () => {
    const today = (index: number) => ({ clickedAtMs: T0 + DAY_MS + index });
    await insert([{ count: 10 }, { first: 11, count: 10, row: today }]);
    await select("DELETE FROM work");
    const options = { beforeMs: Date.UTC(2026, 10, 22), nowMs: T0 + DAY_MS, timeoutMs: TIMEOUT_MS };
    expect(await dropOldClicks(runAsConsumer, options)).not.toBeNull();
    await insert([{ isolateId: "0000000000000002", count: 3 }]);
    const whole = await reconcileRange(0, T0 + 2 * DAY_MS);
    expect(whole).toMatchObject({ inserted: 23, eventDifference: 0, rollupDifference: 0, addsUp: true });
    expect(await reconcileRange(T0, T0 + QUARTER_MS)).toMatchObject({ inserted: 13, addsUp: true });
    await select("UPDATE click_rollups SET clicks = clicks - 1 WHERE bucket_start = $1", [new Date(T0)]);
    expect(await reconcileRange(0, T0 + 2 * DAY_MS)).toMatchObject({ eventDifference: -1, addsUp: false });
  });

  it("show a link whose total is not that of its clicks, until it is counted again", async () => {
    await insert([{ count: 10 }]);
    await select("UPDATE link_totals SET total = total + 2");
    expect(await reconcileRange(0, T0 + QUARTER_MS)).toMatchObject({ totalDifference: 2, addsUp: false });
    await countLinkTotals(runTransaction, TIMEOUT_MS);
    expect(await reconcileRange(0, T0 + QUARTER_MS)).toMatchObject({ totalDifference: 0, addsUp: true });
  });

  it("begin with the day of the oldest click that was counted", async () => {
    expect(await findOldestDay(runSql, TIMEOUT_MS)).toBeNull();
    await insert([{ count: 2 }]);
    expect(await findOldestDay(runSql, TIMEOUT_MS)).toBe(Date.UTC(2026, 10, 21));
  });
});
