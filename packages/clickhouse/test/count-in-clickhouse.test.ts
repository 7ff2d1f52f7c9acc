/** Each click is counted once, whatever fails between the three steps, and however it is delivered again. */
import { HAS_CLICKHOUSE, CLICKHOUSE_HINT } from "@hopline/testkit/clickhouse/engine-cache";
import { insertDeadLetter } from "@hopline/db/ingest/insert-dead-letters";
import { compactLedger } from "@hopline/db/ledger/compact-ledger";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { runs } from "../../core/test/runs.ts";
import { aBatch, aSegmentEntry, LINK_ID, type SegmentShape, T0 } from "../../db/test/click-batch.ts";
import { TIMEOUT_MS, WORKSPACE } from "../../db/test/db-stage.ts";
import { untilWaitingForLock } from "../../db/test/lock-waits.ts";
import { compareStores } from "../src/compare-stores.ts";
import { useClickHouseStage } from "./clickhouse-stage.ts";
import { type Crash, dyingStores } from "./dying-stores.ts";

const QUARTER_MS = 900_000;
const RANGE = { sinceMs: T0 - 86_400_000, untilMs: T0 + 86_400_000 };

describe.skipIf(!HAS_CLICKHOUSE)(`Clicks that are counted in ClickHouse${CLICKHOUSE_HINT}`, () => {
  const stage = useClickHouseStage();

  const deliver = async (shapes: readonly SegmentShape[], crash: Crash = null): Promise<void> => {
    const stores = dyingStores({ runSql: stage.runSql, clickHouse: stage.clickHouse }, crash);
    await stage.countBatch(aBatch(shapes), stores).catch((error: unknown) => {
      if (crash === null) {
        throw error;
      }
    });
  };

  const counted = async () => {
    const [row] = await stage.select(
      `SELECT (SELECT coalesce(sum(clicks), 0)::int FROM workspace_rollups) AS workspace,
         (SELECT coalesce(sum(clicks), 0)::int FROM click_rollups) AS links,
         (SELECT coalesce(sum(total), 0)::int FROM link_totals) AS totals,
         (SELECT coalesce(sum(inserted), 0)::int FROM segment_ledger) AS ledger`,
    );
    return row;
  };
  const allAre = (clicks: number) => ({ workspace: clicks, links: clicks, totals: clicks, ledger: clicks });
  const compare = () =>
    compareStores({ runSql: stage.runSql, clickHouse: stage.clickHouse }, RANGE, TIMEOUT_MS);

  it("are in rollups, totals and ledger, and not in Postgres one by one", async () => {
    expect(await stage.count([{ count: 10 }, { first: 11, count: 5 }])).toBe(15);
    expect(await counted()).toEqual(allAre(15));
    expect(await stage.contents()).toEqual([15, 15]);
    expect(await stage.select("SELECT FROM click_events")).toEqual([]);
    expect(await compare()).toMatchObject({ different: 0, rows: 15 });
  });

  it.each<[Crash]>([[null], ["inserted"], ["counted"]])(
    "count once by the alias they came through, also if a delivery ends when they are %s",
    async (crash) => {
      await stage.select("TRUNCATE alias_clicks");
      const row = (index: number) => ({ alias: "spring", class: index === 0 ? "bot" : "human" });
      await deliver([{ count: 3, row }], crash);
      await deliver([
        { count: 3, row },
        { first: 4, count: 2 },
      ]);
      expect(await stage.select("SELECT link_id, slug, clicks::int FROM alias_clicks")).toEqual([
        { link_id: LINK_ID, slug: "spring", clicks: 2 },
      ]);
    },
  );

  it.each<[Crash]>([["looked up"], ["inserted"], ["counted"]])(
    "count once if a delivery ends when they are %s, and the next one has other neighbours",
    async (crash) => {
      await deliver([{ count: 10 }, { first: 11, count: 5 }], crash);
      await deliver(
        [
          { first: 11, count: 5 },
          { isolateId: "00c0ffee00000002", count: 3 },
        ],
        null,
      );
      await deliver([{ count: 10 }, { isolateId: "00c0ffee00000002", count: 3 }], null);
      expect(await counted()).toEqual(allAre(18));
      expect((await stage.contents())[1]).toBe(18);
      expect(await compare()).toMatchObject({ different: 0 });
    },
  );

  it("count once if two deliveries are counted at the same moment", async () => {
    const shapes = [{ count: 10 }];
    await Promise.allSettled([1, 2, 3, 4].map(() => deliver(shapes, null)));
    await deliver(shapes);
    expect(await counted()).toEqual(allAre(10));
  });

  it("are not counted again after their segments became one row", async () => {
    await stage.count([{ count: 10 }, { first: 11, count: 5 }]);
    await compactLedger(stage.runTransaction, TIMEOUT_MS);
    expect(await stage.count([{ first: 11, count: 5 }])).toBe(0);
    expect(await counted()).toEqual(allAre(15));
  });

  it("are not counted again by a statement that began before they were counted and became one row", async () => {
    const [others, again] = [
      { isolateId: "000000000000000a", count: 3 },
      { first: 11, count: 5 },
    ];
    const client = await stage.connect();
    try {
      // Whoever counts the others waits for this.
      await client.query("BEGIN");
      await client.query(
        `INSERT INTO segment_ledger (isolate_id, first_sequence, click_count, queue_delay_ms, first_clicked_at, last_clicked_at)
         VALUES ('000000000000000a', 1, 3, 0, now(), now())`,
      );
      const waiting = stage.count([others, again]).catch((error: unknown) => error);
      await untilWaitingForLock(client);
      await stage.count([{ count: 10 }, again]);
      await compactLedger(stage.runTransaction, TIMEOUT_MS);
      await client.query("ROLLBACK");
      expect(await waiting).toMatchObject({ code: "40001" });
    } finally {
      client.release();
    }
    expect(await stage.count([others, again])).toBe(3);
    expect(await counted()).toEqual(allAre(18));
  });

  it("are refused while clicks are counted in Postgres, and nothing is written", async () => {
    await stage.setMode("postgres");
    await expect(stage.count([{ count: 1 }])).rejects.toMatchObject({ code: "HL001" });
    expect(await stage.contents()).toEqual([0, 0]);
    await stage.setMode("clickhouse");
    await expect(stage.insert([{ count: 1 }])).rejects.toMatchObject({ code: "HL001" });
    expect(await counted()).toEqual(allAre(0));
  });

  it("of a link that has gone are counted without an owner, and ClickHouse has none of them", async () => {
    expect(await stage.count([{ count: 4, row: () => ({ linkId: WORKSPACE }) }])).toBe(4);
    expect(await stage.contents()).toEqual([0, 0]);
    expect(await counted()).toEqual({ workspace: 0, links: 4, totals: 0, ledger: 4 });
  });

  it("are in Postgres as well if a webhook or an open stream wants them", async () => {
    await stage.select(
      "INSERT INTO live_streams (id, workspace_id, ends_at) VALUES (gen_random_uuid(), $1, now() + interval '1 hour')",
      [WORKSPACE],
    );
    await deliver([{ count: 3 }], "counted");
    await deliver([{ count: 3 }]);
    expect(await stage.select("SELECT link_id::text AS link FROM click_events")).toEqual(
      Array(3).fill({ link: LINK_ID }),
    );
    await stage.select("TRUNCATE live_streams");
  });

  it("of a segment with a dead letter count without it, and the letter's click counts once when it is replayed", async () => {
    const entry = aSegmentEntry({ count: 10, part: [4, 5] });
    const letter = {
      id: "0198f3c2-0000-7000-8000-00000000000e",
      kind: "click_refused",
      reason: "linkVersion",
      source: "test",
      sealedBody: "sealed",
      clicks: { firstSequence: 5, count: 1, segment: { ...entry, deliveries: 0 } },
    } as const;
    await insertDeadLetter(stage.runSql, letter, TIMEOUT_MS);
    const whole = aBatch([{ count: 10 }]);
    const others = {
      ...whole,
      rows: whole.rows.filter((_row, index) => index !== 4),
      segmentOfRow: whole.segmentOfRow.slice(1),
    };
    expect((await stage.countBatch(others)).inserted).toBe(9);
    expect((await stage.countBatch(others)).inserted).toBe(0);
    const replayed = aBatch([{ count: 10, part: [4, 5] }]);
    const segments = replayed.segments.map((segment) => ({ ...segment, deliveries: 0 }));
    for (const inserted of [1, 0]) {
      expect((await stage.countBatch({ ...replayed, segments })).inserted).toBe(inserted);
    }
    expect(await counted()).toEqual(allAre(10));
    expect(
      await stage.select("SELECT rejected, replayed_at IS NULL AS open FROM segment_ledger, dead_letters"),
    ).toEqual([{ rejected: 0, open: false }]);
    expect(await compare()).toMatchObject({ different: 0 });
  });

  it("are counted once each, however often they come, in any order and company, wherever a delivery ends", async () => {
    const aSegment = fc.record({
      isolate: fc.integer({ min: 1, max: 3 }),
      place: fc.integer({ min: 0, max: 3 }),
    });
    const aDelivery = fc.record({
      segments: fc.uniqueArray(aSegment, {
        minLength: 1,
        maxLength: 4,
        selector: ({ isolate, place }) => `${isolate}/${place}`,
      }),
      crash: fc.constantFrom<Crash>(null, null, "looked up", "inserted", "counted"),
      isCompacted: fc.boolean(),
    });
    /** Some cross the end of a quarter of an hour, some come a day late. */
    const toShape = ({ isolate, place }: { isolate: number; place: number }): SegmentShape => ({
      isolateId: `00c0ffee0000000${isolate}`,
      first: 1 + place * 5,
      count: 5,
      row: (index) => ({
        clickedAtMs: T0 - (place === 3 ? 20 * 3_600_000 : 0) + place * QUARTER_MS + index * 200_000,
        class: index % 2 === 0 ? "human" : "bot",
      }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(aDelivery, { minLength: 1, maxLength: 8 }), async (deliveries) => {
        await stage.emptyClicks();
        await stage.execute("TRUNCATE TABLE clicks");
        for (const { segments, crash, isCompacted } of deliveries) {
          await deliver(segments.map(toShape), crash);
          if (isCompacted) {
            await compactLedger(stage.runTransaction, TIMEOUT_MS);
          }
        }
        // What was not acknowledged comes again.
        for (const { segments } of deliveries) {
          await deliver(segments.map(toShape));
        }
        const all = new Set(
          deliveries.flatMap(({ segments }) => segments.map(({ isolate, place }) => `${isolate}/${place}`)),
        );
        expect(await counted()).toEqual(allAre(all.size * 5));
        expect((await stage.contents())[1]).toBe(all.size * 5);
        expect(await compare()).toMatchObject({ different: 0 });
      }),
      runs(24),
    );
  });
});
