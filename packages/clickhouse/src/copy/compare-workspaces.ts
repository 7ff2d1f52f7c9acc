/**
 * Marks every day that is over and is not sealed as it should be: all of them once ClickHouse is new, days that were made while no
 * consumer had CLICKHOUSE_URL, and days that hold something else than when they were sealed. Some workspaces at a time, in turn;
 * answers do not depend on it, because they compare the same. A day that only ClickHouse has, as while a deletion is cut off, is emptied.
 */
import { sql } from "@hopline/db/sql";
import { DAY_FINGERPRINT } from "../day-fingerprint.ts";
import type { CopyDeps } from "./copy-day.ts";
import { markDays } from "./mark-days.ts";

const WORKSPACES_AT_ONCE = 20;

/** Days are what analytics have pre-aggregated: that is done with each day before retention removes its clicks. */
const findDays = (after: string) => sql`
  WITH chosen AS (
    SELECT id FROM workspaces WHERE id > ${after}::uuid ORDER BY id LIMIT ${WORKSPACES_AT_ONCE}
  ), made AS (
    SELECT workspace_id, (day AT TIME ZONE 'UTC')::date AS day, sum(clicks) AS clicks FROM cube_days
    WHERE workspace_id IN (SELECT id FROM chosen) AND day < date_trunc('day', now(), 'UTC') GROUP BY 1, 2
  ), sealed AS (
    SELECT workspace_id, day, sealed_clicks, fingerprint FROM clickhouse_days WHERE workspace_id IN (SELECT id FROM chosen)
  )
  SELECT id::text AS workspace, day::text AS day, COALESCE(clicks, 0) = sealed_clicks AS "isCurrent", fingerprint::text AS fingerprint,
    day < COALESCE((SELECT (kept_from AT TIME ZONE 'UTC')::date FROM event_retention), '-infinity') AS "isRemoved"
  FROM chosen LEFT JOIN (made FULL JOIN sealed USING (workspace_id, day)) ON workspace_id = id
  ORDER BY id`;

const FIND_CONTENTS = `
  SELECT toString(workspace_id) AS workspace, toString(toDate(quarter)) AS day, toString(${DAY_FINGERPRINT}) AS fingerprint
  FROM clicks WHERE workspace_id IN {workspaces:Array(UUID)} GROUP BY workspace_id, toDate(quarter)`;

/** Resolves to the last workspace that was compared; `null`: there are no more. Rejects as `RunSql` and `ClickHouse` do. */
export async function compareWorkspaces(
  after: string,
  { runSql, clickHouse, timeoutMs }: Omit<CopyDeps, "nowMs">,
): Promise<string | null> {
  const rows = await runSql(findDays(after), timeoutMs);
  const workspaces = [...new Set(rows.map(({ workspace }) => String(workspace)))];
  const contents = await clickHouse.select(FIND_CONTENTS, { workspaces }, timeoutMs);
  const keyOf = (row: { readonly [column: string]: unknown }) =>
    `${String(row["workspace"])}/${String(row["day"])}`;
  const found = new Map(contents.map((row) => [keyOf(row), row["fingerprint"]]));
  const changed = rows.filter((row) => {
    const content = found.get(keyOf(row));
    const isSealed = row["isCurrent"] === true && row["fingerprint"] === (content ?? "0");
    // Of a day that neither store has, nothing can be copied.
    return (
      typeof row["day"] === "string" && !isSealed && !(row["isRemoved"] === true && content === undefined)
    );
  });
  const known = new Set(rows.map(keyOf));
  const stray = contents.filter((content) => !known.has(keyOf(content)));
  const wrong = [...changed, ...stray];
  if (wrong.length > 0) {
    await runSql(
      markDays(sql`SELECT * FROM unnest(
        ${wrong.map(({ workspace }) => String(workspace))}::uuid[], ${wrong.map(({ day }) => String(day))}::date[]
      ) AS wrong (workspace_id, day) WHERE day < (now() AT TIME ZONE 'UTC')::date`),
      timeoutMs,
    );
  }
  return workspaces.length < WORKSPACES_AT_ONCE ? null : (workspaces.at(-1) ?? null);
}
