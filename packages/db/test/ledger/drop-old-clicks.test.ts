/** Retention on the Postgres that DATABASE_URL names: by chunks on a hypertable, else by slices of rows. */
import { beforeEach, describe, expect, it } from "vitest";
import { compactLedger } from "../../src/ledger/compact-ledger.ts";
import { type EdgeReportRow, insertEdgeReports } from "../../src/ingest/insert-edge-reports.ts";
import { dropOldClicks, dropOldMisses } from "../../src/ledger/drop-old-clicks.ts";
import { selectLedgerDays, toLedgerDays } from "../../src/ledger/find-ledger-days.ts";
import { DAY_MS, DOMAIN, TIMEOUT_MS, useDbStage } from "../db-stage.ts";

const TODAY = Date.UTC(2026, 10, 21);
const options = { beforeMs: TODAY - 2 * DAY_MS, nowMs: TODAY, timeoutMs: TIMEOUT_MS, sliceRows: 7 };

const { select, insert, emptyClicks, runSql, runTransaction } = useDbStage();

beforeEach(emptyClicks);

const daysAgo = (days: number) => (index: number) => ({ clickedAtMs: TODAY - days * DAY_MS + index });

it("removes clicks before the day and keeps the rest, and the rollups", async () => {
  await insert([
    { isolateId: "0000000000000001", count: 20, row: daysAgo(5) },
    { isolateId: "0000000000000002", count: 20, row: daysAgo(5) },
    { isolateId: "0000000000000002", first: 21, count: 5, row: daysAgo(0) },
    { isolateId: "0000000000000003", count: 5, row: () => ({ clickedAtMs: options.beforeMs }) },
  ]);
  await select(
    `INSERT INTO dead_letters (id, kind, reason, source, body, created_at)
     VALUES (gen_random_uuid(), 'message_undecodable', 'format', 'test', 'sealed', '2026-11-01'),
            (gen_random_uuid(), 'message_undecodable', 'format', 'test', 'sealed', '2026-11-21')`,
  );

  await select("DELETE FROM work");
  await select("INSERT INTO work (kind, key) VALUES ('summary', 'of a workspace/2026-11-16')");
  expect(await dropOldClicks(runSql, options)).toBeNull();
  await select("DELETE FROM work");
  const report = await dropOldClicks(runSql, options);
  expect(report).toMatchObject({ ledgerRows: 0, deadLetters: 1 });
  expect([report?.events, report?.chunks]).toEqual(report?.events === null ? [null, 1] : [40, 0]);
  expect(await count("click_events")).toBe(10);
  expect(await sum("SELECT sum(clicks)::int AS n FROM click_rollups")).toBe(50);
  expect(await count("dead_letters")).toBe(1);

  expect(await dropOldClicks(runSql, options)).toMatchObject({ chunks: 0, ledgerRows: 0, deadLetters: 0 });
});

it("a click that is delivered again after retention has dropped it does not count again, compacted or not", async () => {
  const isolateId = "0000000000000001";
  const segmentAt = (first: number) => ({ isolateId, first, row: daysAgo(5) });
  const [first, second, inPart] = [segmentAt(1), segmentAt(11), segmentAt(21)];
  await insert([first, second]);
  await insert([{ ...inPart, part: [0, 5] }]);
  await select("DELETE FROM work");
  await dropOldClicks(runSql, options);
  expect(await count("click_events")).toBe(0);
  expect(await insert([second])).toBe(0);
  await compactLedger(runTransaction, TIMEOUT_MS);
  // Of the last one nobody knows any more which five were counted.
  expect([await insert([first]), await insert([second]), await insert([inPart])]).toEqual([0, 0, 0]);
  expect(await sum("SELECT sum(clicks)::int AS n FROM click_rollups")).toBe(25);
});

it("the ledger keeps isolates for 45 days, and what they said of each day for ever", async () => {
  await insert([
    { isolateId: "0000000000000001", first: 4, count: 10, row: daysAgo(50) },
    { isolateId: "0000000000000001", first: 14, count: 10, row: daysAgo(49) },
    { isolateId: "0000000000000002", first: 1, count: 5, row: daysAgo(50) },
    { isolateId: "0000000000000002", first: 6, count: 5, row: daysAgo(44) },
  ]);
  await insert([{ isolateId: "0000000000000001", first: 24, count: 10, part: [0, 3], row: daysAgo(49) }]);
  await select(
    "UPDATE segment_ledger SET first_settled_at = first_clicked_at, last_settled_at = first_clicked_at",
  );
  const edges = [51, 50, 49, 48, 0].map((days) => TODAY - days * DAY_MS);
  const readDays = async () => toLedgerDays(await runSql(selectLedgerDays(edges), TIMEOUT_MS), 4);
  const before = await readDays();
  expect(before).toMatchObject([
    { accepted: 0 },
    { accepted: 18, inserted: 15, missing: 3 },
    { accepted: 20, inserted: 13, missing: 7 },
    { accepted: 5, inserted: 5, missing: 0 },
  ]);
  await compactLedger(runTransaction, TIMEOUT_MS);
  expect(await readDays()).toEqual(before);
  await select("DELETE FROM work");
  expect(await dropOldClicks(runSql, options)).toMatchObject({ ledgerRows: 2 });
  expect(await readDays()).toEqual(before);
  expect(await count("segment_ledger")).toBe(1);
});

