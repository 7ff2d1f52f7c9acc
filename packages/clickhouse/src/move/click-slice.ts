/**
 * A slice of `click_events` as the data of one insert. Postgres writes the rows as text, in its own form for records, which is
 * CSV but for doubled backslashes; so nothing parses and writes millions of cells.
 */
import { ownDestination } from "@hopline/db/links/own-destination";
import type { RunSql } from "@hopline/db/neon-client";
import { type Sql, sql } from "@hopline/db/sql";
import type { ClickHouse } from "../clickhouse-client.ts";
import { VISIT_COLUMNS } from "./visit-columns.ts";

/** Rows of one insert: some 9 MB of text. */
const SLICE_ROWS = 25_000;

/** Both halves of it, as store/click-lines.ts has them. */
const half = (from: number) =>
  sql`('x' || substr(replace(visitor::text, '-', ''), ${from}::integer, 16))::bit(64)::bigint`;

/** Not the hash of the event: Postgres has added up none of these. */
const CELLS: Readonly<Record<string, Sql>> = {
  workspace_id: sql`workspace_id`,
  clicked_at: sql`extract(epoch FROM clicked_at)`,
  link_id: sql`link_id`,
  event_id: sql`event_id`,
  link_version: sql`link_version`,
  domain_id: sql`domain_id`,
  rule_id: sql`rule_id`,
  variant_id: sql`variant_id`,
  destination: sql`COALESCE(NULLIF(destination, ''), ${ownDestination("slice")})`,
  source: sql`source`,
  class: sql`class`,
  visitor: sql`${half(1)} # ${half(17)}`,
  ...Object.fromEntries(VISIT_COLUMNS.map((name) => [name, sql.identifier(name)])),
};

/** A record's parentheses stick to its first and last cell: two cells more than columns, which ClickHouse skips. */
const INSERT_STATEMENT = `INSERT INTO clicks FORMAT CSVWithNames\nopening,${Object.keys(CELLS).join(",")},closing`;

/** The last click of a slice, as Postgres writes it. */
type Position = { readonly at: string; readonly eventId: string };

/** @param isWanted of `click_events`. Rejects as `RunSql` and `ClickHouse` do. Resolves to how many were copied. */
export async function copySlices(
  stores: { readonly runSql: RunSql; readonly clickHouse: ClickHouse },
  isWanted: Sql,
  timeoutMs: number,
): Promise<number> {
  let after: Position | null = { at: "-infinity", eventId: "00000000-0000-0000-0000-000000000000" };
  let copied = 0;
  while (after !== null) {
    const slice = await readSlice(stores.runSql, isWanted, after, timeoutMs);
    if (slice.lines !== "") {
      const data = slice.lines.includes("\\") ? slice.lines.replaceAll("\\\\", "\\") : slice.lines;
      await stores.clickHouse.insert(INSERT_STATEMENT, data, timeoutMs);
    }
    copied += slice.clicks;
    after = slice.end;
  }
  return copied;
}

async function readSlice(runSql: RunSql, isWanted: Sql, after: Position, timeoutMs: number) {
  const [row] = await runSql(
    sql`
    WITH slice AS MATERIALIZED (
      SELECT * FROM click_events
      WHERE ${isWanted} AND workspace_id IS NOT NULL AND (clicked_at, event_id) > (${after.at}::timestamptz, ${after.eventId}::uuid)
      ORDER BY clicked_at, event_id LIMIT ${SLICE_ROWS}
    )
    SELECT count(*)::int AS clicks, string_agg(line, E'\\n') AS lines,
      (array_agg(clicked_at))[count(*)]::text AS at, (array_agg(event_id))[count(*)]::text AS event
    FROM (
      SELECT clicked_at, event_id, ROW(0, ${sql.join(Object.values(CELLS), sql`, `)}, 0)::text AS line
      FROM slice ORDER BY clicked_at, event_id
    ) AS written`,
    timeoutMs,
  );
  const { clicks, lines, at, event } = row ?? {};
  return {
    clicks: Number(clicks),
    lines: typeof lines === "string" ? lines : "",
    end: clicks === SLICE_ROWS ? { at: String(at), eventId: String(event) } : null,
  };
}
