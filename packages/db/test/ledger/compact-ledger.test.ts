/** Segments become runs, on the Postgres that DATABASE_URL names; and whatever comes, in whatever order, each click counts once. */
import fc from "fast-check";
import { beforeEach, expect, it } from "vitest";
import { runs } from "../../../core/test/runs.ts";
import { insertDeadLetter } from "../../src/ingest/insert-dead-letters.ts";
import { toDatabaseFailure } from "../../src/database-failure.ts";
import { compactHandler, compactLedger } from "../../src/ledger/compact-ledger.ts";
import { dropOldClicks } from "../../src/ledger/drop-old-clicks.ts";
import { selectLedgerDays, toLedgerDays } from "../../src/ledger/find-ledger-days.ts";
import { toStatement } from "../../src/sql.ts";
import { aSegmentEntry, type SegmentShape, T0 } from "../click-batch.ts";
import { DAY_MS, TIMEOUT_MS, useDbStage } from "../db-stage.ts";
import { untilWaitingForLock } from "../lock-waits.ts";

const { select, insert, emptyClicks, runSql, runTransaction, connect } = useDbStage();

beforeEach(emptyClicks);

const compact = () => compactLedger(runTransaction, TIMEOUT_MS);
const rowsOf = async () =>
  (
    await select(
      "SELECT first_sequence, click_count, gap FROM segment_ledger ORDER BY isolate_id, first_sequence",
    )
  ).map((row) => Object.values(row).map(Number));
const readDay = async (sinceMs: number) =>
  toLedgerDays(await runSql(selectLedgerDays([sinceMs, sinceMs + DAY_MS]), TIMEOUT_MS), 1)[0];

it("the ledger has a row for each isolate and each gap, not for each segment, and says the same of the day", async () => {
  const at = (minute: number) => () => ({ clickedAtMs: T0 + minute * 60_000 });
  const shapes = Array.from({ length: 30 }, (_, index) => ({
    first: 1 + index * 10,
    count: index === 20 ? 8 : 10,
    row: at(index),
  }));
  await insert(shapes.toReversed());
  await insert([
    { first: 301, count: 0 },
    { isolateId: "0000000000000002", count: 3 },
  ]);
  const before = await readDay(T0);
  expect(before).toMatchObject({ accepted: 303, inserted: 301, waiting: 2 });
  expect(await compact()).toBe(32);
  expect(await compact()).toBe(0);
  expect(await rowsOf()).toEqual([
    [1, 3, 0],
    [1, 208, 0],
    [211, 90, 2],
  ]);
  expect(await readDay(T0)).toEqual(before);
  await insert([{ first: 209, count: 2, row: at(20) }]);
  await compact();
  expect(await rowsOf()).toContainEqual([1, 300, 0]);
  expect(await readDay(T0)).toMatchObject({ accepted: 303, inserted: 303, waiting: 0, missing: 0 });
});

it("batches have the ledger compacted, until there is nothing left to do", async () => {
  await insert([{ count: 10 }]);
  await insert([{ first: 11, count: 10 }]);
  expect(await select("SELECT key, due_at > now() AS waits FROM work WHERE kind = 'ledger'")).toEqual([
    { key: "all", waits: true },
  ]);
  const { run } = compactHandler({ runTransaction, nowMs: () => 0, mayGoOn: () => true });
  const item = { kind: "ledger", key: "all", payload: {}, revision: 1, attempts: 1 };
  const { signal } = new AbortController();
  expect(await run(item, signal)).toEqual({ againInSeconds: 45 });
  expect(await run(item, signal)).toBeUndefined();
});

it("what is delivered while its isolate is compacted waits, and counts once", async () => {
  const segments: readonly SegmentShape[] = [
    { count: 10 },
    { first: 11, count: 10, part: [0, 4] },
    { first: 21, count: 10 },
  ];
  await insert(segments);
  const client = await connect();
  try {
    await client.query("BEGIN");
    await compactLedger(async (wanted) => {
      for (const statement of wanted) {
        const { text, parameters } = toStatement(statement);
        await client.query(text, [...parameters]);
      }
      return wanted.map(() => []);
    }, TIMEOUT_MS);
    const again = Promise.all([insert([{ count: 10 }]), insert([{ first: 11, count: 10 }])]);
    await untilWaitingForLock(client, 2);
    await client.query("COMMIT");
    expect(await again).toEqual([0, 6]);
  } finally {
    client.release();
  }
  await compact();
  expect(await rowsOf()).toEqual([[1, 30, 0]]);
  expect(await readDay(T0)).toMatchObject({
    accepted: 30,
    inserted: 30,
    duplicate: 14,
    waiting: 0,
    missing: 0,
  });
});

/** Of one isolate: segments of these sizes, numbered one after the other. */
const SIZES = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 6 });
const INDEX = fc.nat({ max: 5 });
const STEPS = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("deliver" as const),
        index: INDEX,
        copies: fc.constantFrom(1, 1, 2),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("half" as const), index: INDEX, isSecond: fc.boolean() }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("refuse" as const), index: INDEX }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("replay" as const), index: INDEX }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("report" as const), index: INDEX }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("compact" as const) }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant("deliver while compacting" as const), index: INDEX }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("drop" as const) }) },
  ),
  { minLength: 4, maxLength: 16 },
);

