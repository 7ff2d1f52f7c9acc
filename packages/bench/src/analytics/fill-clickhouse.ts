/**
 * The first day of fill-clicks.ts with as many clicks as wanted, pre-aggregated in Postgres by the consumer's statements and copied to
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
  fillDay,
  type FillOptions,
  repeatDay,
  START_MS,
  PRE_AGGREGATED,
  WORKSPACE_ID,
} from "./fill-clicks.ts";

const TIMEOUT_MS = 600_000;
const DAY_MS = 86_400_000;

/** Under other event ids, with the number of the day in the place of the isolate's first digits, and of other visitors. */
const REPEAT_CLICKS = `INSERT INTO clicks
  SELECT * REPLACE (
    clicked_at + toIntervalDay({day:UInt8}) AS clicked_at,
    toUUID(concat(lower(hex({day:UInt8})), substring(toString(event_id), 3))) AS event_id,
    if(visitor = 0, 0, reinterpretAsInt64(sipHash64(visitor, {day:UInt8}))) AS visitor
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
  await fillDay(client, { clicks: Math.ceil(clicks / days), onStep });
  onStep("its copy");
  await copy(0);
  await client.query("TRUNCATE click_events");
  await client.query("INSERT INTO event_retention (kept_from) VALUES (now())");
  onStep("the cube of the other days");
  // No question reads click_rollups while the cube has its days.
  await repeatDay(client, PRE_AGGREGATED, days);
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
