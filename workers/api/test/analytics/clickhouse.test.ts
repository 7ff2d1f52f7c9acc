/** Answers where clicks are counted in ClickHouse, when it has others than were counted, or is away. That they are right: analytics.test.ts. */
import { randomUUID } from "node:crypto";
import { createNeonTransactions } from "@hopline/db/neon-client";
import { removeClicks } from "@hopline/db/ledger/remove-clicks";
import { CLICKHOUSE_HINT, HAS_CLICKHOUSE } from "@hopline/testkit/clickhouse/engine-cache";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  addClicks,
  ALL,
  ask,
  DAY_MS,
  HUMANS,
  isOneOf,
  matchingRows,
  openWorld,
  publicLink,
  toQuery,
  toText,
  type World,
} from "./analytics-world.ts";
import { type Counts, expectCounts, expectEvents, type Told } from "./expect-answers.ts";
import { callApi } from "../call-api.ts";
import { openStage, type Stage } from "../stage.ts";
import { openClickHouse, type TestClickHouse } from "../test-clickhouse.ts";

const QUARTER_MS = 900_000;
const NOW_MS = Date.now();
const TODAY_MS = Math.floor(NOW_MS / DAY_MS) * DAY_MS;
const FROM_MS = TODAY_MS - 8 * DAY_MS;
const KEPT_FROM_MS = TODAY_MS - 4 * DAY_MS;
const RANGE = { fromMs: FROM_MS, toMs: TODAY_MS + DAY_MS };

/** More than rollups have. */
const ASKED = {
  ...RANGE,
  filters: [
    ALL,
    { dimension: "country", values: ["CH", "DE"], isNot: false },
    { dimension: "device", values: ["phone"], isNot: true },
    { dimension: "browser", values: ["Firefox", null], isNot: false },
  ],
  visitors: true,
  interval: "day",
  timeZone: "UTC",
  limit: 2,
};

