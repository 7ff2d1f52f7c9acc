/**
 * What has to hold once nothing is on its way: KV has what the database has, history and audit log explain what links are, and analytics
 * say what single clicks say; also after nights, when days come from the cube and retention has removed clicks.
 */
import type { SimulatedClickHouse } from "../platform/clickhouse.ts";
import type { Row, SimulatedDatabase } from "../platform/postgres.ts";

const DAY_MS = 86_400_000;

type Select = SimulatedDatabase["select"];

/** Single clicks, for all checks, as the store that counts has them. */
export async function gatherClicks(select: Select, clickHouse: SimulatedClickHouse | null): Promise<void> {
  await select("TRUNCATE sim.clicks");
  const [source, values] =
    clickHouse === null
      ? ["SELECT event_id, clicked_at, workspace_id, link_id, country FROM click_events", []]
      : [
          "SELECT * FROM json_populate_recordset(NULL::sim.clicks, $1)",
          [JSON.stringify(await clickHouse.findClicks())],
        ];
  await select(`INSERT INTO sim.clicks ${source}`, values);
}

/** All clicks, counted; read while none of them has been removed. */
export function countClicks(select: Select): Promise<readonly Row[]> {
  return select(
    `SELECT workspace_id, 'lnk_' || replace(link_id::text, '-', '') AS link, country,
       (clicked_at AT TIME ZONE 'UTC')::date::text AS day, count(*)::int AS clicks FROM sim.clicks GROUP BY 1, 2, 3, 4`,
  );
}

/** By dimension of the API, the column of `countClicks`. */
const DIMENSIONS = { link: "link", country: "country" } as const;
const QUESTION = "from=2031-03-13&to=2031-03-16&class=all";

/** What the API says of a workspace, in all and by dimension. @param listed of those, what lists can be made of; they have to say if it is less. */
export async function judgeAnswers(
  clicks: readonly Row[],
  listed: readonly Row[],
  ask: (path: string) => Promise<unknown>,
): Promise<readonly string[]> {
  const sumBy = (column: string): Map<string, number> => {
    const sums = new Map<string, number>();
    listed.forEach((row) =>
      sums.set(String(row[column]), (sums.get(String(row[column])) ?? 0) + Number(row["clicks"])),
    );
    return sums;
  };
  const [totals, ...parts] = await Promise.all([
    ask(`analytics/totals?${QUESTION}`),
    ...Object.keys(DIMENSIONS).map((by) => ask(`analytics/breakdown?${QUESTION}&dimension=${by}&limit=100`)),
  ]);
  const counted = (totals ?? {}) as { readonly clicks?: number };
  const wanted = clicks.reduce((sum, row) => sum + Number(row["clicks"]), 0);
  const problems =
    counted.clicks === wanted ? [] : [`the API counts ${String(counted.clicks)} clicks instead of ${wanted}`];
  for (const [index, column] of Object.values(DIMENSIONS).entries()) {
    const part = (parts[index] ?? {}) as Partial<{
      readonly values: readonly Row[];
      readonly range: { readonly complete: boolean };
    }>;
    const { values = [], range } = part;
    if (range?.complete !== (listed.length === clicks.length)) {
      problems.push(
        `the API's list by ${column} says that it is ${range?.complete === true ? "" : "not "}complete`,
      );
    }
    const told = new Map(values.map(({ value, clicks: of }) => [String(value), Number(of)]));
    for (const [value, of] of sumBy(column)) {
      if (told.get(value) !== of) {
        problems.push(`the API counts ${told.get(value)} clicks of ${column} ${value} instead of ${of}`);
      }
    }
  }
  return problems;
}

/** Days that are over are in the cube with all their clicks; what is older than the retention is gone, and nothing else. */
export async function judgeNights(
  select: Select,
  clicks: readonly Row[],
  nights: { readonly retentionDays: number; readonly nowMs: number; readonly hasCube: boolean },
): Promise<readonly string[]> {
  const { retentionDays, nowMs, hasCube } = nights;
  const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  const keptFrom = retentionDays === 0 ? "" : dateOf(nowMs - retentionDays * DAY_MS);
  const sum = (rows: readonly Row[]): number => rows.reduce((all, row) => all + Number(row["clicks"]), 0);
  const isOver = ({ day }: Row): boolean => String(day) < dateOf(nowMs);
  const [made = {}] = await select("SELECT coalesce(sum(clicks), 0)::int AS clicks FROM cube_days");
  const left = await countClicks(select);
  const wanted: readonly (readonly [what: string, is: unknown, wanted: number])[] = [
    ["clicks in the cube", made["clicks"], hasCube ? sum(clicks.filter(isOver)) : 0],
    ["clicks that are kept", sum(left), sum(clicks.filter(({ day }) => String(day) >= keptFrom))],
  ];
  return wanted
    .filter(([, is, of]) => is !== of)
    .map(([what, is, of]) => `${what} after the nights: ${String(is)} instead of ${of}`);
}

/** The last version of each link, and what the audit log says last, is what the link is. An imported file has one row in the log. */
const UNEXPLAINED = `
  SELECT links.id, links.url, kept.destination AS kept, logged.url AS logged FROM links
    LEFT JOIN LATERAL (SELECT destination, version FROM link_versions WHERE link_id = links.id ORDER BY version DESC LIMIT 1) kept ON true
    LEFT JOIN LATERAL (SELECT after ->> 'url' AS url FROM audit_log
      WHERE resource_id = links.id AND after ? 'url' ORDER BY at DESC LIMIT 1) logged ON true
  WHERE state <> 'deleted' AND (kept.destination IS DISTINCT FROM links.url OR kept.version IS DISTINCT FROM links.version
    OR (logged.url IS DISTINCT FROM links.url AND links.url NOT LIKE '%/imported'))`;

export async function judgeHistory(select: Select): Promise<readonly string[]> {
  return (await select(UNEXPLAINED)).map(
    ({ id, url, kept, logged }) =>
      `link ${String(id)} leads to ${String(url)}; its history says ${String(kept)}, the audit log ${String(logged)}`,
  );
}

/** @param isExcused a key that is still to be written again. */
export async function judgePublished(
  select: Select,
  stored: ReadonlyMap<string, string>,
  isExcused = (_key: string): boolean => false,
): Promise<readonly string[]> {
  const rows = await select(
    "SELECT host || '/' || slug AS key, version::int AS version FROM addresses WHERE slug <> '*'",
  );
  return rows.flatMap(({ key, version }) => {
    const has = Number(/"version":(\d+)/.exec(stored.get(String(key)) ?? "")?.[1] ?? 0);
    // Hosts that a life begins with were never published (workspaces.ts).
    const isFirst = version === 1 && has === 0 && String(key).endsWith("/@");
    return has === version || isFirst || isExcused(String(key))
      ? []
      : [`KV has ${String(key)} in version ${has} at the end, the database in version ${String(version)}`];
  });
}
