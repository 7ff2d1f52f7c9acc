/** A database of migration 0018 answers as before after its upgrade: at once, and when its days are made. */
import { readdirSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dayHandler, tagsHandler } from "@hopline/analytics/cube/day-work";
import type { Dimension, Filter } from "@hopline/analytics/dimension";
import { totalsOf } from "@hopline/analytics/engine";
import { createNeonTransactions } from "@hopline/db/neon-client";
import { openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { migrate as migrateAll } from "@hopline/testkit/postgres/migrate";
import { startSqlEndpoint } from "@hopline/testkit/sql-endpoint/sql-endpoint";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import pg from "pg";
import { expect, it } from "vitest";
import { doWork } from "../../../../packages/db/test/do-work.ts";
import { ask } from "../../src/analytics/run-statements.ts";
import { openDatabase } from "../../src/database.ts";
import { PATIENT } from "../stage.ts";

const HOUR_MS = 3_600_000;
const FROM_MS = Date.UTC(2026, 2, 1);
/** Retention has removed the first two days, of which there are summaries. */
const KEPT_FROM_MS = FROM_MS + 48 * HOUR_MS;
/** Inside a day, and a quarter of an hour. */
const TO_MS = Date.UTC(2026, 2, 4, 1, 11);

const WORKSPACE = "00000000-0000-7000-8000-000000000001";
const LINK = "00000000-0000-7000-8000-000000000103";

/** As that release wrote clicks and its rollups; of links with one tag each. */
const CLICKS = `
  INSERT INTO workspaces (id, name) VALUES ('${WORKSPACE}', 'Acme');
  INSERT INTO domains (id, workspace_id, host) SELECT id, id, 'go.example.com' FROM workspaces;
  INSERT INTO links (id, workspace_id, domain_id, slug, url, record, tags)
  SELECT ('00000000-0000-7000-8000-0000000001' || lpad(n::text, 2, '0'))::uuid, id, id, n::text, 'https://example.com/', '{}',
    ARRAY['tag-' || n % 2] FROM workspaces, generate_series(1, 5) AS n;
  INSERT INTO click_events (event_id, clicked_at, link_id, link_version, workspace_id, domain_id, source, class, classifier_version,
    country, device, visitor)
  SELECT md5(n::text)::uuid, timestamptz '2026-03-01T01:00Z' + n * interval '11 minutes',
    ('00000000-0000-7000-8000-0000000001' || lpad((1 + n % 5)::text, 2, '0'))::uuid, 1, id, id, 'link',
    CASE WHEN n % 7 = 0 THEN 'bot' ELSE 'human' END, 1, (ARRAY['CH', 'DE', NULL])[1 + n % 3], (ARRAY['phone', 'desktop'])[1 + n % 2],
    CASE WHEN n % 4 > 0 THEN md5((timestamptz '2026-03-01T01:00Z' + n * interval '11 minutes')::date || '/' || n % 9)::uuid END
  FROM workspaces, generate_series(1, 400) AS n;
  INSERT INTO click_rollups (link_id, bucket_start, class, workspace_id, domain_id, clicks)
  SELECT link_id, date_bin('15 minutes', clicked_at, 'epoch'), class, workspace_id, domain_id, count(*)
  FROM click_events GROUP BY 1, 2, 3, 4, 5;
  INSERT INTO workspace_rollups (workspace_id, bucket_start, domain_id, class, clicks)
  SELECT workspace_id, bucket_start, domain_id, class, sum(clicks) FROM click_rollups GROUP BY 1, 2, 3, 4;`;

const EVENT = `(SELECT *, date_bin('24 hours', clicked_at, 'epoch') AS day,
    floor(extract(epoch FROM clicked_at) / 900)::bigint % 96 AS quarter FROM click_events) AS event`;

const summarise = (table: string, names: string, values: string, column: string) => `
  INSERT INTO ${table} (workspace_id, ${names}, period_start, class, domain_id, clicks, quarters, quarter_clicks)
  SELECT workspace_id, ${values}, day, class, domain_id, sum(clicks), array_agg(quarter), array_agg(clicks)
  FROM (SELECT workspace_id, day, class, domain_id, ${column} AS value, quarter, count(*) AS clicks
    FROM ${EVENT} GROUP BY 1, 2, 3, 4, 5, 6) AS part
  GROUP BY workspace_id, day, class, domain_id, value;`;

/** As its job made them, of countries, devices and links; and what its retention left. */
const SUMMARIES = `
  INSERT INTO summary_periods (workspace_id, period_start, period_end, clicks, with_tags)
  SELECT workspace_id, day, day + interval '24 hours', count(*), true FROM ${EVENT} GROUP BY 1, 2;
  ${summarise("dimension_summaries", "dimension, value", "'country', value", "COALESCE(country, '')")}
  ${summarise("dimension_summaries", "dimension, value", "'device', value", "device")}
  ${summarise("link_summaries", "link_id", "value", "link_id")}
  INSERT INTO scope_summaries (workspace_id, scope, scope_value, dimension, period_start, class, domain_id,
    member_values, member_clicks)
  SELECT workspace_id, 'country', 'CH', 'device', day, class, domain_id, array_agg(device), array_agg(clicks)
  FROM (SELECT workspace_id, day, class, domain_id, device, count(*) AS clicks FROM ${EVENT}
    WHERE country = 'CH' GROUP BY 1, 2, 3, 4, 5) AS part
  GROUP BY workspace_id, day, class, domain_id;
  WITH seen AS (
    SELECT workspace_id, day, visitor, min(quarter) AS first, max(quarter) AS last FROM ${EVENT}
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
  FROM running CROSS JOIN (VALUES (true), (false)) AS kind (of_humans) GROUP BY workspace_id, day, of_humans;
  DELETE FROM click_events WHERE clicked_at < to_timestamp(${KEPT_FROM_MS / 1_000});
  INSERT INTO event_retention (kept_from) VALUES (to_timestamp(${KEPT_FROM_MS / 1_000}))`;

const is = (dimension: Dimension, value: string): Filter => ({ dimension, is: [value], isNot: [] });
/** A part of the first day, and inside a quarter of an hour of the third. */
const [LOST, KEPT] = [FROM_MS + 3 * HOUR_MS, KEPT_FROM_MS + 3.1 * HOUR_MS];

/** Filters, the beginning of the range, and what is counted by. Only large countries and links had summaries of more than their clicks. */
const QUESTIONS: readonly (readonly [readonly Filter[], number, Dimension, complete: boolean])[] = [
  [[], LOST, "country", true],
  [[is("class", "human")], LOST, "link", true],
  [[is("country", "CH")], FROM_MS + 24 * HOUR_MS, "device", false],
  [[is("country", "CH")], KEPT, "device", true],
  [[is("tag", "tag-1")], KEPT, "device", true],
  [[is("country", "DE"), is("device", "phone")], KEPT, "link", true],
];

const isOf = ({ dimension, is: [value] }: Filter) =>
  dimension === "tag"
    ? `link_id IN (SELECT id FROM links WHERE tags @> '{${value}}')`
    : `${dimension} = '${value}'`;

/** Counted from the clicks. */
const selectFrom = (counted: string, fromMs: number, filters: readonly Filter[]) =>
  `SELECT ${counted} FROM click_events WHERE ${["true", ...filters.map(isOf)].join(" AND ")}
    AND clicked_at >= to_timestamp(${fromMs / 1_000}) AND clicked_at < to_timestamp(${TO_MS / 1_000})`;

it("every number stays, and says if it may be too low", async () => {
  const server = await openDatabaseServer();
  const scratch = await server.createScratchDatabase();
  const earlier = await mkdtemp(join(tmpdir(), "hopline-migrations-"));
  const endpoint = await startSqlEndpoint({ databaseUrl: scratch.url });
  const client = new pg.Client({ connectionString: scratch.url });
  await client.connect();
  const select = async (statement: string): Promise<readonly (readonly unknown[])[]> =>
    (await client.query({ text: statement, rowMode: "array" })).rows;
  const migrate = (directory: string) => migrateAll(scratch.url, { directory, onProgress: () => undefined });
  try {
    for (const name of readdirSync(inWorkspace("migrations")).filter((file) => file < "0019")) {
      await cp(inWorkspace(`migrations/${name}`), join(earlier, name));
    }
    await migrate(earlier);
    await client.query(CLICKS);
    const before: unknown[] = [];
    for (const [filters, fromMs, by, complete] of QUESTIONS) {
      const counted = `${by === "link" ? "link_id::text" : by}, count(*)::int`;
      const values = await select(`${selectFrom(counted, fromMs, filters)} GROUP BY 1 ORDER BY 2 DESC, 1`);
      before.push({ values, complete });
    }
    const humans = [is("class", "human")];
    const [[visitors] = []] = await select(selectFrom("count(DISTINCT visitor)::int", LOST, humans));
    await client.query(SUMMARIES);
    await migrate(inWorkspace("migrations"));
    const left = await select(
      "SELECT tablename FROM pg_tables WHERE tablename ~ '(_summaries|_weeks|summary_periods|^tag_(generations|memberships|periods))'",
    );
    expect(left).toEqual([]);
    const enqueued = await select("SELECT right(key, 10) FROM work WHERE kind = 'summary' ORDER BY due_at");
    expect(enqueued.flat(), "the newest first").toEqual(["2026-03-04", "2026-03-03"]);

    const settings = { databaseUrl: scratch.url, sqlEndpoint: endpoint.url };
    const expectSame = async () => {
      const asked = (fromMs: number, filters: readonly Filter[]) => ({
        workspaceId: WORKSPACE,
        range: { fromMs, toMs: TO_MS },
        filters,
      });
      const parts = QUESTIONS.map(([filters, fromMs, by]) => {
        return { kind: "breakdown", question: asked(fromMs, filters), dimension: by, limit: 10 } as const;
      });
      const database = openDatabase({ ...settings, ...PATIENT });
      const found = await ask(database, parts);
      expect(
        found.map(({ values, complete }) => ({
          values: values.map(({ value, clicks }) => [value, clicks]),
          complete,
        })),
      ).toEqual(before);
      const [unique, inside] = await ask(database, [
        totalsOf(asked(LOST, humans), true),
        { kind: "breakdown", question: asked(LOST, [is("link", LINK)]), dimension: "device", limit: 1 },
      ]);
      expect(unique).toMatchObject({ points: [{ visitors }], complete: true });
      expect(inside.complete).toBe(false);
    };
    await expectSame();
    const runTransaction = createNeonTransactions(settings);
    const handlers = { summary: dayHandler(runTransaction), tags: tagsHandler(runTransaction) };
    expect(await doWork(runTransaction, handlers)).toEqual([]);
    const made = await select("SELECT sum(clicks)::int, count(DISTINCT day)::int FROM cube_days");
    expect(made).toEqual([[400, 4]]);
    await expectSame();
  } finally {
    await client.end();
    await endpoint.stop();
    await rm(earlier, { recursive: true });
    await scratch.drop();
    await server.stop();
  }
});
