/**
 * Ten million clicks over 90 days on 5,000 links, one of which has three million: made by the server itself from
 * hashes of the click's number, so the same in every run. Rollups are counted from the events as migration 0009 does.
 */
import type { Client } from "pg";
import { ROLLED_DIMENSIONS } from "@hopline/db/rolled-dimensions";

export const DAYS = 90;
export const START_MS = Date.UTC(2026, 6, 1);
export const WORKSPACE_ID = linkIdOf(0);

const LINKS = 5_000;

export function linkIdOf(link: number): string {
  return `0198f3c2-0000-7000-8000-${link.toString(16).padStart(12, "0")}`;
}

/** A number below `below` from the click's number and a salt of the column's own. */
const random = (salt: number, below: number) =>
  `((hashint8extended(n, ${salt}) & 9007199254740991) % ${below})::int`;
const pick = (salt: number, values: readonly string[]) =>
  `(ARRAY[${values.map((value) => (value === "" ? "NULL" : `'${value}'`)).join(", ")}])[1 + ${random(salt, values.length)}]`;
/** Small numbers far more often than large ones. */
const skewed = (salt: number, below: number) =>
  `floor(${below} * pow((hashint8extended(n, ${salt}) & 1048575) / 1048576.0, 3))::int`;

const COLUMNS: Readonly<Record<string, string>> = {
  clicked_at: `to_timestamp($1::float8 / 1000) + n * (interval '${DAYS} days' / $2::float8)`,
  event_id: "md5(n::text)::uuid",
  link_id: `('0198f3c2-0000-7000-8000-' || lpad(to_hex(
    CASE WHEN ${random(1, 10)} < 3 THEN 0 ELSE 1 + ${skewed(2, LINKS - 1)} END), 12, '0'))::uuid`,
  link_version: "1",
  workspace_id: `'${WORKSPACE_ID}'`,
  domain_id: `'${WORKSPACE_ID}'`,
  rule_id: pick(3, ["", "", "", "r1", "r2"]),
  destination: `'https://example.com/landing/' || ${skewed(4, 2_000)}`,
  source: pick(5, ["link", "link", "link", "qr"]),
  class: pick(6, ["human", "human", "human", "human", "human", "human", "human", "bot", "bot", "preview"]),
  classifier_version: "1",
  visitor: `lpad(to_hex(${random(7, 60_000)}) || to_hex(n * ${DAYS} / $2::bigint), 32, '0')::uuid`,
  referrer_host: `CASE WHEN ${random(8, 3)} > 0 THEN 'site-' || ${skewed(9, 500)} || '.example.org' END`,
  language: pick(10, ["de", "de-CH", "en", "en-US", "fr", "es", "pt-BR", "ja"]),
  browser: pick(11, ["Chrome", "Chrome", "Safari", "Firefox", "Edge", "Samsung Internet"]),
  os: pick(12, ["Windows", "iOS", "Android", "macOS", "Linux"]),
  device: pick(13, ["phone", "phone", "desktop", "tablet"]),
  country: `(ARRAY['US','DE','IN','BR','GB','FR','CH','JP','NL','ES'])[1 + ${skewed(14, 10)}]`,
  region: `'R' || ${skewed(15, 60)}`,
  city: `'City ' || ${skewed(16, 800)}`,
  continent: pick(17, ["EU", "EU", "NA", "AS", "SA"]),
  colo: pick(18, ["FRA", "ZRH", "IAD", "BOM", "GRU", "LHR"]),
  utm_source: pick(19, ["", "", "mail", "ads"]),
  utm_medium: pick(20, ["", "", "cpc"]),
  utm_campaign: pick(21, ["", "", "spring", "summer"]),
};

export type FillOptions = { readonly clicks: number; readonly onStep: (what: string) => void };

/** Into a migrated, empty database. Minutes for ten million. */
export async function fillClicks(client: Client, { clicks, onStep }: FillOptions): Promise<void> {
  onStep("links");
  await addLinks(client);
  await client.query("DROP INDEX click_events_by_link, click_events_by_workspace");
  onStep(`${clicks} clicks`);
  await client.query("SET work_mem = '256MB'");
  await client.query("SET maintenance_work_mem = '512MB'");
  await client.query("SET synchronous_commit = off");
  await client.query(
    `INSERT INTO click_events (${Object.keys(COLUMNS).join(", ")})
     SELECT ${Object.values(COLUMNS).join(", ")} FROM generate_series(1, $2::bigint) AS n`,
    [START_MS, clicks],
  );
  onStep("indexes");
  await client.query("CREATE INDEX click_events_by_link ON click_events (link_id, clicked_at DESC)");
  await client.query(
    "CREATE INDEX click_events_by_workspace ON click_events (workspace_id, clicked_at DESC, event_id DESC)",
  );
  for (const [table, statement] of Object.entries(ROLLUPS)) {
    onStep(table);
    await client.query(statement);
  }
  onStep("statistics");
  await client.query("VACUUM ANALYZE");
}

const ROLLUPS: Readonly<Record<string, string>> = {
  click_rollups: `
    INSERT INTO click_rollups (link_id, bucket_start, class, workspace_id, domain_id, clicks)
    SELECT link_id, date_bin('15 minutes', clicked_at, 'epoch'), class, workspace_id, domain_id, count(*)
    FROM click_events GROUP BY 1, 2, 3, 4, 5`,
  workspace_rollups: `
    INSERT INTO workspace_rollups (workspace_id, bucket_start, domain_id, class, clicks)
    SELECT workspace_id, bucket_start, domain_id, class, sum(clicks) FROM click_rollups GROUP BY 1, 2, 3, 4`,
  link_day_rollups: `
    INSERT INTO link_day_rollups (workspace_id, day_start, link_id, class, domain_id, clicks)
    SELECT workspace_id, date_bin('1 day', bucket_start, 'epoch'), link_id, class, domain_id, sum(clicks)
    FROM click_rollups GROUP BY 1, 2, 3, 4, 5`,
  dimension_rollups: ROLLED_DIMENSIONS.map(
    (column) => `
    INSERT INTO dimension_rollups (workspace_id, dimension, day_start, domain_id, class, value_key, value, clicks)
    SELECT workspace_id, '${column}', day_start, domain_id, class, md5(value)::uuid, value, clicks FROM (
      SELECT workspace_id, date_bin('1 day', clicked_at, 'epoch') AS day_start, domain_id, class,
        COALESCE(${column}, '') AS value, count(*) AS clicks
      FROM click_events GROUP BY 1, 2, 3, 4, 5
    ) AS days`,
  ).join(";"),
};

async function addLinks(client: Client): Promise<void> {
  await client.query("INSERT INTO workspaces (id, name) VALUES ($1, 'bench')", [WORKSPACE_ID]);
  await client.query("INSERT INTO domains (id, workspace_id, host) VALUES ($1, $1, 'bench.example')", [
    WORKSPACE_ID,
  ]);
  await client.query(
    `INSERT INTO links (id, workspace_id, domain_id, slug, url, record, tags)
     SELECT id, $1, $1, 'link-' || place, 'https://example.com/', '{}', ARRAY['tag-' || place % 20]
     FROM unnest($2::uuid[]) WITH ORDINALITY AS link (id, place)`,
    [WORKSPACE_ID, Array.from({ length: LINKS }, (_, link) => linkIdOf(link))],
  );
}
