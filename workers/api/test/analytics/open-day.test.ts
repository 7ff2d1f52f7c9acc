/**
 * The running day, whatever happens in it: clicks of any moment and late ones of the day before, deliveries that end after any of their
 * steps and come again in other company, slices of the cube, and the removal of a link. Both engines say what the clicks say.
 */
import { randomUUID } from "node:crypto";
import { linkSubtraction } from "@hopline/analytics/cube/subtract-link";
import { removeClicks } from "@hopline/db/ledger/remove-clicks";
import { createNeonTransactions } from "@hopline/db/neon-client";
import { CLICKHOUSE_HINT, HAS_CLICKHOUSE } from "@hopline/testkit/clickhouse/engine-cache";
import fc from "fast-check";
import { afterAll, beforeAll, describe, it } from "vitest";
import { runs } from "../../../../packages/core/test/runs.ts";
import { aBatch, type SegmentShape } from "../../../../packages/db/test/click-batch.ts";
import type { Crash } from "../../../../packages/clickhouse/test/dying-stores.ts";
import {
  ALL,
  DAY_MS,
  HUMANS,
  isOneOf,
  makeDays,
  openWorld,
  publicLink,
  segmentOf,
  type World,
} from "./analytics-world.ts";
import { expectCounts, expectEvents } from "./expect-answers.ts";
import { callApi } from "../call-api.ts";
import { openStage, type Stage } from "../stage.ts";
import { openClickHouse, type TestClickHouse } from "../test-clickhouse.ts";

let stage: Stage;
let clickHouse: TestClickHouse | null;

beforeAll(async () => {
  clickHouse = HAS_CLICKHOUSE ? await openClickHouse() : null;
  stage = await openStage({ clickHouseUrl: clickHouse?.url ?? "" });
});
afterAll(async () => {
  await stage.close();
  await clickHouse?.close();
});

/** Of the running quarter of an hour, of the day, and of the day before. */
const SPANS = ["now", "now", "today", "today", "late", "late"] as const;

const spanOf = (span: (typeof SPANS)[number]): { readonly fromMs: number; readonly toMs: number } => {
  const nowMs = Date.now();
  const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  return {
    now: { fromMs: Math.max(todayMs, nowMs - 60_000), toMs: nowMs },
    today: { fromMs: todayMs, toMs: nowMs },
    late: { fromMs: todayMs - DAY_MS, toMs: todayMs },
  }[span];
};

const aDelivery = fc.record({
  places: fc.uniqueArray(fc.nat(SPANS.length - 1), { minLength: 1, maxLength: 3 }),
  crash: fc.constantFrom<Crash>(null, null, "looked up", "inserted", "counted"),
});
const aStep = fc.oneof(
  { arbitrary: aDelivery, weight: 4 },
  fc.constantFrom("a slice" as const, "a removal" as const),
);

const aQuestion = fc.record({
  edges: fc.uniqueArray(
    fc.oneof(
      ...[1, 900_000, DAY_MS].map((grainMs) => fc.nat((2 * DAY_MS) / grainMs).map((at) => at * grainMs)),
    ),
    { minLength: 2, maxLength: 2 },
  ),
  filters: fc.constantFrom(
    [ALL],
    [HUMANS],
    [ALL, isOneOf("country", "CH", null)],
    [isOneOf("browser", "Firefox")],
  ),
  dimension: fc.constantFrom("link", "country", "referrer", "browser", "device", "city", "tag"),
  timeZone: fc.constantFrom("UTC", "Europe/Zurich", "Asia/Kathmandu"),
  visitors: fc.boolean(),
});

/** Of each world in this database another. */
let seed = 100;

type Deliver = (places: readonly number[], crash: Crash) => Promise<void>;

function expectRight(
  countWith: (world: World, shapes: readonly SegmentShape[], crash: Crash) => Promise<unknown>,
) {
  return fc.assert(
    fc.asyncProperty(fc.array(aStep, { minLength: 5, maxLength: 9 }), aQuestion, async (steps, asked) => {
      seed += 1;
      const world = await openWorld(stage, seed);
      const shapes = SPANS.map((span, place) => segmentOf(world, place, { clicks: 6, ...spanOf(span) }));
      const deliver: Deliver = async (places, crash) => {
        const sent = places.flatMap((place) => shapes[place] ?? []);
        await countWith(world, sent, crash).catch((error: unknown) => {
          if (crash === null) {
            throw error;
          }
        });
      };
      const delivered = new Set<number>();
      const removed = new Set<string>();
      for (const step of steps) {
        if (step === "a slice") {
          await makeDays(world, () => true, true);
        } else if (step === "a removal") {
          removed.add(await removeLink(world));
        } else {
          await deliver(step.places, step.crash);
          step.places.forEach((place) => delivered.add(place));
          const isNew = ({ eventId }: { eventId: string }) =>
            !world.rows.some((row) => row.eventId === eventId);
          world.rows.push(...aBatch(step.places.flatMap((place) => shapes[place] ?? [])).rows.filter(isNew));
        }
      }
      // What was not acknowledged comes again, with whatever else.
      await deliver([...delivered].toReversed(), null);
      const left = world.rows.filter(({ linkId }) => !removed.has(linkId));
      world.rows.splice(0, world.rows.length, ...left);
      const yesterdayMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS;
      const { edges, ...narrow } = asked;
      const inDays = (edge: number) => yesterdayMs + edge;
      const common = { interval: "hour", limit: 3 };
      const whole = { fromMs: yesterdayMs, toMs: inDays(2 * DAY_MS), filters: [ALL], visitors: true };
      await expectCounts(world, { ...common, ...narrow, ...whole });
      const range = { fromMs: inDays(Math.min(...edges)), toMs: inDays(Math.max(...edges)) };
      await expectCounts(world, { ...common, ...narrow, ...range });
      await expectEvents(world, { ...whole, filters: narrow.filters }, 1);
    }),
    runs(12),
  );
}

/** Resolves to the link. */
async function removeLink(world: World): Promise<string> {
  const link = world.links.pop();
  const key = await stage.addKey(world.workspace, ["admin"]);
  await callApi(stage, `DELETE /api/v1/links/${publicLink(link)}?clicks=delete`, { key });
  const runTransaction = createNeonTransactions({
    databaseUrl: stage.databaseUrl,
    sqlEndpoint: stage.endpoint.url,
  });
  const options = {
    leaseId: randomUUID(),
    subtractLink: linkSubtraction(runTransaction, 30_000),
    timeoutMs: 30_000,
    endsAtMs: 600_000,
    nowMs: () => 0,
    fromDay: null,
  };
  await removeClicks(runTransaction, { workspaceId: world.workspace.id, linkId: link?.id ?? "" }, options);
  return link?.id ?? "";
}

it("a running day counted in Postgres is what its clicks say, whatever happens in it", () =>
  expectRight(async (world, shapes, crash) => {
    if (crash !== "looked up") {
      await world.count(aBatch(shapes));
    }
  }));

describe.skipIf(!HAS_CLICKHOUSE)(`Counted in ClickHouse${CLICKHOUSE_HINT}`, () => {
  beforeAll(async () => {
    await clickHouse?.moveIn(stage);
    // A part keeps the rows that it was inserted with.
    await clickHouse?.execute(
      "ALTER TABLE clicks MODIFY SETTING max_bytes_to_merge_at_max_space_in_pool = 1",
    );
  });

  it("a running day is what its clicks say, whatever happens in it", () =>
    expectRight(async (_world, shapes, crash) => clickHouse?.count(stage, aBatch(shapes), crash)));
});
