/**
 * Ten million clicks over 90 days on 5,000 links, one of which has three million: made by the server itself from
 * hashes of the click's number, so the same in every run. Rollups are counted from the events, summaries made by the
 * statements of the consumer's job.
 */
import type { RunTransaction } from "@hopline/db/neon-client";
import { summarisePeriod } from "@hopline/db/summaries/summarise-period";
import { summariseWeek, WEEK_MS } from "@hopline/db/summaries/summarise-week";
import type { Client } from "pg";

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
  country: `CASE WHEN ${random(22, 400)} = 0 THEN 'NP'
    ELSE (ARRAY['US','DE','IN','BR','GB','FR','CH','JP','NL','ES'])[1 + ${skewed(14, 10)}] END`,
  region: `'R' || ${skewed(15, 60)}`,
  city: `'City ' || ${skewed(16, 800)}`,
  continent: pick(17, ["EU", "EU", "NA", "AS", "SA"]),
  colo: pick(18, ["FRA", "ZRH", "IAD", "BOM", "GRU", "LHR"]),
  utm_source: pick(19, ["", "", "mail", "ads"]),
  utm_medium: pick(20, ["", "", "cpc"]),
  utm_campaign: pick(21, ["", "", "spring", "summer"]),
};

export type FillOptions = { readonly clicks: number; readonly onStep: (what: string) => void };

const DAY_MS = 86_400_000;

/** Into a migrated, empty database, by as many at once as there are clients. Minutes for ten million. */
export async function fillClicks(
  clients: readonly [Client, ...Client[]],
  { clicks, onStep }: FillOptions,
): Promise<void> {
  const [client] = clients;
  onStep("links");
  await addLinks(client);
  await client.query("DROP INDEX click_events_of_link, click_events_by_workspace");
  onStep(`${clicks} clicks`);
  for (const one of clients) {
    await one.query("SET work_mem = '256MB'");
    await one.query("SET maintenance_work_mem = '512MB'");
    await one.query("SET synchronous_commit = off");
  }
  const share = Math.ceil(clicks / clients.length);
  await Promise.all(
    clients.map((one, index) =>
      one.query(
        `INSERT INTO click_events (${Object.keys(COLUMNS).join(", ")})
         SELECT ${Object.values(COLUMNS).join(", ")}
         FROM generate_series($3::bigint, least($4::bigint, $2::bigint) - 1) AS n`,
        [START_MS, clicks, index * share, (index + 1) * share],
      ),
    ),
  );
  onStep("indexes");
  await client.query(CLICK_INDEXES);
  for (const [table, statement] of Object.entries(ROLLUPS)) {
    onStep(table);
    await client.query(statement);
  }
  onStep("summaries");
  await summariseDays(clients);
  await summariseWeeks(client);
  onStep("statistics");
  await client.query("VACUUM ANALYZE");
}

/** As the migrations make them. */
const CLICK_INDEXES = `
  CREATE INDEX click_events_of_link ON click_events (link_id, clicked_at DESC)
    INCLUDE (workspace_id, class, country, device, referrer_host, city, browser, os, source, language);
  CREATE INDEX click_events_by_workspace ON click_events (workspace_id, clicked_at DESC, event_id DESC)`;

const ROLLUPS: Readonly<Record<string, string>> = {
  click_rollups: `
    INSERT INTO click_rollups (link_id, bucket_start, class, workspace_id, domain_id, clicks)
    SELECT link_id, date_bin('15 minutes', clicked_at, 'epoch'), class, workspace_id, domain_id, count(*)
    FROM click_events GROUP BY 1, 2, 3, 4, 5`,
  workspace_rollups: `
    INSERT INTO workspace_rollups (workspace_id, bucket_start, domain_id, class, clicks)
    SELECT workspace_id, bucket_start, domain_id, class, sum(clicks) FROM click_rollups GROUP BY 1, 2, 3, 4`,
};

async function summariseDays([first, ...others]: readonly [Client, ...Client[]]): Promise<void> {
  let next = 0;
  const makeNext = async (client: Client): Promise<void> => {
    const fromMs = START_MS + next * DAY_MS;
    next += 1;
    const period = { workspaceId: WORKSPACE_ID, fromMs, toMs: fromMs + DAY_MS };
    await summarisePeriod(transactionsOf(client), period, { timeoutMs: 0 });
  };
  // The first day notes which links the tags have, and no other may note them at the same time.
  await makeNext(first);
  const work = async (client: Client): Promise<void> => {
    while (next < DAYS) {
      await makeNext(client);
    }
  };
  await Promise.all([first, ...others].map(work));
}

async function summariseWeeks(client: Client): Promise<void> {
  const endMs = START_MS + DAYS * DAY_MS;
  for (let fromMs = Math.ceil(START_MS / WEEK_MS) * WEEK_MS; fromMs + WEEK_MS <= endMs; fromMs += WEEK_MS) {
    await summariseWeek(transactionsOf(client), { workspaceId: WORKSPACE_ID, fromMs }, { timeoutMs: 0 });
  }
}

/** Without the job's lock: these days lie apart, and nobody else is there. */
function transactionsOf(client: Client): RunTransaction {
  return async (statements) => {
    await client.query("BEGIN");
    const results: Record<string, unknown>[][] = [];
    for (const { text, parameters } of statements.filter((one) => !one.text.startsWith("LOCK TABLE"))) {
      results.push((await client.query(text, [...parameters])).rows);
    }
    await client.query("COMMIT");
    return results;
  };
}

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
