/** GET /api/metrics over a real database: who may read it, and whether its numbers match what happened. */
import { cellOf, type EdgeReport } from "@hopline/core/click/edge-report";
import { insertEdgeReports } from "@hopline/db/ingest/insert-edge-reports";
import { WORK_KINDS } from "@hopline/db/work/work-kinds";
import type { Integrity } from "@hopline/client/openapi";
import { listOperators, setOperator } from "@hopline/ops/operate/operators";
import { beforeEach, describe, expect, it } from "vitest";
import { fillWorld, YEAR_FROM_MS } from "../analytics/analytics-world.ts";
import { type ParsedFamilies, parseExposition } from "./parse-exposition.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { METRICS_TOKEN } from "../stage.ts";
import { runSqlOf } from "../run-sql-of.ts";

const { stage, workspace } = await openKeyedStage("admin");

const runSql = runSqlOf(stage.client);

async function scrape(): Promise<ParsedFamilies> {
  const response = await stage.app.request("/api/metrics", {
    headers: { authorization: `Bearer ${METRICS_TOKEN}` },
  });
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
  ]);
  return parseExposition(await response.text());
}

/** Samples of a family as `suffix{label=value,…} number`, in order. */
function samplesOf(families: ParsedFamilies, name: string): readonly string[] {
  return (families.get(name) ?? []).map(
    (sample) =>
      `${sample.name.slice(name.length)}{${Array.from(sample.labels, ([label, text]) => `${label}=${text}`).join(",")}} ${sample.value}`,
  );
}

function aReport(number: number, change: Partial<EdgeReport> = {}): EdgeReport {
  return {
    number,
    colo: "ZRH",
    feedAgeMs: 900,
    feedGaps: 0,
    facts: { entries: 40, bytes: 9_000, buffered: 5, evictions: 2, refused: 7, kv: 3, db: 1, hedged: 1 },
    cells: [
      { cell: cellOf("isolate", 302, 0), answers: 100, totalMs: 0 },
      { cell: cellOf("kv", 302, 9), answers: 2, totalMs: 17 },
      { cell: cellOf("kv", 410, 8), answers: 1, totalMs: 8 },
      { cell: cellOf("none", 503, 3_000), answers: 1, totalMs: 3_000 },
    ],
    ...change,
  };
}

describe("without the deployment's token", () => {
  it.each([
    ["nothing", undefined],
    ["another token", `Bearer ${METRICS_TOKEN}x`],
    ["an empty one", "Bearer "],
    ["the token as a password", `Basic ${METRICS_TOKEN}`],
  ])("is refused with %s", async (_what, authorization) => {
    const headers = authorization === undefined ? {} : { authorization };
    const response = await stage.app.request("/api/metrics", { headers });
    expect([response.status, await response.json()]).toEqual([
      401,
      expect.objectContaining({ code: "metrics_token_wrong" }),
    ]);
  });

  it("is refused with an API key, even an admin's: the numbers cover all workspaces", async () => {
    const key = await stage.addKey(workspace, ["admin"]);
    const response = await stage.app.request("/api/metrics", { headers: { authorization: `Bearer ${key}` } });
    expect(response.status).toBe(401);
  });

  it("is refused with an empty token where none is set", async () => {
    const app = stage.appWithoutMetrics();
    for (const authorization of ["Bearer ", "Bearer  ", `Bearer ${METRICS_TOKEN}`]) {
      expect((await app.request("/api/metrics", { headers: { authorization } })).status).toBe(401);
    }
  });
});

