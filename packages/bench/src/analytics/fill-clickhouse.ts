/**
 * Clicks like those of fill-clicks.ts, as many as wanted, generated inside ClickHouse from hashes of the click's number. Postgres
 * gets the links, and rollups that are counted from ClickHouse's rows; then the copier's own comparison seals the days. There are no
 * single clicks in Postgres, as after retention.
 */
import type { ClickHouse } from "@hopline/clickhouse/clickhouse-client";
import { copyDay } from "@hopline/clickhouse/copy/copy-day";
import type { RunSql } from "@hopline/db/neon-client";
import type { Client } from "pg";

import { addLinks, type FillOptions, LINKS, START_MS, WORKSPACE_ID } from "./fill-clicks.ts";

const TIMEOUT_MS = 600_000;
const DAY_MS = 86_400_000;

/** A number below `below` from the click's number and a salt of the column's own. */
const random = (salt: number, below: number) => `sipHash64(n, ${salt}) % ${below}`;
const pick = (salt: number, values: readonly string[]) =>
  `[${values.map((value) => `'${value}'`).join(", ")}][1 + ${random(salt, values.length)}]`;
/** Small numbers far more often than large ones. */
const skewed = (salt: number, below: number) =>
  `toUInt32(floor(${below} * pow((sipHash64(n, ${salt}) % 1048576) / 1048576, 3)))`;

/** As packages/core/src/click/event-id.ts makes them: an isolate, and the number of the click in it. */
const EVENT_ID = `concat(substring(hex(sipHash64(intDiv(n, 10000), 24)), 1, 8), '-0000-8000-8000-', leftPad(hex(toUInt32(n)), 12, '0'))`;

const COLUMNS: Readonly<Record<string, string>> = {
  workspace_id: `'${WORKSPACE_ID}'`,
  clicked_at:
    "fromUnixTimestamp64Milli(toInt64({dayMs:Int64} + intDiv((n - {first:UInt64}) * 86400000, {clicks:UInt64})), 'UTC')",
  link_id: `concat('0198f3c2-0000-7000-8000-', leftPad(hex(
    if(${random(1, 10)} < 3, 0, 1 + ${skewed(2, LINKS - 1)})), 12, '0'))`,
  event_id: EVENT_ID,
  link_version: "1",
  domain_id: `'${WORKSPACE_ID}'`,
  rule_id: pick(3, ["", "", "", "r1", "r2"]),
  variant_id: pick(26, ["", "", "", "", "a", "b"]),
  destination: `concat('https://example.com/landing/', toString(${skewed(4, 2_000)}))`,
  source: pick(5, ["link", "link", "link", "qr"]),
  class: pick(6, ["human", "human", "human", "human", "human", "human", "human", "bot", "bot", "preview"]),
  quality: `toInt16(${random(23, 4)})`,
  classifier_version: "1",
  visitor: `reinterpretAsInt64(sipHash64({dayMs:Int64}, sipHash64(n, 7) % intDiv({clicks:UInt64}, 2)))`,
  referrer_host: `if(${random(8, 3)} > 0, concat('site-', toString(${skewed(9, 500)}), '.example.org'), '')`,
  language: pick(10, ["de", "de-CH", "en", "en-US", "fr", "es", "pt-BR", "ja"]),
  browser: pick(11, ["Chrome", "Chrome", "Safari", "Firefox", "Edge", "Samsung Internet"]),
  os: pick(12, ["Windows", "iOS", "Android", "macOS", "Linux"]),
  device: pick(13, ["phone", "phone", "desktop", "tablet"]),
  country: `if(${random(22, 400)} = 0, 'NP',
    ['US','DE','IN','BR','GB','FR','CH','JP','NL','ES'][1 + ${skewed(14, 10)}])`,
  region: `concat('R', toString(${skewed(16, 80)} % 6))`,
  city: `concat('City ', toString(${skewed(16, 80)}))`,
  continent: pick(17, ["EU", "EU", "NA", "AS", "SA"]),
  colo: pick(18, ["FRA", "ZRH", "IAD", "BOM", "GRU", "LHR"]),
  asn: `toUInt32(1000 + ${skewed(25, 400)})`,
  utm_source: pick(19, ["", "", "mail", "ads"]),
  utm_medium: pick(20, ["", "", "cpc"]),
  utm_campaign: pick(21, ["", "", "spring", "summer"]),
};

const INSERT = `INSERT INTO clicks (${Object.keys(COLUMNS).join(", ")})
  SELECT ${Object.values(COLUMNS).join(", ")}
  FROM (SELECT number AS n FROM numbers({first:UInt64}, {clicks:UInt64}))`;

