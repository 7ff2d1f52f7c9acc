/**
 * The pre-aggregation job is interrupted: its connection ends inside the transaction, while the server keeps running. At every
 * table that it writes, for new summaries and for those that a late click made stale.
 */
import { DRIFTS, findDrift } from "@hopline/db/summaries/find-drift";
import { findUnsummarised } from "@hopline/db/summaries/find-unsummarised";
import { findUnsummarisedWeeks } from "@hopline/db/summaries/find-unsummarised-weeks";
import { createNeonClient, createNeonTransactions } from "@hopline/db/neon-client";
import { summarisePeriod } from "@hopline/db/summaries/summarise-period";
import { summariseWeek, WEEK_MS } from "@hopline/db/summaries/summarise-week";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { addClicks, openWorld, publicLink, type World } from "./analytics-world.ts";
import { callApi } from "../call-api.ts";
import { openStage, type Stage, type Workspace } from "../stage.ts";

const HOUR_MS = 3_600_000;
/** A Thursday, the first day of the weeks since the epoch. */
const FROM_MS = Math.floor(Date.UTC(2026, 10, 5) / WEEK_MS) * WEEK_MS;
const TO_MS = FROM_MS + WEEK_MS;
const CLICKS = 280;
const TIMEOUT_MS = 30_000;
/** No other code takes advisory locks in this database. */
const LOCK = 1;
/** Only a limit against hanging: the job is there in a moment. */
const STUCK_MS = 20_000;

const OF_DAYS = [
  "dimension_summaries",
  "link_summaries",
  "scope_summaries",
  "visitor_summaries",
  "summary_periods",
];
const OF_WEEKS = ["summary_weeks", "dimension_weeks", "link_weeks", "scope_weeks"];

const stage: Stage = await openStage();
const settings = { databaseUrl: stage.databaseUrl, sqlEndpoint: stage.endpoint.url };
const runSql = createNeonClient(settings);
const runTransaction = createNeonTransactions(settings);

let workspace: Workspace;
let world: World;
let key: string;
let isolates = 0;

beforeAll(async () => {
  workspace = await stage.addWorkspace();
  key = await stage.addKey(workspace, ["analytics:read"]);
  world = await openWorld(stage, workspace);
  await click(CLICKS);
  await stage.client.query(
    `CREATE FUNCTION wait_here() RETURNS trigger LANGUAGE plpgsql
     AS 'BEGIN PERFORM pg_advisory_xact_lock(${LOCK}); RETURN NULL; END'`,
  );
});
beforeEach(() => stage.client.query(`TRUNCATE ${[...OF_DAYS, ...OF_WEEKS].join(", ")}`));
afterAll(() => stage.close());

/** Clicks on every day of the week. */
function click(clicks: number): Promise<void> {
  isolates += 1;
  return addClicks(stage, world, {
    isolateId: `00c0ffee0002${String(isolates).padStart(4, "0")}`,
    clicks,
    fromMs: FROM_MS + HOUR_MS,
    toMs: TO_MS,
  });
}

/** What the job finds and summarises, in its order. */
async function makeDays(): Promise<void> {
  const bounds = { sinceMs: FROM_MS, minClicks: 1, limit: 100, timeoutMs: TIMEOUT_MS };
  for (const period of await findUnsummarised(runSql, { ...bounds, nowMs: TO_MS + HOUR_MS })) {
    const least = { minScopeClicks: 1, minVisitorClicks: 1 };
    await summarisePeriod(runTransaction, period, { timeoutMs: TIMEOUT_MS, ...least });
  }
}
async function makeWeeks(): Promise<void> {
  const bounds = { sinceMs: FROM_MS, limit: 100, timeoutMs: TIMEOUT_MS };
  for (const week of await findUnsummarisedWeeks(runSql, bounds)) {
    await summariseWeek(runTransaction, week, { timeoutMs: TIMEOUT_MS });
  }
}