it("has every family before anything has happened", async () => {
  const families = await scrape();
  expect([...families.keys()]).toEqual([
    "redirect_duration_seconds",
    "hopline_answers_total",
    "hopline_feed_age_seconds",
    "hopline_isolates",
    "hopline_cache_entries",
    "hopline_cache_bytes",
    "hopline_buffered_clicks",
    "hopline_cache_evictions_total",
    "hopline_cache_refused_total",
    "hopline_look_ups_total",
    "hopline_hedged_total",
    "hopline_clicks_total",
    "hopline_segments_total",
    "hopline_queue_delay_seconds",
    "hopline_queue_silent_seconds",
    "hopline_duplicate_clicks_total",
    "hopline_retries_total",
    "hopline_feed_gaps_total",
    "hopline_last_click_timestamp_seconds",
    "hopline_dead_letters",
    "hopline_missing_clicks",
    "hopline_work_waiting",
    "hopline_work_oldest_seconds",
    "hopline_work_failing",
    "hopline_webhook_clicks",
    "hopline_webhooks",
    "hopline_webhook_overdue_seconds",
    "hopline_webhook_cursor_age_seconds",
  ]);
  expect(samplesOf(families, "hopline_clicks_total")).toContain("{class=human} 0");
  expect(samplesOf(families, "hopline_queue_delay_seconds").at(-1)).toBe("_count{} 0");
});

it("counts each report of the edge once, and adds up several", async () => {
  const isolateId = "00c0ffee0000bbbb";
  const first = { isolateId, report: aReport(1), colo: "ZRH" };
  await insertEdgeReports(runSql, [first, first], 5_000);
  await insertEdgeReports(
    runSql,
    [first, { isolateId, report: aReport(2, { feedGaps: 3 }), colo: "ZRH" }],
    5_000,
  );
  await insertEdgeReports(
    runSql,
    [{ isolateId: "00c0ffee0000cccc", report: aReport(1, { feedAgeMs: null }), colo: null }],
    5_000,
  );
  const families = await scrape();
  const durations = samplesOf(families, "redirect_duration_seconds");
  expect(durations).toContain("_count{colo=ZRH,cache_tier=isolate} 200");
  expect(durations).toContain("_bucket{colo=ZRH,cache_tier=isolate,le=0.001} 200");
  expect(durations).toContain("_count{colo=ZRH,cache_tier=kv} 6");
  expect(durations).toContain("_sum{colo=ZRH,cache_tier=kv} 0.05");
  expect(durations).toContain("_bucket{colo=ZRH,cache_tier=kv,le=0.005} 0");
  expect(durations).toContain("_bucket{colo=ZRH,cache_tier=kv,le=0.01} 6");
  expect(durations).toContain("_bucket{colo=ZRH,cache_tier=none,le=2.5} 0");
  expect(durations).toContain("_bucket{colo=,cache_tier=none,le=+Inf} 1");
  expect(samplesOf(families, "hopline_answers_total")).toEqual(
    expect.arrayContaining([
      "{cache_tier=isolate,outcome=redirect} 300",
      "{cache_tier=kv,outcome=gone} 3",
      "{cache_tier=none,outcome=unavailable} 3",
    ]),
  );
  const ages = samplesOf(families, "hopline_feed_age_seconds");
  expect(ages).toContain("_count{colo=ZRH} 2");
  expect(ages).toContain("_sum{colo=ZRH} 1.8");
  expect(samplesOf(families, "hopline_feed_gaps_total")).toEqual(["{} 3"]);
  // Of each isolate what it said last.
  expect(
    ["isolates", "cache_entries", "cache_bytes", "buffered_clicks"].map((name) =>
      samplesOf(families, `hopline_${name}`),
    ),
  ).toEqual([
    ["{colo=} 1", "{colo=ZRH} 1"],
    ["{colo=} 40", "{colo=ZRH} 40"],
    ["{colo=} 9000", "{colo=ZRH} 9000"],
    ["{colo=} 5", "{colo=ZRH} 5"],
  ]);
  expect(samplesOf(families, "hopline_cache_evictions_total")).toEqual(["{colo=} 2", "{colo=ZRH} 4"]);
  expect(samplesOf(families, "hopline_cache_refused_total")).toEqual(["{colo=} 7", "{colo=ZRH} 14"]);
  expect(samplesOf(families, "hopline_hedged_total")).toEqual(["{colo=} 1", "{colo=ZRH} 2"]);
  expect(samplesOf(families, "hopline_look_ups_total")).toEqual([
    "{colo=,cache_tier=kv} 3",
    "{colo=ZRH,cache_tier=kv} 6",
    "{colo=,cache_tier=db} 1",
    "{colo=ZRH,cache_tier=db} 2",
  ]);
  // A gap is no click.
  expect(samplesOf(families, "hopline_last_click_timestamp_seconds")).toEqual(["{} 0"]);
});

