/**
 * The first day of fill-clicks.ts with as many clicks as wanted, copied to ClickHouse as an installation moves there; then that day again
 * and again, in ClickHouse and in the rollups, until there are as many as wanted; and as many times into the part of today that is over.
 * Clicks are counted in ClickHouse then, and Postgres has none of them.
 */
import type { ClickHouse } from "@hopline/clickhouse/clickhouse-client";
import { compareStores } from "@hopline/clickhouse/compare-stores";
import { copySlices } from "@hopline/clickhouse/move/click-slice";
import type { RunSql } from "@hopline/db/neon-client";
import { sql } from "@hopline/db/sql";
import type { Client } from "pg";

import { fillDay, type FillOptions, repeatDay, START_MS } from "./fill-clicks.ts";

const TIMEOUT_MS = 600_000;
const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;

/**
 * So many times under other event ids, with a number in the place of the isolate's first digits, and of other visitors. `isCounted`: with a
 * hash of the id, as clicks have that were counted here; copied ones have none, and the newest would be taken for repetitions.
 */
const REPEAT_CLICKS = `INSERT INTO clicks
  SELECT * EXCEPT number REPLACE (
    clicked_at + toIntervalDay({day:UInt8}) AS clicked_at,
    toUUID(concat(leftPad(lower(hex(number)), 4, '0'), substring(toString(event_id), 5))) AS event_id,
    if({isCounted:Bool}, toUInt32(bitAnd(sipHash64(visitor, clicked_at, number), 4294967295)), 0) AS event_hash,
    if(visitor = 0, 0, reinterpretAsInt64(sipHash64(visitor, number))) AS visitor
  ) FROM (SELECT *, arrayJoin(range({number:UInt16}, toUInt16({number:UInt16} + {times:UInt16}))) AS number
    FROM clicks AS click WHERE toDate(quarter) = {first:Date} AND substring(toString(click.event_id), 1, 4) = {own:String}
    AND quarter + toIntervalDay({day:UInt8}) >= toDateTime({from:UInt32}, 'UTC')
    AND quarter + toIntervalDay({day:UInt8}) < toDateTime({until:UInt32}, 'UTC'))`;

/** The isolate's first digits of the first day, once it is told apart. */
const OWN = "ffff";
const FIRST_DAY = { first: new Date(START_MS).toISOString().slice(0, 10), own: OWN };
const MARK_FIRST = `INSERT INTO marked SELECT * REPLACE (
  toUUID(concat('${OWN}', substring(toString(event_id), 5))) AS event_id) FROM clicks`;

export type Filled = {
  /** On ClickHouse's disk, with its primary key and projection. */
  readonly bytesPerClick: number;
};

export type Stores = { readonly client: Client; readonly runSql: RunSql; readonly clickHouse: ClickHouse };

type Fill = FillOptions & { readonly days: number; readonly clicksToday: number };

/** Into migrated databases. */
export async function fillClickHouse(
  stores: Stores,
  { clicks, days, clicksToday, onStep }: Fill,
): Promise<Filled> {
  const { client, runSql, clickHouse } = stores;
  const run = (statement: string, parameters = {}) => clickHouse.execute(statement, parameters, TIMEOUT_MS);
  await fillDay(client, { clicks: Math.ceil(clicks / days), onStep });
  onStep("its copy");
  await copySlices({ runSql, clickHouse }, sql`true`, TIMEOUT_MS);
  await run("CREATE TABLE marked AS clicks");
  await run(MARK_FIRST);
  await run("EXCHANGE TABLES clicks AND marked");
  await run("DROP TABLE marked");
  await client.query("TRUNCATE click_events, click_cube, cube_days, cube_visitors, cube_visits");
  onStep("the rollups of the other days");
  await repeatDay(client, { click_rollups: "bucket_start", workspace_rollups: "bucket_start" }, days);
  const repeat = { ...FIRST_DAY, from: 0, until: 2 ** 32 - 1, isCounted: false };
  for (let day = 1; day < days; day += 1) {
    onStep(`day ${day + 1} of ${days}`);
    await run(REPEAT_CLICKS, { ...repeat, day, number: day, times: 1 });
  }
  await fillToday(stores, { clicksToday, clicksADay: clicks / days, firstNumber: days, onStep });
  await client.query("UPDATE counting_mode SET mode = 'clickhouse'");
  onStep("merging");
  await run("OPTIMIZE TABLE clicks");
  onStep("comparing");
  const { different } = await compareStores(
    { runSql, clickHouse },
    { sinceMs: START_MS, untilMs: START_MS + DAY_MS },
    TIMEOUT_MS,
  );
  if (different > 0) {
    throw new Error(`${different} quarters of an hour of the first day are not alike in both stores.`);
  }
  await client.query("VACUUM ANALYZE");
  const [size] = await clickHouse.select(
    "SELECT sum(bytes_on_disk) / sum(rows) AS bytes FROM system.parts WHERE table = 'clicks' AND active",
    {},
    TIMEOUT_MS,
  );
  return { bytesPerClick: Number(size?.["bytes"]) };
}

