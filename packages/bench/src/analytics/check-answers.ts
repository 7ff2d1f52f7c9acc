/** Before anything is timed: totals, series and breakdowns agree with the events, or the bench ends here. */
import type { Client } from "pg";
import { toPublicId } from "@hopline/api/http/entity-id";
import { DAYS, linkIdOf, START_MS } from "./fill-clicks.ts";

const RANGE = {
  // Not on a quarter of an hour, so that every table is needed.
  from: new Date(START_MS + 12_345_678).toISOString(),
  to: new Date(START_MS + (DAYS - 1) * 86_400_000 - 7_654_321).toISOString(),
  timeZone: "Asia/Kathmandu",
};
const HOT = { link: toPublicId("lnk", linkIdOf(0)) };

const SCOPES = [
  { condition: "true", filters: {} },
  { condition: "country = 'DE'", filters: { country: "DE" } },
  { condition: `link_id = '${linkIdOf(0)}'`, filters: HOT },
  { condition: `link_id = '${linkIdOf(0)}' AND country = 'DE'`, filters: { ...HOT, country: "DE" } },
  {
    condition: `link_id = '${linkIdOf(0)}' AND country = 'DE' AND device = 'phone'`,
    filters: { ...HOT, country: "DE", device: "phone" },
  },
  { condition: "country = 'NP'", filters: { country: "NP" } },
  { condition: `link_id = '${linkIdOf(7)}'`, filters: { link: toPublicId("lnk", linkIdOf(7)) } },
  {
    condition: "link_id IN (SELECT id FROM links WHERE tags && '{tag-7}')",
    filters: { tag: "tag-7" },
  },
];

/** Ten days of that: counting visitors is slow. */
const VISITOR_RANGE = { ...RANGE, to: new Date(START_MS + 10 * 86_400_000 - 7_654_321).toISOString() };
const VISITOR_SCOPES = SCOPES.slice(0, 3);

/** One GET of the analytics, parsed. Empty when it is refused: that is reported when it is timed. */
export type Ask = (
  path: string,
  parameters: Readonly<Record<string, string>>,
) => Promise<{
  readonly clicks?: number;
  readonly visitors?: number;
  readonly total?: number;
  readonly points?: readonly { readonly clicks: number; readonly visitors: number }[];
}>;

/** Rejects with the scope whose numbers do not agree. */
export async function checkAnswers(client: Client, ask: Ask): Promise<void> {
  await checkClicks(client, ask);
  await checkVisitors(client, ask);
}

/** Of the running day, in a time zone whose days are not UTC's. */
export async function checkToday(client: Client, ask: Ask): Promise<void> {
  const today = { period: "today", timeZone: RANGE.timeZone };
  for (const { condition, filters } of VISITOR_SCOPES) {
    const { rows } = await client.query<{ readonly clicks: number; readonly visitors: number }>(
      `SELECT count(*)::float8 AS clicks, count(DISTINCT (date_trunc('day', clicked_at, 'UTC'), visitor))::float8 AS visitors
       FROM click_events WHERE class = 'human' AND clicked_at >= date_trunc('day', now(), $1) AND ${condition}`,
      [today.timeZone],
    );
    const { total } = await ask("breakdown", { ...today, ...filters, dimension: "city" });
    const { visitors } = await ask("totals", { ...today, ...filters, visitors: "true" });
    const [expected = { clicks: 0, visitors: 0 }] = rows;
    if (total !== expected.clicks || visitors !== expected.visitors) {
      throw new Error(
        `Not timed: today, where ${condition}, ${expected.clicks} clicks of ${expected.visitors} visitors; answered: ${total}, ${visitors}.`,
      );
    }
  }
}

async function checkClicks(client: Client, ask: Ask): Promise<void> {
  const counts = SCOPES.map(({ condition }) => `count(*) FILTER (WHERE ${condition})::float8`);
  const { rows } = await client.query<{ readonly counts: readonly number[] }>(
    `SELECT ARRAY[${counts.join(", ")}] AS counts FROM click_events
     WHERE class = 'human' AND clicked_at >= $1 AND clicked_at < $2`,
    [RANGE.from, RANGE.to],
  );
  for (const [index, { condition, filters }] of SCOPES.entries()) {
    const parameters = { ...RANGE, ...filters };
    const answers = [
      (await ask("totals", parameters)).clicks,
      (await ask("timeseries", parameters)).points?.reduce((sum, { clicks }) => sum + clicks, 0),
      (await ask("breakdown", { ...parameters, dimension: "city" })).total,
      (await ask("breakdown", { ...parameters, dimension: "link" })).total,
    ];
    const expected = rows[0]?.counts[index];
    if (answers.some((answer) => answer !== undefined && answer !== expected)) {
      throw new Error(
        `Not timed: where ${condition}, ${expected} events; totals, series, by city, by link: ${answers.join(", ")}.`,
      );
    }
  }
}

/** A visitor counts once in a UTC day, and once in each bucket of it. */
async function checkVisitors(client: Client, ask: Ask): Promise<void> {
  const inDays = await countVisitors(client, "date_trunc('day', clicked_at, 'UTC')");
  const inBuckets = await countVisitors(
    client,
    `date_trunc('day', clicked_at, 'UTC'), date_trunc('day', clicked_at, '${VISITOR_RANGE.timeZone}')`,
  );
  for (const [index, { condition, filters }] of VISITOR_SCOPES.entries()) {
    const parameters = { ...VISITOR_RANGE, ...filters, visitors: "true" };
    const { visitors: total } = await ask("totals", parameters);
    const { points } = await ask("timeseries", parameters);
    const charted = points?.reduce((sum, { visitors }) => sum + visitors, 0);
    if ((total ?? inDays[index]) !== inDays[index] || (charted ?? inBuckets[index]) !== inBuckets[index]) {
      throw new Error(
        `Not timed: where ${condition}, ${inDays[index]} visitors, ${inBuckets[index]} by bucket; totals, series: ${total}, ${charted}.`,
      );
    }
  }
}

async function countVisitors(client: Client, by: string): Promise<readonly number[]> {
  const counts = VISITOR_SCOPES.map(
    (_scope, index) => `(count(*) FILTER (WHERE fits[${index + 1}]))::float8`,
  );
  const fits = VISITOR_SCOPES.map(({ condition }) => `bool_or(${condition})`);
  const { rows } = await client.query<{ readonly counts: readonly number[] }>(
    `SELECT ARRAY[${counts.join(", ")}] AS counts FROM (
       SELECT ARRAY[${fits.join(", ")}] AS fits FROM click_events
       WHERE class = 'human' AND visitor IS NOT NULL AND clicked_at >= $1 AND clicked_at < $2
       GROUP BY ${by}, visitor
     ) AS seen`,
    [VISITOR_RANGE.from, VISITOR_RANGE.to],
  );
  return rows[0]?.counts ?? [];
}
