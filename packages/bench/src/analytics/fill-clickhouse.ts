/**
 * The first day of fill-clicks.ts with as many clicks as wanted, counted ahead in Postgres by the consumer's statements and copied to
 * ClickHouse by its copier; then that day again and again, in both stores, until there are as many as wanted. The copier's own comparison
 * seals the days. In the end Postgres has no single clicks, as after retention.
 */
import type { ClickHouse } from "@hopline/clickhouse/clickhouse-client";
import { copyDay } from "@hopline/clickhouse/copy/copy-day";
import { markDays } from "@hopline/clickhouse/copy/mark-days";
import type { RunSql } from "@hopline/db/neon-client";
import { sql } from "@hopline/db/sql";
import type { Client } from "pg";

import {
  addLinks,
  DAYS,
  type FillOptions,
  INSERT_CLICKS,
  makeDays,
  ROLLUPS,
  START_MS,
  WORKSPACE_ID,
} from "./fill-clicks.ts";

const TIMEOUT_MS = 600_000;
const DAY_MS = 86_400_000;

/** The columns of time of what is counted ahead; not of `click_rollups`, which no question reads while the cube has its days. */
const COUNTED = [
  ["workspace_rollups", "bucket_start"],
  ["cube_days", "day"],
  ["click_cube", "day"],
  ["cube_visitors", "day"],
] as const;

/** The number of the day in the place of the first digits of the isolate's. */
const REPEAT_CLICKS = `INSERT INTO clicks
  SELECT * REPLACE (
    clicked_at + toIntervalDay({day:UInt8}) AS clicked_at,
    toUUID(concat(lower(hex({day:UInt8})), substring(toString(event_id), 3))) AS event_id
  ) FROM clicks WHERE toDate(quarter) = {first:Date}`;

export type Filled = {
  /** On ClickHouse's disk, with its primary key and projection. */
  readonly bytesPerClick: number;
};

export type Stores = { readonly client: Client; readonly runSql: RunSql; readonly clickHouse: ClickHouse };

/** Into migrated databases. `isRepeated`: ClickHouse has these very clicks already. */
export async function fillClickHouse(
  { client, runSql, clickHouse }: Stores,
  { clicks, days, isRepeated, onStep }: FillOptions & { readonly days: number; readonly isRepeated: boolean },
): Promise<Filled> {
  const clicksADay = Math.ceil(clicks / days);
  const copied = { sealed: 0, wrong: 0 };
  const copy = async (day: number): Promise<void> => {
    const date = dateOf(day);
    const mark = markDays(sql`SELECT ${WORKSPACE_ID}::uuid AS workspace_id, ${date}::date AS day`);
    await runSql(mark, TIMEOUT_MS);
    const deps = { runSql, clickHouse, timeoutMs: TIMEOUT_MS, nowMs: Date.now };
    const { sealed, wrong } = await copyDay(date, Infinity, deps);
    copied.sealed += sealed;
    copied.wrong += wrong;
  };
  await addLinks(client);
  onStep(`a day with ${clicksADay} clicks`);
  await client.query(INSERT_CLICKS, [START_MS, clicksADay * DAYS, 0, clicksADay]);
  for (const statement of Object.values(ROLLUPS)) {
    await client.query(statement);
  }
  onStep("its cube");
  await makeDays([client], 1);
  onStep("its copy");
  await copy(0);
  await client.query("TRUNCATE click_events");
  await client.query("INSERT INTO event_retention (kept_from) VALUES (now())");
  for (const [table, column] of COUNTED) {
    onStep(`${table} of ${days} days`);
    await repeatDay(client, { table, column, days });
  }
  for (let day = 1; day < days; day += 1) {
    onStep(`day ${day + 1} of ${days}`);
    if (!isRepeated) {
      await clickHouse.execute(REPEAT_CLICKS, { day, first: dateOf(0) }, TIMEOUT_MS);
    }
    await copy(day);
  }
  if (copied.sealed < days || copied.wrong > 0) {
    throw new Error(
      `${copied.wrong} of ${days} days are not alike in both stores. Are they of another fill?`,
    );
  }
  onStep("merging");
  await clickHouse.execute("OPTIMIZE TABLE clicks", {}, TIMEOUT_MS);
  onStep("statistics");
  await client.query("VACUUM ANALYZE");
  const [size] = await clickHouse.select(
    "SELECT sum(bytes_on_disk) / sum(rows) AS bytes FROM system.parts WHERE table = 'clicks' AND active",
    {},
    TIMEOUT_MS,
  );
  return { bytesPerClick: Number(size?.["bytes"]) };
}

function dateOf(day: number): string {
  return new Date(START_MS + day * DAY_MS).toISOString().slice(0, 10);
}

/** Rows of the first day once more for each of the others. */
async function repeatDay(
  client: Client,
  { table, column, days }: { readonly table: string; readonly column: string; readonly days: number },
): Promise<void> {
  const { rows } = await client.query<{ readonly name: string }>(
    "SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped",
    [table],
  );
  const names = rows.map(({ name }) => name);
  const later = names.map((name) => (name === column ? `${name} + number * interval '24 hours'` : name));
  await client.query(
    `INSERT INTO ${table} (${names.join(", ")})
     SELECT ${later.join(", ")} FROM ${table} CROSS JOIN generate_series(1, $1::int - 1) AS number`,
    [days],
  );
}
