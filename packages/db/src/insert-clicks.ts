/**
 * Writes clicks in one statement, each at most once: a click that is there already is passed over, so a batch may be
 * delivered any number of times. One array a column, so that the statement's text is the same for every batch size.
 */
import type { RunSql } from "./neon-client.ts";

/** A row of `click_events`. UUIDs as text, instants in epoch milliseconds. */
export type ClickRow = {
  readonly eventId: string;
  readonly clickedAtMs: number;
  readonly linkId: string;
  readonly linkVersion: number;
  readonly source: string;
  readonly country: string | null;
  readonly region: string | null;
  readonly city: string | null;
  readonly continent: string | null;
  readonly colo: string | null;
  readonly asn: number | null;
};

const INSERT_CLICKS = `
  WITH inserted AS (
    INSERT INTO click_events
      (event_id, clicked_at, link_id, link_version, source, country, region, city, continent, colo, asn)
    SELECT event_id, to_timestamp(clicked_at_ms / 1000.0), link_id, link_version, source, country, region, city,
      continent, colo, asn
    FROM unnest($1::uuid[], $2::float8[], $3::uuid[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[],
      $9::text[], $10::text[], $11::bigint[])
      AS click (event_id, clicked_at_ms, link_id, link_version, source, country, region, city, continent, colo, asn)
    ON CONFLICT DO NOTHING
    RETURNING 1
  )
  SELECT count(*)::int AS inserted FROM inserted`;

/** Inserts rows and says how many were new. Rejects as `RunSql` does; then none of them was written, or the answer was lost. */
export async function insertClicks(
  runSql: RunSql,
  rows: readonly ClickRow[],
  timeoutMs: number,
): Promise<number> {
  const result = await runSql(INSERT_CLICKS, toColumns(rows), timeoutMs);
  const inserted = result[0]?.["inserted"];
  if (typeof inserted !== "number") {
    throw new Error("invariant: the insert statement answers one row with a whole number");
  }
  return inserted;
}

function toColumns(rows: readonly ClickRow[]): readonly unknown[] {
  return [
    rows.map((row) => row.eventId),
    rows.map((row) => row.clickedAtMs),
    rows.map((row) => row.linkId),
    rows.map((row) => row.linkVersion),
    rows.map((row) => row.source),
    rows.map((row) => row.country),
    rows.map((row) => row.region),
    rows.map((row) => row.city),
    rows.map((row) => row.continent),
    rows.map((row) => row.colo),
    rows.map((row) => row.asn),
  ];
}
