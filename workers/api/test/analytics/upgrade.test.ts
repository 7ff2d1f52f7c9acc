/** Databases of earlier releases: answers are the same before and after their upgrade. */
import { readdirSync, readFileSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dayHandler, tagsHandler } from "@hopline/analytics/cube/day-work";
import type { Filter } from "@hopline/analytics/dimension";
import { createNeonTransactions } from "@hopline/db/neon-client";
import { runWork } from "@hopline/db/work/run-work";
import { openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { migrate as migrateAll } from "@hopline/testkit/postgres/migrate";
import { startSqlEndpoint } from "@hopline/testkit/sql-endpoint/sql-endpoint";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import pg from "pg";
import { ask as askEngine } from "../../src/analytics/run-statements.ts";
import { openDatabase } from "../../src/database.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { callApi } from "../call-api.ts";
import { openStage, type Stage, type Workspace } from "../stage.ts";
import { addClicks, matchingRows, openWorld, publicLink, type World } from "./analytics-world.ts";

const DAY_MS = 86_400_000;
const FROM_MS = Date.UTC(2026, 2, 1);
/** Retention has removed the first two days, of which there are summaries. */
const KEPT_FROM_MS = FROM_MS + 2 * DAY_MS;
const TO_MS = FROM_MS + 4 * DAY_MS;
const HUMANS = { dimension: "class", values: ["human"], isNot: false };

let stage: Stage;
let workspace: Workspace;
let key: string;
let world: World;

const migrate = (name: string) =>
  stage.client.query(readFileSync(inWorkspace(`migrations/${name}.sql`), "utf8"));

beforeAll(async () => {
  stage = await openStage();
  workspace = await stage.addWorkspace();
  key = await stage.addKey(workspace, ["analytics:read"]);
  world = await openWorld(stage, workspace);
  await addClicks(stage, world, { isolateId: "00c0ffee00000001", clicks: 400, fromMs: FROM_MS, toMs: TO_MS });
  await stage.client.query("ALTER TABLE cube_days DROP COLUMN is_whole; DELETE FROM work");
  for (const name of [
    "0014_click_summaries",
    "0016_visitor_summaries",
    "0017_summary_weeks",
    "0018_tag_summaries",
  ]) {
    await migrate(name);
  }
  await summarise();
  await stage.client.query("DELETE FROM click_events WHERE clicked_at < to_timestamp($1)", [
    KEPT_FROM_MS / 1_000,
  ]);
  await stage.client.query("INSERT INTO event_retention (kept_from) VALUES (to_timestamp($1))", [
    KEPT_FROM_MS / 1_000,
  ]);
  await migrate("0024_drop_summaries");
}, 60_000);
afterAll(() => stage.close());

/** As the job of the release before made them, of countries, devices and links. */
async function summarise(): Promise<void> {
  const event = `(SELECT *, date_bin('24 hours', clicked_at, 'epoch') AS day,
    floor(extract(epoch FROM clicked_at) / 900)::bigint % 96 AS quarter FROM click_events) AS event`;
  await stage.client.query(`
    INSERT INTO summary_periods (workspace_id, period_start, period_end, clicks, with_tags)
    SELECT workspace_id, day, day + interval '24 hours', count(*), true FROM ${event} GROUP BY 1, 2`);
  for (const [column, table, name] of [
    ["country", "dimension_summaries", "value"],
    ["device", "dimension_summaries", "value"],
    ["link_id", "link_summaries", "link_id"],
  ]) {
    const isLink = name === "link_id";
    await stage.client.query(`
      INSERT INTO ${table} (workspace_id, ${isLink ? "" : "dimension,"} period_start, class, domain_id, ${name}, clicks,
        quarters, quarter_clicks)
      SELECT workspace_id, ${isLink ? "" : `'${column}',`} day, class, domain_id, value, sum(clicks), array_agg(quarter),
        array_agg(clicks)
      FROM (SELECT workspace_id, day, class, domain_id, ${isLink ? column : `COALESCE(${column}, '')`} AS value, quarter,
          count(*) AS clicks FROM ${event} GROUP BY 1, 2, 3, 4, 5, 6) AS part
      GROUP BY workspace_id, day, class, domain_id, value`);
  }
  await stage.client.query(`
    INSERT INTO scope_summaries (workspace_id, scope, scope_value, dimension, period_start, class, domain_id,
      member_values, member_clicks)
    SELECT workspace_id, 'country', 'CH', 'device', day, class, domain_id, array_agg(device), array_agg(clicks)
    FROM (SELECT workspace_id, day, class, domain_id, device, count(*) AS clicks FROM ${event}
      WHERE country = 'CH' GROUP BY 1, 2, 3, 4, 5) AS part
    GROUP BY workspace_id, day, class, domain_id`);
  await stage.client.query(`
    WITH seen AS (
      SELECT workspace_id, day, visitor, min(quarter) AS first, max(quarter) AS last FROM ${event}
      WHERE visitor IS NOT NULL AND class = 'human' GROUP BY 1, 2, 3
    ), running AS (
      SELECT workspace_id, day, true AS is_first, first AS quarter,
        sum(count(*)) OVER (PARTITION BY workspace_id, day ORDER BY first) AS visitors FROM seen GROUP BY 1, 2, 4
      UNION ALL
      SELECT workspace_id, day, false, last, sum(count(*)) OVER (PARTITION BY workspace_id, day ORDER BY last DESC)
      FROM seen GROUP BY 1, 2, 4
    )
    INSERT INTO visitor_summaries (workspace_id, scope, scope_value, of_humans, period_start, first_quarters, seen_by,
      last_quarters, seen_since)
    SELECT workspace_id, 'workspace', '', of_humans, day,
      array_agg(quarter ORDER BY quarter) FILTER (WHERE is_first), array_agg(visitors ORDER BY quarter) FILTER (WHERE is_first),
      array_agg(quarter ORDER BY quarter) FILTER (WHERE NOT is_first),
      array_agg(visitors ORDER BY quarter) FILTER (WHERE NOT is_first)
    FROM running CROSS JOIN (VALUES (true), (false)) AS kind (of_humans) GROUP BY workspace_id, day, of_humans`);
}

type Answer = {
  readonly values: readonly { readonly value: string | null; readonly clicks: number }[];
  readonly visitors: number;
  readonly range: { readonly complete: boolean };
};

/** 3 hours into the first day, to the end: both kinds of days, and a part of one. */
const RANGE = { fromMs: FROM_MS + 10_800_000, toMs: TO_MS };

async function ask(path: string): Promise<Answer> {
  const range = `from=${new Date(RANGE.fromMs).toISOString()}&to=${new Date(RANGE.toMs).toISOString()}`;
  const answer = await callApi<Answer>(stage, `GET /api/v1/analytics/${path}&${range}`, { key });
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.body;
}

const countBy = (
  dimension: "country" | "device",
  filters: Parameters<typeof matchingRows>[1]["filters"] = [],
) => {
  const rows = matchingRows(world, { ...RANGE, filters: [HUMANS, ...filters] });
  return new Map([...Map.groupBy(rows, (row) => row[dimension])].map(([value, all]) => [value, all.length]));
};
const toMap = ({ values }: Answer) => new Map(values.map(({ value, clicks }) => [value, clicks]));

it("numbers of the workspace, of links and of visitors stay, also for the ends of a range", async () => {
  const countries = await ask("breakdown?dimension=country");
  expect([toMap(countries), countries.range.complete]).toEqual([countBy("country"), true]);
  const links = await ask("breakdown?dimension=link");
  expect([links.values.length, links.range.complete]).toEqual([world.links.length, true]);
  const totals = await ask("totals?visitors=true");
  const rows = matchingRows(world, { ...RANGE, filters: [HUMANS] });
  const visitors = new Set(rows.flatMap(({ visitor }) => visitor ?? []));
  expect([totals.visitors, totals.range.complete]).toEqual([visitors.size, true]);
});

it("numbers of a country or a link say that they may be too low, as only large ones had summaries", async () => {
  const first = { ...RANGE, fromMs: FROM_MS + DAY_MS };
  const range = `from=${new Date(first.fromMs).toISOString()}&to=${new Date(first.toMs).toISOString()}`;
  const of = async (filter: string) =>
    (
      await callApi<Answer>(stage, `GET /api/v1/analytics/breakdown?dimension=device&${filter}&${range}`, {
        key,
      })
    ).body;
  const swiss = { dimension: "country", values: ["CH"], isNot: false };
  const rows = matchingRows(world, { ...first, filters: [HUMANS, swiss] });
  const inSwitzerland = await of("country=CH");
  expect(toMap(inSwitzerland).get("phone")).toBe(rows.filter(({ device }) => device === "phone").length);
  expect(inSwitzerland.range.complete).toBe(false);
  expect((await of(`link=${publicLink(world.links[0])}`)).range.complete).toBe(false);
});

it("days whose clicks are there are enqueued, the newest first, and no table of the summaries is left", async () => {
  const { rows } = await stage.client.query(
    "SELECT right(key, 10) AS day FROM work WHERE kind = 'summary' ORDER BY due_at",
  );
  expect(rows.map(({ day }) => day)).toEqual(["2026-03-04", "2026-03-03"]);
  const left = await stage.client.query(
    "SELECT tablename FROM pg_tables WHERE tablename ~ '(_summaries|_weeks|summary_periods|^tag_(generations|memberships|periods))'",
  );
  expect(left.rows).toEqual([]);
});

/** Of one tag each; as the release of migration 0018 wrote them, with its rollups. */
const RELEASE_0018 = `
  INSERT INTO workspaces (id, name) VALUES ('00000000-0000-7000-8000-000000000001', 'Acme');
  INSERT INTO domains (id, workspace_id, host) SELECT id, id, 'go.example.com' FROM workspaces;
  INSERT INTO links (id, workspace_id, domain_id, slug, url, record, tags)
  SELECT ('00000000-0000-7000-8000-0000000001' || lpad(n::text, 2, '0'))::uuid, id, id, n::text, 'https://example.com/', '{}',
    ARRAY['tag-' || n % 2] FROM workspaces, generate_series(1, 5) AS n;
  INSERT INTO click_events (event_id, clicked_at, link_id, link_version, workspace_id, domain_id, source, class, classifier_version,
    country, device)
  SELECT md5(n::text)::uuid, timestamptz '2026-03-01T01:00Z' + n * interval '11 minutes',
    ('00000000-0000-7000-8000-0000000001' || lpad((1 + n % 5)::text, 2, '0'))::uuid, 1, id, id, 'link',
    CASE WHEN n % 7 = 0 THEN 'bot' ELSE 'human' END, 1, (ARRAY['CH', 'DE', NULL])[1 + n % 3], (ARRAY['phone', 'desktop'])[1 + n % 2]
  FROM workspaces, generate_series(1, 400) AS n;
  INSERT INTO click_rollups (link_id, bucket_start, class, workspace_id, domain_id, clicks)
  SELECT link_id, date_bin('15 minutes', clicked_at, 'epoch'), class, workspace_id, domain_id, count(*)
  FROM click_events GROUP BY 1, 2, 3, 4, 5;
  INSERT INTO workspace_rollups (workspace_id, bucket_start, domain_id, class, clicks)
  SELECT workspace_id, bucket_start, domain_id, class, sum(clicks) FROM click_rollups GROUP BY 1, 2, 3, 4`;

/** A range that begins and ends inside a day, and a quarter of an hour. */
const OLD_RANGE = { fromMs: Date.UTC(2026, 2, 1, 3, 7), toMs: Date.UTC(2026, 2, 3, 22, 11) };
const is = (dimension: Filter["dimension"], value: string): Filter => ({ dimension, is: [value], isNot: [] });
const OLD_QUESTIONS: readonly (readonly [string, readonly Filter[]])[] = [
  ["true", []],
  ["class = 'human'", [is("class", "human")]],
  ["country = 'CH'", [is("country", "CH")]],
  ["link_id IN (SELECT id FROM links WHERE tags @> '{tag-1}')", [is("tag", "tag-1")]],
  ["country = 'DE' AND device = 'phone'", [is("country", "DE"), is("device", "phone")]],
];

it("a database of migration 0018 answers as before: at once, and when its days are made", async () => {
  const server = await openDatabaseServer();
  const scratch = await server.createScratchDatabase();
  const earlier = await mkdtemp(join(tmpdir(), "hopline-migrations-"));
  const endpoint = await startSqlEndpoint({ databaseUrl: scratch.url });
  const client = new pg.Client({ connectionString: scratch.url });
  await client.connect();
  try {
    for (const name of readdirSync(inWorkspace("migrations")).filter((file) => file < "0019")) {
      await cp(inWorkspace(`migrations/${name}`), join(earlier, name));
    }
    await migrateAll(scratch.url, { directory: earlier, onProgress: () => undefined });
    await client.query(RELEASE_0018);
    const before: unknown[] = [];
    for (const [condition] of OLD_QUESTIONS) {
      const { rows } = await client.query<{ device: string; clicks: number }>(
        `SELECT device, count(*)::int AS clicks FROM click_events
         WHERE clicked_at >= to_timestamp($1 / 1000.0) AND clicked_at < to_timestamp($2 / 1000.0) AND ${condition}
         GROUP BY 1 ORDER BY 2 DESC, 1`,
        [OLD_RANGE.fromMs, OLD_RANGE.toMs],
      );
      before.push(rows.map((row) => [row.device, row.clicks]));
    }
    await migrateAll(scratch.url, { directory: inWorkspace("migrations"), onProgress: () => undefined });
    const settings = { databaseUrl: scratch.url, sqlEndpoint: endpoint.url };
    const database = openDatabase(settings);
    const answer = async () => {
      const parts = OLD_QUESTIONS.map(([, filters]) => {
        const question = { workspaceId: "00000000-0000-7000-8000-000000000001", range: OLD_RANGE, filters };
        return { kind: "breakdown", question, dimension: "device", limit: 10 } as const;
      });
      return (await askEngine(database, parts)).map(({ values }) =>
        values.map(({ value, clicks }) => [value, clicks]),
      );
    };
    expect(await answer()).toEqual(before);
    const runTransaction = createNeonTransactions(settings);
    await runWork(30_000, {
      handlers: { summary: dayHandler(runTransaction), tags: tagsHandler(runTransaction) },
      runTransaction,
      newLeaseId: () => crypto.randomUUID(),
      nowMs: Date.now,
      onFailure: (_item, error) => expect(error).toBeNull(),
    });
    const { rows } = await client.query(
      "SELECT sum(clicks)::int AS clicks, count(DISTINCT day)::int AS days FROM cube_days",
    );
    expect(rows).toEqual([{ clicks: 400, days: 4 }]);
    expect(await answer()).toEqual(before);
  } finally {
    await client.end();
    await endpoint.stop();
    await rm(earlier, { recursive: true });
    await scratch.drop();
    await server.stop();
  }
}, 120_000);
