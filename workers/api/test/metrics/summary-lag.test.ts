/** The metrics of pre-aggregation: what the job has yet to do, from the job's own statement. */
import { createNeonTransactions } from "@hopline/db/neon-client";
import { summarisePeriod } from "@hopline/db/summaries/summarise-period";
import { MIN_PERIOD_CLICKS } from "@hopline/db/summaries/summary-bounds";
import { beforeEach, expect, it } from "vitest";
import { readSummaryLag } from "../../src/metrics/read-summary-lag.ts";
import { addClicks, openWorld, type World } from "../analytics/analytics-world.ts";
import { parseExposition } from "./parse-exposition.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { METRICS_TOKEN, type Stage, type Workspace } from "../stage.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TODAY = Date.UTC(2026, 10, 20);
/** 15:30. */
const NOW = TODAY + 15.5 * HOUR_MS;

const { stage } = await openKeyedStage("admin");
const runTransaction = createNeonTransactions({
  databaseUrl: stage.databaseUrl,
  sqlEndpoint: stage.endpoint.url,
});

let workspace: Workspace;
let world: World;
let isolates = 0;

beforeEach(async () => {
  await stage.client.query(
    "TRUNCATE click_events, click_rollups, workspace_rollups, segment_ledger, summary_periods",
  );
  workspace = await stage.addWorkspace();
  world = await openWorld(stage, workspace);
});

const click = (fromMs: number, clicks = MIN_PERIOD_CLICKS) => {
  isolates += 1;
  const isolateId = `00c0ffee0001${String(isolates).padStart(4, "0")}`;
  return addClicks(stage, world, {
    isolateId,
    clicks,
    timesMs: Array.from({ length: clicks }, (_, index) => fromMs + index),
  });
};
const summarise = (fromMs: number, toMs: number) =>
  summarisePeriod(runTransaction, { workspaceId: workspace.id, fromMs, toMs }, { timeoutMs: 30_000 });
const lagAt = (nowMs: number) => readSummaryLag(stage.database, nowMs);
const NONE = { periods: 0, oldestSeconds: 0 };

it("is the time since the end of the oldest hour or day that is over and not pre-aggregated", async () => {
  await click(TODAY + 12 * HOUR_MS);
  await click(TODAY + 13 * HOUR_MS);
  await click(TODAY - 20 * HOUR_MS);
  expect(await lagAt(NOW)).toEqual({ periods: 3, oldestSeconds: 15.5 * 3_600 });
  await summarise(TODAY - DAY_MS, TODAY);
  expect(await lagAt(NOW)).toEqual({ periods: 2, oldestSeconds: 2.5 * 3_600 });
  await summarise(TODAY + 12 * HOUR_MS, TODAY + 13 * HOUR_MS);
  expect(await lagAt(NOW)).toEqual({ periods: 1, oldestSeconds: 1.5 * 3_600 });
  await summarise(TODAY + 13 * HOUR_MS, TODAY + 14 * HOUR_MS);
  expect(await lagAt(NOW)).toEqual(NONE);
});

it("ignores periods that are not over, have too few clicks, or are older than three days", async () => {
  await click(TODAY + 15 * HOUR_MS);
  await click(TODAY + 12 * HOUR_MS, MIN_PERIOD_CLICKS - 1);
  await click(TODAY - 4 * DAY_MS);
  expect(await lagAt(NOW)).toEqual(NONE);
  await click(TODAY - 3 * DAY_MS);
  expect(await lagAt(NOW)).toEqual({ periods: 1, oldestSeconds: (2 * DAY_MS + NOW - TODAY) / 1_000 });
});

it("returns with a late click", async () => {
  await click(TODAY + 12 * HOUR_MS);
  await summarise(TODAY + 12 * HOUR_MS, TODAY + 13 * HOUR_MS);
  expect(await lagAt(NOW)).toEqual(NONE);
  await click(TODAY + 12 * HOUR_MS, 1);
  expect(await lagAt(NOW)).toEqual({ periods: 1, oldestSeconds: 2.5 * 3_600 });
});

it("covers all workspaces", async () => {
  await click(TODAY + 13 * HOUR_MS);
  workspace = await stage.addWorkspace();
  world = await openWorld(stage, workspace);
  await click(TODAY + 10 * HOUR_MS);
  expect(await lagAt(NOW)).toEqual({ periods: 2, oldestSeconds: 4.5 * 3_600 });
});

const scrape = async (change: Parameters<Stage["appWith"]>[1]) => {
  const response = await stage.appWith({}, { nowMs: () => NOW, ...change }).request("/api/metrics", {
    headers: { authorization: `Bearer ${METRICS_TOKEN}` },
  });
  expect(response.status).toBe(200);
  return parseExposition(await response.text());
};

it("is among the metrics", async () => {
  await click(TODAY + 12 * HOUR_MS);
  const families = await scrape({});
  expect(families.get("hopline_summaries_wanted")).toMatchObject([{ value: 1 }]);
  expect(families.get("hopline_summaries_oldest_seconds")).toMatchObject([{ value: 9_000 }]);
});

it("is the only metric left out when its statement takes too long", async () => {
  const canceled = Object.assign(new Error("canceling statement due to statement timeout"), {
    code: "57014",
  });
  const textOf = (statement: object): string =>
    "getQuery" in statement && typeof statement.getQuery === "function"
      ? String(statement.getQuery().sql)
      : "";
  const batch: Stage["database"]["batch"] = (statements) =>
    statements.some((one) => textOf(one).includes("summary_periods"))
      ? Promise.reject(canceled)
      : stage.database.batch(statements);
  const database: Stage["database"] = Object.create(stage.database, { batch: { value: batch } });
  const families = await scrape({ database });
  expect(families.has("hopline_missing_clicks")).toBe(true);
  expect([...families.keys()].filter((name) => name.startsWith("hopline_summaries"))).toEqual([]);
});