function count(table: string): Promise<number> {
  return sum(`SELECT count(*)::int AS n FROM ${table}`);
}

async function sum(statement: string): Promise<number> {
  return Number((await select(statement))[0]?.["n"]);
}

describe("visits without a link", () => {
  let number = 0;

  /** A report of an isolate, with visits by slug. */
  function aReport(asked: { readonly [slug: string]: number }, domainId = DOMAIN): EdgeReportRow {
    number += 1;
    const slugs = Object.entries(asked);
    const unknown = slugs.reduce((sum, [, visits]) => sum + visits, 0);
    const misses = [[domainId, 1, 0, unknown, slugs] as const];
    const report = { number, colo: null, feedAgeMs: null, feedGaps: 0, facts: null, cells: [], misses };
    return { isolateId: "00c0ffee00000001", report, colo: null };
  }

  const slugsOf = () =>
    select("SELECT slug, visits::int FROM missed_visits WHERE slug NOT LIKE '/%' ORDER BY visits DESC, slug");

  beforeEach(() => select("TRUNCATE missed_visits"));

  it("are counted once, for domains that there are, and by kind beside the slugs", async () => {
    const report = aReport({ sumer: 2 });
    await insertEdgeReports(
      runSql,
      [report, aReport({ a: 1 }, "0198f3c2-0000-7000-8000-00000000ffff")],
      TIMEOUT_MS,
    );
    await insertEdgeReports(runSql, [report, aReport({ sumer: 3, wintr: 1 })], TIMEOUT_MS);
    expect(await select("SELECT domain_id, slug, visits::int FROM missed_visits ORDER BY slug")).toEqual([
      { domain_id: DOMAIN, slug: "/root", visits: 2 },
      { domain_id: DOMAIN, slug: "/unknown", visits: 6 },
      { domain_id: DOMAIN, slug: "sumer", visits: 5 },
      { domain_id: DOMAIN, slug: "wintr", visits: 1 },
    ]);
  });

  it("are a hundred slugs a day at most, whatever comes, and no scan drives out what was asked for twice", async () => {
    await insertEdgeReports(runSql, [aReport({ sumer: 2, wintr: 3 })], TIMEOUT_MS);
    await Promise.all(
      Array.from({ length: 10 }, async (_, writer) => {
        for (let round = 0; round < 5; round += 1) {
          const scanned = Array.from({ length: 20 }, (__, index) => [`s-${writer}-${round}-${index}`, 1]);
          await insertEdgeReports(runSql, [aReport(Object.fromEntries(scanned))], TIMEOUT_MS);
          expect((await slugsOf()).length).toBeLessThanOrEqual(100);
        }
      }),
    );
    const kept = await slugsOf();
    expect(kept.length).toBe(100);
    expect(kept.slice(0, 2)).toEqual([
      { slug: "wintr", visits: 3 },
      { slug: "sumer", visits: 2 },
    ]);
    // The newest of those that were asked for once stay: one of them may be asked for again.
    await insertEdgeReports(runSql, [aReport({ newest: 1 })], TIMEOUT_MS);
    expect((await slugsOf()).map(({ slug }) => slug)).toContain("newest");
    expect(await select("SELECT visits::int FROM missed_visits WHERE slug = '/unknown'")).toEqual([
      { visits: 1_006 },
    ]);
  });

  it("go after their days", async () => {
    await insertEdgeReports(runSql, [aReport({ sumer: 2 })], TIMEOUT_MS);
    await select("INSERT INTO missed_visits SELECT domain_id, day - 2, slug, visits FROM missed_visits");
    const beforeMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS;
    expect(await dropOldMisses(runSql, { beforeMs, timeoutMs: TIMEOUT_MS, sliceRows: 2 })).toBe(3);
    expect(await slugsOf()).toEqual([{ slug: "sumer", visits: 2 }]);
  });
});
