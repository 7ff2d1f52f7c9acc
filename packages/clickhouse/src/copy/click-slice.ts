/**
 * A slice of `click_events` as the data of one insert. Postgres writes the rows as text, in its own form for records, which is
 * CSV but for doubled backslashes; so no Worker parses and writes millions of cells.
 */
import { isInDay } from "@hopline/db/ledger/utc-day";
import { ownDestination } from "@hopline/db/links/own-destination";
import type { RunSql } from "@hopline/db/neon-client";
import { type Sql, sql } from "@hopline/db/sql";
import type { ClickHouse } from "../clickhouse-client.ts";
import type { Span } from "./plan-copy.ts";

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

/** The last click of a slice: the number of its span, its instant as Postgres writes it, its id. */
export type Position = { readonly span: number; readonly at: string; readonly eventId: string };

export type Slice = {
  readonly lines: string;
  /** `null`: the slice is the last one. */
  readonly end: Position | null;
};

/**
 * Clicks of spans of one day, in their order, from after a position on. Rejects as `RunSql` does.
 *
 * @param day `2026-11-22`. It keeps Postgres off the chunks of other days.
 */
export async function readSlice(
  runSql: RunSql,
  { day, spans, after }: Unread,
  timeoutMs: number,
): Promise<Slice> {
  const reached = [after?.span ?? 0, after?.at ?? "-infinity", after?.eventId ?? NO_EVENT] as const;
  const position = sql`(${reached[0]}::bigint, ${reached[1]}::timestamptz, ${reached[2]}::uuid)`;
  const [row] = await runSql(
    sql`
    WITH slice AS MATERIALIZED (
      SELECT span.number, event.* FROM unnest(
        ${spans.map(({ workspaceId }) => workspaceId)}::uuid[], ${spans.map(({ fromS }) => fromS)}::float8[],
        ${spans.map(({ toS }) => toS)}::float8[]
      ) WITH ORDINALITY AS span (workspace_id, from_s, to_s, number)
      CROSS JOIN LATERAL (
        SELECT * FROM click_events WHERE click_events.workspace_id = span.workspace_id
          AND ${isInDay(sql`clicked_at`, day)}
          AND clicked_at >= GREATEST(to_timestamp(from_s), CASE WHEN number = ${reached[0]}::bigint THEN ${reached[1]}::timestamptz END)
          AND clicked_at < to_timestamp(to_s) AND (number, clicked_at, event_id) > ${position}
        ORDER BY clicked_at, event_id LIMIT ${SLICE_ROWS}
      ) AS event
      ORDER BY number, clicked_at, event_id LIMIT ${SLICE_ROWS}
    )
    SELECT count(*)::int AS clicks, string_agg(line, E'\\n') AS lines, (array_agg(number))[count(*)]::int AS span,
      (array_agg(clicked_at))[count(*)]::text AS at, (array_agg(event_id))[count(*)]::text AS event
    FROM (SELECT number, clicked_at, event_id, ROW(0, ${sql.join(CELLS, sql`, `)}, 0)::text AS line FROM slice) AS written`,
    timeoutMs,
  );
  const { clicks, lines, span, at, event } = row ?? {};
  return {
    lines: typeof lines === "string" ? lines : "",
    end: clicks === SLICE_ROWS ? { span: Number(span), at: String(at), eventId: String(event) } : null,
  };
}

export type Unread = {
  readonly day: string;
  readonly spans: readonly Span[];
  readonly after: Position | null;
};

const NO_EVENT = "00000000-0000-0000-0000-000000000000";

/** Rejects with a `ClickHouseFailure`; then it may be inserted all the same. */
export async function insertSlice(
  clickHouse: ClickHouse,
  { lines }: Slice,
  timeoutMs: number,
): Promise<void> {
  if (lines !== "") {
    const data = lines.includes("\\") ? lines.replaceAll("\\\\", "\\") : lines;
    await clickHouse.insert(INSERT_STATEMENT, data, timeoutMs);
  }
}