/** Ends the job's connection after it has written `table`, before anything is committed. */
async function cutOff(table: string, run: () => Promise<void>, meanwhile: () => Promise<void>) {
  await stage.client.query(
    `CREATE TRIGGER wait_here AFTER INSERT ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION wait_here()`,
  );
  await stage.client.query(`SELECT pg_advisory_lock(${LOCK})`);
  const outcome = run().then(
    () => "done",
    (error: unknown) => error,
  );
  try {
    const waiting = await vi.waitUntil(findWaiting, { timeout: STUCK_MS });
    await meanwhile();
    await stage.client.query("SELECT pg_terminate_backend($1)", [waiting]);
    expect(await outcome).toMatchObject({ code: "57P01" });
  } finally {
    await stage.client.query(`SELECT pg_advisory_unlock(${LOCK})`);
    await stage.client.query(`DROP TRIGGER wait_here ON ${table}`);
  }
}

/** The server process that waits for our lock. */
async function findWaiting(): Promise<number | undefined> {
  const { rows } = await stage.client.query<{ pid: number }>(
    `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return rows[0]?.pid;
}

/** Every row of these tables. */
async function stateOf(tables: readonly string[]): Promise<unknown> {
  const hashes = tables.map(
    (table) =>
      `(SELECT concat(count(*), ' ', md5(string_agg(t::text, '' ORDER BY t::text))) FROM ${table} AS t)`,
  );
  return (await stage.client.query({ text: `SELECT ${hashes.join(", ")}`, rowMode: "array" })).rows;
}

const QUESTIONS = [
  "totals?visitors=true",
  "timeseries?interval=day&visitors=true",
  "breakdown?dimension=country&visitors=true",
  "breakdown?dimension=link",
  "breakdown?dimension=os&country=CH",
  "breakdown?dimension=browser",
];

async function answers(): Promise<unknown> {
  const range = `class=all&from=${new Date(FROM_MS).toISOString()}&to=${new Date(TO_MS).toISOString()}`;
  const ofLink = `totals?link=${publicLink(world.links[0])}&visitors=true`;
  const all = [];
  for (const question of [...QUESTIONS, ofLink]) {
    const answer = await callApi(stage, `GET /api/v1/analytics/${question}&${range}`, { key });
    expect([question, answer.status]).toEqual([question, 200]);
    all.push(answer.body);
  }
  return all;
}

/** 0: every usable summary matches its events. */
function drift(): Promise<number> {
  const week = { sinceMs: FROM_MS, untilMs: TO_MS };
  return findDrift(runSql, week, TIMEOUT_MS, [DRIFTS.summaries, DRIFTS.visitors, DRIFTS.weeks]);
}

async function countMade(): Promise<unknown> {
  const { rows } = await stage.client.query(
    "SELECT (SELECT count(*)::int FROM summary_periods) AS days, (SELECT count(*)::int FROM summary_weeks) AS weeks",
  );
  return rows[0];
}

async function expectNothingHalfMade(table: string, run: () => Promise<void>): Promise<void> {
  const expected = await answers();
  const before = await stateOf([...OF_DAYS, ...OF_WEEKS]);
  await cutOff(table, run, async () => expect(await answers()).toEqual(expected));
  expect(await stateOf([...OF_DAYS, ...OF_WEEKS])).toEqual(before);
  expect(await answers()).toEqual(expected);
  expect(await drift()).toBe(0);
  await makeDays();
  await makeWeeks();
  expect(await countMade()).toEqual({ days: 7, weeks: 1 });
  expect(await stateOf([...OF_DAYS, ...OF_WEEKS])).not.toEqual(before);
  expect(await answers()).toEqual(expected);
  expect(await drift()).toBe(0);
}

describe("the job, interrupted", () => {
  it.each(OF_DAYS)(
    "after writing %s of a day, leaves nothing usable, and the next run completes it",
    (table) => expectNothingHalfMade(table, makeDays),
  );

  it.each(OF_WEEKS)(
    "after writing %s, leaves nothing usable, and the next run completes it",
    async (table) => {
      await makeDays();
      await expectNothingHalfMade(table, makeWeeks);
    },
  );

  it("while it redoes a day, leaves the old day unused, and the next run completes it", async () => {
    await makeDays();
    await makeWeeks();
    await click(1);
    await expectNothingHalfMade("summary_periods", makeDays);
  });

  it("while it redoes a week, leaves the old week unused, and the next run completes it", async () => {
    await makeDays();
    await makeWeeks();
    await click(1);
    await makeDays();
    await expectNothingHalfMade("scope_weeks", makeWeeks);
  });
});
