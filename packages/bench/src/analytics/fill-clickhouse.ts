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

/** Under other event ids, with a number in the place of the isolate's first digits, and of other visitors. */
const REPEAT_CLICKS = `INSERT INTO clicks
  SELECT * REPLACE (
    clicked_at + toIntervalDay({day:UInt8}) AS clicked_at,
    toUUID(concat(lower(hex({number:UInt8})), substring(toString(event_id), 3))) AS event_id,
    if(visitor = 0, 0, reinterpretAsInt64(sipHash64(visitor, {number:UInt8}))) AS visitor
  ) FROM clicks WHERE toDate(quarter) = {first:Date} AND substring(toString(event_id), 1, 2) = {own:String}
    AND quarter + toIntervalDay({day:UInt8}) < toDateTime({until:UInt32}, 'UTC')`;

/** The isolate's first digits of the first day, once it is told apart. */
const OWN = "ff";
const MARK_FIRST = `INSERT INTO marked SELECT * REPLACE (
  toUUID(concat('${OWN}', substring(toString(event_id), 3))) AS event_id) FROM clicks`;

export type Filled = {
  /** On ClickHouse's disk, with its primary key and projection. */
  readonly bytesPerClick: number;
};

export type Stores = { readonly client: Client; readonly runSql: RunSql; readonly clickHouse: ClickHouse };

type Fill = FillOptions & { readonly days: number; readonly clicksToday: number };

/** Into migrated databases. */
export async function fillClickHouse(
  { client, runSql, clickHouse }: Stores,
  { clicks, days, clicksToday, onStep }: Fill,
): Promise<Filled> {
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
  const repeat = { first: new Date(START_MS).toISOString().slice(0, 10), own: OWN, until: 2 ** 32 - 1 };
  for (let day = 1; day < days; day += 1) {
    onStep(`day ${day + 1} of ${days}`);
    await run(REPEAT_CLICKS, { ...repeat, day, number: day });
  }
  const untilMs = Math.floor(Date.now() / QUARTER_MS) * QUARTER_MS;
  const today = Math.floor((untilMs - START_MS) / DAY_MS);
  const passed = Math.max(QUARTER_MS, untilMs - (START_MS + today * DAY_MS)) / DAY_MS;
  const times = Math.min(160, Math.ceil(clicksToday / ((clicks / days) * passed)));
  for (let time = 0; time < times; time += 1) {
    onStep(`today, ${time + 1} of ${times}`);
    await run(REPEAT_CLICKS, { ...repeat, day: today, number: days + time, until: untilMs / 1_000 });
  }
  for (const table of ["click_rollups", "workspace_rollups"]) {
    const names =
      table === "click_rollups"
        ? "link_id, workspace_id, domain_id, class"
        : "workspace_id, domain_id, class";
    await client.query(
      `INSERT INTO ${table} (${names}, bucket_start, clicks)
       SELECT ${names}, bucket_start + $1 * interval '24 hours', clicks * $2 FROM ${table}
       WHERE bucket_start < to_timestamp($3::float8) + interval '24 hours'
         AND bucket_start + $1 * interval '24 hours' < to_timestamp($4::float8)`,
      [today, times, START_MS / 1_000, untilMs / 1_000],
    );
  }
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