it("any order of deliveries, halves, redeliveries, letters, replays, reports, compactions meanwhile and retention counts each click once", async () => {
  let life = 0;
  await fc.assert(
    fc.asyncProperty(SIZES, STEPS, async (sizes, steps) => {
      life += 1;
      const sinceMs = T0 + life * DAY_MS;
      const isolateId = life.toString(16).padStart(16, "0");
      const segments = sizes.map((count, index) => {
        const first = 1 + sizes.slice(0, index).reduce((sum, size) => sum + size, 0);
        const shape = {
          isolateId,
          first,
          count,
          row: (click: number) => ({ clickedAtMs: sinceMs + first + click }),
        };
        return { shape, counted: new Set<number>(), refused: 0, isKnown: false };
      });
      const sum = { duplicates: 0, until: 1 };
      let isDropped = false;
      const deliver = async (
        segment: (typeof segments)[number],
        part: readonly [number, number],
        copies = 1,
      ) => {
        const { shape, counted } = segment;
        const fresh = Array.from({ length: part[1] - part[0] }, (_, click) => part[0] + click).filter(
          // What was in click_events is gone: a segment that was counted in part takes no more.
          (click) => !counted.has(click) && !(isDropped && counted.size > 0),
        );
        expect(await insert([{ ...shape, part, copies }])).toBe(fresh.length);
        fresh.forEach((click) => counted.add(click));
        segment.refused = Math.min(segment.refused, shape.count - counted.size);
        segment.isKnown = true;
        sum.duplicates += (part[1] - part[0]) * copies - fresh.length;
        sum.until = Math.max(sum.until, shape.first + shape.count);
      };
      for (const step of steps) {
        const segment = "index" in step ? segments[step.index % segments.length] : undefined;
        const count = segment?.shape.count ?? 0;
        if (step.kind === "compact") {
          await compact();
        } else if (step.kind === "drop") {
          await select("DELETE FROM work");
          const endMs = sinceMs - (sinceMs % DAY_MS) + DAY_MS;
          const days = { beforeMs: endMs, nowMs: endMs, timeoutMs: TIMEOUT_MS };
          expect(await dropOldClicks(runSql, days)).not.toBeNull();
          isDropped = true;
        } else if (segment === undefined) {
          throw new Error("invariant: every other step has a segment");
        } else if (step.kind === "deliver") {
          await deliver(segment, [0, count], step.copies);
        } else if (step.kind === "deliver while compacting") {
          await Promise.all([compact().catch(stepsBack), deliver(segment, [0, count])]);
        } else if (step.kind === "half" && count > 1) {
          const middle = count >> 1;
          await deliver(segment, step.isSecond ? [middle, count] : [0, middle]);
        } else if (step.kind === "refuse" && !segment.counted.has(0) && segment.refused === 0) {
          await refuse(segment.shape);
          segment.refused = 1;
          segment.isKnown = true;
          sum.until = Math.max(sum.until, segment.shape.first + count);
        } else if (step.kind === "replay" && segment.refused > 0 && !isDropped) {
          await deliver(segment, [0, 1]);
        } else if (step.kind === "report") {
          await insert([{ ...segment.shape, count: 0 }]);
          sum.until = Math.max(sum.until, segment.shape.first);
        }
      }
      const inserted = segments.reduce((total, { counted }) => total + counted.size, 0);
      const rejected = segments.reduce((total, { refused }) => total + refused, 0);
      const accounts = {
        accepted: sum.until - 1,
        inserted,
        rejected,
        duplicate: sum.duplicates,
        waiting: sum.until - 1 - inserted - rejected,
        missing: 0,
      };
      expect(await readDay(sinceMs)).toEqual(accounts);
      await compact();
      expect(await readDay(sinceMs)).toEqual(accounts);
      const [rolled] = await select(
        "SELECT COALESCE(sum(clicks), 0)::int AS n FROM click_rollups WHERE bucket_start >= $1",
        [new Date(sinceMs)],
      );
      expect(rolled).toEqual({ n: inserted });
    }),
    runs(100),
  );
});

/** A compaction gives way to a batch that waits for it. */
function stepsBack(error: unknown): void {
  expect(toDatabaseFailure(error).sqlState).toBe("55P03");
}

/** Buries the first click of a segment. */
async function refuse(shape: SegmentShape): Promise<void> {
  const segment = { ...aSegmentEntry(shape), sentCount: 1, deliveries: 0 };
  const clicks = { firstSequence: segment.firstSequence, count: 1, segment };
  const letter = {
    kind: "click_refused" as const,
    reason: "23514",
    source: "test",
    sealedBody: "sealed.v1.x.y",
    clicks,
  };
  await insertDeadLetter(runSql, { ...letter, id: crypto.randomUUID() }, TIMEOUT_MS);
}
