/**
 * A slice of `click_events` as the data of one insert. Postgres writes the rows as text, in its own form for records, which is
 * CSV but for doubled backslashes; so no Worker parses and writes millions of cells.
 *
 * The same statement marks the days of the slice as not sealed, before any of it reaches ClickHouse.
 */
import { ownDestination } from "@hopline/db/links/own-destination";
import type { RunSql } from "@hopline/db/neon-client";
import { type Sql, sql } from "@hopline/db/sql";
import type { ClickHouse } from "../clickhouse-client.ts";

/** Rows of one insert: some 9 MB of text, of an isolate's 128. */
export const SLICE_ROWS = 25_000;

const COLUMNS = [
  "workspace_id",
  "clicked_at",
  "link_id",
  "event_id",
  "link_version",
  "domain_id",
  "rule_id",
  "variant_id",
  "destination",
  "source",
  "class",
  "quality",
  "classifier_version",
  "visitor",
  "referrer_host",
  "language",
  "browser",
  "os",
  "device",
  "country",
  "region",
  "city",
  "continent",
  "latitude",
  "longitude",
  "colo",
  "asn",
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_term",
  "utm_content",
] as const;

const WRITTEN: { readonly [Name in (typeof COLUMNS)[number]]?: Sql } = {
  clicked_at: sql`extract(epoch FROM clicked_at)`,
  destination: sql`COALESCE(NULLIF(destination, ''), ${ownDestination("slice")})`,
  visitor: sql`uuid_hash_extended(visitor, 0)`,
};
const CELLS = COLUMNS.map((name) => WRITTEN[name] ?? sql.identifier(name));

/** A record's parentheses stick to its first and last cell: two cells more than columns, which ClickHouse skips. */
const INSERT_STATEMENT = `INSERT INTO clicks FORMAT CSVWithNames\nopening,${COLUMNS.join(",")},closing`;

/**
 * From `slice`, a CTE of rows of `click_events` in the order of its last two columns; `position` is the first of them.
 * Clicks that belong to no workspace are in nobody's answers and are left out by every slice.
 */
export function selectSlice(slice: Sql, position: Sql): Sql {
  return sql`
  WITH slice AS MATERIALIZED (${slice}), marked AS (
    INSERT INTO clickhouse_days AS kept (workspace_id, day, due_at)
    SELECT workspace_id, day, GREATEST(now() + interval '1 minute', (day + 1)::timestamp AT TIME ZONE 'UTC' + interval '2 minutes')
    FROM (SELECT DISTINCT workspace_id, (clicked_at AT TIME ZONE 'UTC')::date AS day FROM slice) AS touched
    ORDER BY 1, 2
    ON CONFLICT (workspace_id, day) DO UPDATE SET
      copies = kept.copies + 1, sealed_clicks = NULL, fingerprint = NULL, attempts = 0, due_at = excluded.due_at
  )
  SELECT count(*)::int AS clicks, string_agg(line, E'\\n') AS lines,
    (array_agg(position))[count(*)] AS position, (array_agg(event_id))[count(*)]::text AS event
  FROM (SELECT (${position})::text AS position, event_id, ROW(0, ${sql.join(CELLS, sql`, `)}, 0)::text AS line FROM slice) AS written`;
}

export type Slice = {
  readonly clicks: number;
  readonly lines: string;
  /** Of its last click; `null` if it has none. */
  readonly end: { readonly position: string; readonly eventId: string } | null;
};

/** Rejects as `RunSql` does. */
export async function readSlice(runSql: RunSql, statement: Sql, timeoutMs: number): Promise<Slice> {
  const [row] = await runSql(statement, timeoutMs);
  const { lines, position, event } = row ?? {};
  return {
    clicks: Number(row?.["clicks"] ?? 0),
    lines: typeof lines === "string" ? lines : "",
    end: typeof event === "string" ? { position: String(position), eventId: event } : null,
  };
}

/**
 * Inserts it once, however often it is called with the same slice and token. Rejects with a `ClickHouseFailure`; then it may be
 * inserted all the same.
 */
export async function insertSlice(
  clickHouse: ClickHouse,
  { lines }: Slice,
  token: string,
  timeoutMs: number,
): Promise<void> {
  const data = lines.includes("\\") ? lines.replaceAll("\\\\", "\\") : lines;
  await clickHouse.insert({ statement: INSERT_STATEMENT, data, token }, timeoutMs);
}