describe.skipIf(!HAS_CLICKHOUSE)(`Where clicks are counted in ClickHouse${CLICKHOUSE_HINT}`, () => {
  let clickHouse: TestClickHouse;
  let stage: Stage;
  let world: World;

  beforeAll(async () => {
    if (!HAS_CLICKHOUSE) {
      return;
    }
    clickHouse = await openClickHouse();
    stage = await openStage({ clickHouseUrl: clickHouse.url });
    world = await openWorld(stage);
    await clickHouse.moveIn(stage);
    // A part keeps the rows that it was inserted with.
    await clickHouse.execute("ALTER TABLE clicks MODIFY SETTING max_bytes_to_merge_at_max_space_in_pool = 1");
    world.count = (batch) => clickHouse.count(stage, batch);
    await addClicks(world, { ...RANGE, toMs: NOW_MS, clicks: 400, visitorsADay: 40 });
  });
  afterAll(async () => {
    await stage?.close();
    await clickHouse?.close();
  });

  const askTotals = (filters = ASKED.filters, range = RANGE) =>
    ask<Counts & Told & { range: { completeUntil: string | null } }>(
      world,
      "totals",
      toQuery({ ...range, filters }),
    );
  const countOf = (filters = ASKED.filters, range = RANGE) =>
    matchingRows(world, { ...range, filters }).length;
  const insertAgain = (where: string, replaced = "") =>
    clickHouse.execute(`INSERT INTO clicks SELECT * ${replaced} FROM clicks WHERE ${where}`);
  const quarterOf = (atMs: number) => `toDateTime(${Math.floor(atMs / QUARTER_MS) * 900}, 'UTC')`;

  it.each(["city", "link", "tag"])(
    "numbers of today and before are what the clicks say, by %s",
    (dimension) => expectCounts(world, { ...ASKED, dimension }),
  );

  it("clicks of the running quarter of an hour are in each answer as soon as they are counted", async () => {
    await addClicks(world, { clicks: 20, fromMs: Date.now() - 60_000, toMs: Date.now(), times: 2 });
    await expectCounts(world, { ...ASKED, dimension: "city" });
    await expectEvents(world, { ...RANGE, filters: [ALL] });
  });

  it("a click that was inserted twice is counted once, however long ago", async () => {
    for (const where of ["quarter = (SELECT max(quarter) FROM clicks)", "1"]) {
      await insertAgain(where);
      await expectCounts(world, { ...ASKED, dimension: "city" });
    }
    await expectEvents(world, { ...RANGE, filters: [isOneOf("country", "CH"), ALL] }, 1);
  });

  it("clicks that were inserted and not counted yet, or got lost, are named, and the rest is right", async () => {
    const [lost] = world.rows.filter(({ clickedAtMs }) => clickedAtMs < TODAY_MS - 2 * DAY_MS);
    const lostMs = lost?.clickedAtMs ?? 0;
    const where = `quarter = ${quarterOf(lostMs)}`;
    await insertAgain(where, "REPLACE(generateUUIDv4() AS event_id)");
    const completeUntil = new Date(Math.floor(lostMs / QUARTER_MS) * QUARTER_MS).toISOString();
    expect((await askTotals()).range).toMatchObject({ complete: false, completeUntil });
    const before = { fromMs: FROM_MS, toMs: Date.parse(completeUntil) };
    expect(await askTotals(ASKED.filters, before)).toMatchObject({
      clicks: countOf(ASKED.filters, before),
      range: { complete: true },
    });
    // What rollups have is right all the same.
    expect(await askTotals([ALL])).toMatchObject({ clicks: countOf([ALL]), range: { complete: true } });
    await clickHouse.execute(`DELETE FROM clicks WHERE ${where} AND event_id NOT IN (
      SELECT event_id FROM clicks WHERE substring(toString(event_id), 1, 8) = '00c0ffee')`);
    expect((await askTotals()).range).toMatchObject({ complete: true });
    await clickHouse.execute("CREATE TABLE lost AS clicks");
    const isLost = `event_id = '${lost?.eventId}'`;
    await clickHouse.execute(`INSERT INTO lost SELECT * FROM clicks WHERE ${isLost} LIMIT 1`);
    await clickHouse.execute(`DELETE FROM clicks WHERE ${isLost}`);
    expect((await askTotals()).range).toMatchObject({ complete: false, completeUntil });
    await clickHouse.execute("INSERT INTO clicks SELECT * FROM lost");
    expect((await askTotals()).range).toMatchObject({ complete: true });
  });

  it("a link's clicks are in no answer from when they were removed, also those that ClickHouse still has or gets late", async () => {
    const [doomed] = world.links;
    const linkId = doomed?.id ?? "";
    await stage.client.query("DELETE FROM links WHERE id = $1", [linkId]);
    const options = {
      leaseId: randomUUID(),
      subtractLink: () => Promise.reject(new Error("there is no cube")),
      timeoutMs: 30_000,
      endsAtMs: Infinity,
      nowMs: () => 0,
      fromDay: null,
    };
    const runTransaction = createNeonTransactions({
      databaseUrl: stage.databaseUrl,
      sqlEndpoint: stage.endpoint.url,
    });
    const target = { workspaceId: world.workspace.id, linkId };
    expect(await removeClicks(runTransaction, target, options)).toEqual({ outcome: "kept out" });
    const left = world.rows.filter((row) => row.linkId !== linkId);
    world.rows.splice(0, world.rows.length, ...left);
    world.links.splice(0, 1);
    await expectCounts(world, { ...ASKED, dimension: "city" });
    await clickHouse.execute(
      `INSERT INTO clicks SELECT * REPLACE('${linkId}' AS link_id, generateUUIDv4() AS event_id) FROM clicks LIMIT 5`,
    );
    await expectCounts(world, { ...ASKED, dimension: "link" });
    await clickHouse.execute(`DELETE FROM clicks WHERE link_id = '${linkId}'`);
    await stage.client.query("DELETE FROM clickhouse_removals");
    await expectCounts(world, { ...ASKED, dimension: "link" });
  });

  it("what is past retention has totals and series, and the answer to anything else says so", async () => {
    await stage.client.query("INSERT INTO event_retention (kept_from) VALUES ($1)", [
      new Date(KEPT_FROM_MS).toISOString(),
    ]);
    expect(await askTotals([ALL])).toMatchObject({ clicks: countOf([ALL]), range: { complete: true } });
    const kept = { ...RANGE, fromMs: KEPT_FROM_MS };
    expect(await askTotals()).toMatchObject({
      clicks: countOf(ASKED.filters, kept),
      range: { complete: false },
    });
    await clickHouse.execute(`DELETE FROM clicks WHERE quarter < ${quarterOf(KEPT_FROM_MS)}`);
    await expectCounts(world, { ...ASKED, ...kept, dimension: "city" });
  });

  it("what rollups have in few rows is answered while ClickHouse is away; other questions are told to come back", async () => {
    await clickHouse.kill();
    const log = vi.spyOn(console, "log").mockReturnValue();
    for (const [dimension, filters] of [
      ["domain", [HUMANS]],
      ["domain", [ALL]],
      ["link", [HUMANS, isOneOf("link", publicLink(world.links[1]))]],
    ] as const) {
      await expectCounts(world, {
        ...ASKED,
        filters,
        visitors: false,
        timeZone: "Asia/Kathmandu",
        dimension,
      });
    }
    expect(log.mock.calls).toEqual([]);
    const { status, body } = await callApi<{ code: string }>(
      stage,
      `GET /api/v1/analytics/totals?${toText(toQuery(ASKED))}`,
      { key: world.key },
    );
    expect([status, body.code]).toEqual([503, "database_unavailable"]);
    expect(log.mock.calls.join("\n")).toContain("clickhouse.failed");
    log.mockRestore();
  });
});