type FillToday = Pick<Fill, "clicksToday" | "onStep"> & {
  readonly clicksADay: number;
  /** Of the repetitions of the first day. */
  readonly firstNumber: number;
};

const LAST_HOUR_MS = 4 * QUARTER_MS;
const TIMES_AT_ONCE = 200;

/**
 * Up to the end of the running quarter of an hour: a tenth of the clicks in the last hour. In the first hour of a day, all of them.
 */
async function fillToday(
  { client, clickHouse }: Stores,
  { clicksToday, clicksADay, firstNumber, onStep }: FillToday,
): Promise<void> {
  const untilMs = (Math.floor(Date.now() / QUARTER_MS) + 1) * QUARTER_MS;
  const today = Math.floor((untilMs - 1 - START_MS) / DAY_MS);
  const todayMs = START_MS + today * DAY_MS;
  const hourMs = Math.max(todayMs, untilMs - LAST_HOUR_MS);
  const spans = [
    { fromMs: todayMs, toMs: hourMs, clicks: clicksToday * 0.9 },
    { fromMs: hourMs, toMs: untilMs, clicks: clicksToday * (hourMs === todayMs ? 1 : 0.1) },
  ].filter(({ fromMs, toMs }) => fromMs < toMs);
  let number = firstNumber;
  for (const { fromMs, toMs, clicks } of spans) {
    const once = (clicksADay * (toMs - fromMs)) / DAY_MS;
    const wanted = Math.ceil(clicks / once);
    const span = { from: fromMs / 1_000, until: toMs / 1_000 };
    for (let done = 0; done < wanted; done += TIMES_AT_ONCE) {
      onStep(`today, ${done} of ${wanted} times`);
      const times = Math.min(TIMES_AT_ONCE, wanted - done);
      const repeat = { ...FIRST_DAY, ...span, day: today, number, times, isCounted: true };
      await clickHouse.execute(REPEAT_CLICKS, repeat, TIMEOUT_MS);
      number += times;
    }
    await repeatRollups(client, { day: today, times: wanted, ...span });
  }
  await addHashes(client, clickHouse);
}

/** What Postgres would have added up of a quarter of an hour while it counted. */
async function addHashes(client: Client, clickHouse: ClickHouse): Promise<void> {
  const sums = await clickHouse.select(
    "SELECT toUnixTimestamp(quarter) AS start, toString(sum(event_hash)) AS hashes FROM clicks WHERE event_hash <> 0 GROUP BY quarter",
    {},
    TIMEOUT_MS,
  );
  await client.query(
    `UPDATE workspace_rollups AS kept SET hashes = one.hashes FROM (
       SELECT DISTINCT ON (bucket_start) bucket_start, domain_id, class, sums.hashes
       FROM unnest($1::float8[], $2::bigint[]) AS sums (start, hashes) JOIN workspace_rollups ON bucket_start = to_timestamp(start)
     ) AS one WHERE (kept.bucket_start, kept.domain_id, kept.class) = (one.bucket_start, one.domain_id, one.class)`,
    [sums.map(({ start }) => Number(start)), sums.map(({ hashes }) => String(hashes))],
  );
}

async function repeatRollups(
  client: Client,
  { day, times, from, until }: { day: number; times: number; from: number; until: number },
): Promise<void> {
  const columns = { click_rollups: ", link_id", workspace_rollups: "" };
  for (const [table, more] of Object.entries(columns)) {
    const names = `workspace_id, domain_id, class${more}`;
    await client.query(
      `INSERT INTO ${table} (${names}, bucket_start, clicks)
       SELECT ${names}, bucket_start + $1 * interval '24 hours', clicks * $2 FROM ${table}
       WHERE bucket_start < to_timestamp($3::float8) + interval '24 hours'
         AND bucket_start + $1 * interval '24 hours' >= to_timestamp($4::float8)
         AND bucket_start + $1 * interval '24 hours' < to_timestamp($5::float8)`,
      [day, times, START_MS / 1_000, from, until],
    );
  }
}
