/** migrations/0024_drop_summaries.sql on a database with summaries: answers are the same before and after. */
import { readFileSync } from "node:fs";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
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
    "SELECT tablename FROM pg_tables WHERE tablename ~ '(_summaries|_weeks|summary_periods|^tag_)'",
  );
  expect(left.rows).toEqual([]);
});