it("counts clicks as the events do", async () => {
  const before = await scrape();
  const { rows } = await fillWorld(stage, YEAR_FROM_MS);
  const families = await scrape();
  for (const name of ["human", "bot", "preview"]) {
    const count = rows.filter((row) => row.class === name).length;
    expect(samplesOf(families, "hopline_clicks_total")).toContain(`{class=${name}} ${count}`);
  }
  expect(samplesOf(before, "hopline_segments_total")).toEqual(["{} 0"]);
  // They are of one segment, which is cut by quarters of an hour: no two clicks are of the same one.
  expect(samplesOf(families, "hopline_segments_total")).toEqual([`{} ${rows.length}`]);
  expect(samplesOf(families, "hopline_duplicate_clicks_total")).toEqual(["{} 0"]);
  const [, last = "0"] = samplesOf(families, "hopline_last_click_timestamp_seconds")[0]?.split(" ") ?? [];
  expect(Math.abs(Number(last) - Date.now() / 1_000)).toBeLessThan(60);
});

it("shows dead letters, a gap in the ledger, and the backlog of each kind of work", async () => {
  await stage.client.query(
    `INSERT INTO dead_letters (id, kind, reason, source, body, replayed_at)
     VALUES (gen_random_uuid(), 'click_refused', 'x', 'x', 'x', NULL),
            (gen_random_uuid(), 'click_refused', 'x', 'x', 'x', now())`,
  );
  const insertSegment = `INSERT INTO segment_ledger (isolate_id, first_sequence, click_count, inserted, queue_delay_ms, first_clicked_at, last_clicked_at)
    VALUES ('00c0ffee0000eeee', $1, 10, 10, 0, now() - $2::interval, now() - $2::interval)`;
  await stage.client.query(insertSegment, [1, "40 minutes"]);
  await stage.client.query(insertSegment, [18, "30 minutes"]);
  // In the last ten minutes: what is missing before it may still arrive.
  await stage.client.query(insertSegment, [100, "1 minute"]);
  await stage.client.query(
    `INSERT INTO work (kind, key, wanted_at, attempts, last_error) VALUES
       ('publish', 'example.com/waits', now() - interval '90 seconds', 1, 'TypeError'),
       ('publish', 'example.com/confirming', now() + interval '90 seconds', 0, NULL),
       ('of-a-later-release', '1', now(), 0, NULL)`,
  );
  const families = await scrape();
  expect(samplesOf(families, "hopline_dead_letters")).toEqual([
    "{kind=click_refused} 1",
    "{kind=message_undecodable} 0",
  ]);
  expect(samplesOf(families, "hopline_missing_clicks")).toEqual(["{} 7"]);
  expect(samplesOf(families, "hopline_work_waiting")).toEqual([
    "{kind=publish} 1",
    ...WORK_KINDS.slice(1).map((kind) => `{kind=${kind}} 0`),
    "{kind=of-a-later-release} 1",
  ]);
  expect(samplesOf(families, "hopline_work_failing")[0]).toBe("{kind=publish} 1");
  const [, age = "0"] = samplesOf(families, "hopline_work_oldest_seconds")[0]?.split(" ") ?? [];
  expect(Number(age)).toBeGreaterThanOrEqual(90);
});

it("identifies no link, workspace or visitor", async () => {
  const families = await scrape();
  const labels = new Set(
    [...families.values()].flatMap((samples) => samples.flatMap((one) => [...one.labels.keys()])),
  );
  expect([...labels].toSorted()).toEqual(["cache_tier", "class", "colo", "kind", "le", "outcome", "state"]);
});