export type Filled = {
  /** On ClickHouse's disk, with its primary key and projection. */
  readonly bytesPerClick: number;
};

/** Into migrated databases. Without clicks, for those that are in ClickHouse already. */
export async function fillClickHouse(
  {
    client,
    runSql,
    clickHouse,
  }: { readonly client: Client; readonly runSql: RunSql; readonly clickHouse: ClickHouse },
  { clicks, days, onStep }: FillOptions & { readonly days: number },
): Promise<Filled> {
  await addLinks(client);
  const clicksADay = Math.ceil(clicks / days);
  for (let day = 0; day < days && clicks > 0; day += 1) {
    onStep(`day ${day + 1} of ${days} with ${clicksADay} clicks`);
    const parameters = { dayMs: START_MS + day * DAY_MS, first: day * clicksADay, clicks: clicksADay };
    await clickHouse.execute(INSERT, parameters, TIMEOUT_MS);
  }
  onStep("merging");
  await clickHouse.execute("OPTIMIZE TABLE clicks", {}, TIMEOUT_MS);
  onStep("rollups");
  await addRollups(client, clickHouse);
  for (let day = 0; day < days; day += 1) {
    await addVisitors(client, clickHouse, START_MS + day * DAY_MS);
  }
  onStep("sealing");
  for (let day = 0; day < days; day += 1) {
    const date = new Date(START_MS + day * DAY_MS).toISOString().slice(0, 10);
    await copyDay(date, Infinity, { runSql, clickHouse, timeoutMs: TIMEOUT_MS, nowMs: Date.now });
  }
  onStep("statistics");
  await client.query("VACUUM ANALYZE");
  const [size] = await clickHouse.select(
    "SELECT sum(bytes_on_disk) / sum(rows) AS bytes FROM system.parts WHERE table = 'clicks' AND active",
    {},
    TIMEOUT_MS,
  );
  return { bytesPerClick: Number(size?.["bytes"]) };
}

const COUNTED = `SELECT toUnixTimestamp(quarter) AS start, class, count() AS clicks
  FROM clicks GROUP BY start, class`;

/** What the statement that writes clicks would have counted; and as if the copier had been there, and retention. */
async function addRollups(client: Client, clickHouse: ClickHouse): Promise<void> {
  const rows = await clickHouse.select(COUNTED, {}, TIMEOUT_MS);
  await client.query(
    `INSERT INTO workspace_rollups (workspace_id, bucket_start, domain_id, class, clicks)
     SELECT $1, to_timestamp(start), $1, class, clicks FROM unnest($2::float8[], $3::text[], $4::bigint[]) AS counted (start, class, clicks)`,
    [
      WORKSPACE_ID,
      rows.map((row) => row["start"]),
      rows.map((row) => row["class"]),
      rows.map((row) => row["clicks"]),
    ],
  );
  await client.query(
    `INSERT INTO clickhouse_days (workspace_id, day)
     SELECT DISTINCT workspace_id, (bucket_start AT TIME ZONE 'UTC')::date FROM workspace_rollups`,
  );
  await client.query("INSERT INTO event_retention (kept_from) VALUES (now())");
}

/** By the quarter of an hour in which they came first, and last. */
const SEEN = `SELECT sumMap([first], [1]) AS firsts, sumMap([last], [1]) AS lasts FROM (
    SELECT min(place) AS first, max(place) AS last FROM (
      SELECT visitor, intDiv(toUnixTimestamp(quarter) % 86400, 900) AS place FROM clicks
      WHERE toDate(quarter) = toDate({day:UInt32}, 'UTC') AND visitor != 0 AND ({humans:Bool} = 0 OR class = 'human')
    ) GROUP BY visitor
  )`;

/** What the cube has of them: the workspace's own. */
async function addVisitors(client: Client, clickHouse: ClickHouse, dayMs: number): Promise<void> {
  for (const humans of [false, true]) {
    const [seen] = await clickHouse.select(SEEN, { day: dayMs / 1_000, humans }, TIMEOUT_MS);
    const lists = [seen?.["firsts"], seen?.["lasts"]].flat();
    await client.query(
      `INSERT INTO cube_visitors SELECT $1, '', '', $2, to_timestamp($3), sum(clicks), $4, $5, $6, $7
       FROM workspace_rollups WHERE bucket_start >= to_timestamp($3) AND bucket_start < to_timestamp($3) + interval '1 day'`,
      [WORKSPACE_ID, humans, dayMs / 1_000, ...lists],
    );
  }
  // Without cells, so the day's clicks are not counted from the cube.
  await client.query("INSERT INTO cube_days VALUES ($1, to_timestamp($2), 0, 96, 0)", [
    WORKSPACE_ID,
    dayMs / 1_000,
  ]);
}