describe("the integrity of the deployment", () => {
  const DAY = 86_400_000;
  const today = Math.floor(Date.now() / DAY) * DAY;
  const dayOf = (daysAgo: number) => new Date(today - daysAgo * DAY).toISOString();
  const addSegment = (first: number, daysAgo: number, isolateId = "00c0ffee0000ffff") =>
    stage.client.query(
      `INSERT INTO segment_ledger (isolate_id, first_sequence, click_count, inserted, queue_delay_ms, first_clicked_at,
         last_clicked_at, first_settled_at)
       SELECT $1, $2, 10, 10, 0, at, at, at FROM to_timestamp($3::float8 / 1000) AS at`,
      [isolateId, first, today - daysAgo * DAY],
    );
  // Yesterday is over for certain only a quarter of an hour after midnight.
  const atNoon = () => stage.appWith({}, { nowMs: () => today + DAY / 2 });
  const read = async (headers: Record<string, string>, query = "period=last7Days") => {
    const response = await atNoon().request(`/api/v1/integrity?${query}`, { headers });
    return { status: response.status, body: (await response.json()) as Integrity & { code: string } };
  };
  const asProgram = { authorization: `Bearer ${METRICS_TOKEN}` };

  beforeEach(() => stage.client.query("TRUNCATE segment_ledger, ledger_sums, dead_letters, event_retention"));

  it("is shown to programs with the deployment's token, to operators, and to no owner of a workspace", async () => {
    expect((await read(asProgram)).status).toBe(200);
    expect(await read({ authorization: `Bearer ${METRICS_TOKEN}x` })).toMatchObject({ status: 401 });
    const key = await stage.addKey(workspace, ["admin"]);
    expect(await read({ authorization: `Bearer ${key}` })).toMatchObject({ status: 403 });
    const { cookie, email } = await stage.addPerson(workspace, "owner");
    expect(await read({ cookie })).toMatchObject({ status: 403, body: { code: "scope_missing" } });
    await setOperator(stage.databaseUrl, email, true);
    expect((await read({ cookie })).status).toBe(200);
    expect(await listOperators(stage.databaseUrl)).toEqual([{ email, name: "Test" }]);
    await setOperator(stage.databaseUrl, email, false);
    expect((await read({ cookie })).status).toBe(403);
  });

  it("opens nothing else with the token", async () => {
    const response = await stage.app.request("/api/v1/links", { headers: asProgram });
    expect(response.status).toBe(401);
  });

  it("is never complete before anything was counted, nor while nothing later has come through", async () => {
    expect((await read(asProgram)).body).toMatchObject({
      state: "arriving",
      accepted: 0,
      countedUntil: null,
    });
    await addSegment(1, 3);
    // Whatever came on the days after waits in a queue, for all that anybody knows.
    const states = (await read(asProgram)).body.days.map(({ state }) => state);
    expect(states).toEqual(["accounted-for", "accounted-for", "accounted-for", ...Array(4).fill("arriving")]);
    const before = `from=${dayOf(6).slice(0, 10)}&to=${dayOf(4).slice(0, 10)}`;
    expect((await read(asProgram, before)).body).toMatchObject({ state: "accounted-for" });
  });

  it("says on which day how many clicks are missing", async () => {
    await addSegment(1, 3);
    await addSegment(15, 2);
    await addSegment(25, 0);
    const { body } = await read(asProgram);
    expect(body).toMatchObject({ state: "missing", accepted: 34, inserted: 30, missing: 4, waiting: 0 });
    expect(body.days.map(({ state, missing }) => [state, missing])).toEqual([
      ["accounted-for", 0],
      ["accounted-for", 0],
      ["accounted-for", 0],
      ["accounted-for", 0],
      ["missing", 4],
      ["accounted-for", 0],
      ["arriving", 0],
    ]);
    expect(body.days[4]).toMatchObject({ from: dayOf(2), to: dayOf(1) });
  });

  it("refuses a range that is too long or still to come", async () => {
    for (const query of ["from=2020-01-01&to=2026-01-01", "from=2090-01-01&to=2090-01-02"]) {
      expect(await read(asProgram, query)).toMatchObject({ status: 422, body: { code: "invalid" } });
    }
  });
});
