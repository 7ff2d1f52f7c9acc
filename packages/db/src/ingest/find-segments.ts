/**
 * What has to be known of a batch before its clicks go to ClickHouse: which segments are settled, who owns the links, and which clicks a
 * webhook or an open stream wants. Nothing is locked: what is counted is decided by count-segments.ts.
 */
import type { RunSql } from "../neon-client.ts";
import { ownDestination } from "../links/own-destination.ts";
import { type Sql, sql } from "../sql.ts";
import { type Arrays, toArrays, toColumns, unnest } from "./columns.ts";
import type { CountingMode } from "./count-clicks.ts";
import type { ClickBatch } from "./insert-clicks.ts";
import { SEGMENT_COLUMNS, type SegmentEntry } from "./segment-entry.ts";

export type LinkOwner = {
  readonly workspaceId: string;
  readonly domainId: string;
  /** Its clicks are needed in Postgres. */
  readonly isSpooled: boolean;
};

export type KnownOfBatch = {
  readonly mode: CountingMode;
  /** Indexes of segments that are settled. */
  readonly settled: ReadonlySet<number>;
  /** By link. None: there is no such link any more. */
  readonly owners: ReadonlyMap<string, LinkOwner>;
  /** By link and version (`versionKey`): where it led. */
  readonly destinations: ReadonlyMap<string, string>;
};

const VERSION_COLUMNS = toColumns({ linkId: "uuid", linkVersion: "bigint" } as const);

export const versionKey = (linkId: string, version: number | null): string => `${linkId}/${version}`;

/**
 * Whether the ledger has the clicks of a segment, all but those that are in dead letters: its own row says so, or the run that it is in.
 * Rows are compared as in the index, so that Postgres takes the one before from there.
 */
export const isSettled = (segments: Arrays<keyof SegmentEntry>): Sql => sql`
    SELECT segment.*, COALESCE((
        SELECT kept.isolate_id = segment.isolate_id AND kept.first_sequence + kept.click_count > segment.first_sequence
          AND kept.inserted > 0 AND kept.inserted + kept.rejected >= kept.click_count
        FROM segment_ledger AS kept
        WHERE (kept.isolate_id, kept.first_sequence) <= (segment.isolate_id, segment.first_sequence) AND kept.click_count > 0
        ORDER BY kept.isolate_id DESC, kept.first_sequence DESC LIMIT 1
      ), false) AS is_known
    FROM ${unnest("segment", SEGMENT_COLUMNS, segments)}`;

/** A click webhook, or a stream, of the workspace of `links`. */
const IS_SPOOLED = sql`(
    EXISTS (SELECT FROM webhook_endpoints AS endpoint WHERE endpoint.workspace_id = links.workspace_id
      AND off_since IS NULL AND deleted_at IS NULL AND events && '{click,click.summary}')
    OR EXISTS (SELECT FROM live_streams AS stream WHERE stream.workspace_id = links.workspace_id AND ends_at > now()))`;

/** Rejects as `RunSql` does. */
export async function findSegments(
  runSql: RunSql,
  { rows, segments }: ClickBatch,
  timeoutMs: number,
): Promise<KnownOfBatch> {
  const entries = toArrays(SEGMENT_COLUMNS, segments);
  const clicked = new Map(
    rows.map(({ linkId, linkVersion, destination }) => {
      // Where a click was sent is asked only of those that do not say so.
      const asked = { linkId, linkVersion: destination ? null : linkVersion };
      return [versionKey(linkId, asked.linkVersion), asked];
    }),
  );
  const clicks = unnest("click", VERSION_COLUMNS, toArrays(VERSION_COLUMNS, [...clicked.values()]));
  const found = await runSql(
    sql`
    WITH clicked AS MATERIALIZED (
      SELECT link_id, link_version, workspace_id, domain_id, ${ownDestination("click")} AS destination
      FROM ${clicks} JOIN links ON links.id = click.link_id
    )
    SELECT 'mode' AS kind, mode AS id, NULL::bigint AS number, NULL::text AS workspace, NULL::text AS domain, NULL::text AS destination
    FROM counting_mode
    UNION ALL
    SELECT 'segment', NULL, position - 1, NULL, NULL, NULL FROM (${isSettled(entries)}) AS segment WHERE is_known
    UNION ALL
    SELECT 'spooled', NULL, NULL, workspace_id::text, NULL, NULL FROM (SELECT DISTINCT workspace_id FROM clicked) AS links WHERE ${IS_SPOOLED}
    UNION ALL
    SELECT 'link', link_id::text, link_version, workspace_id::text, domain_id::text, destination FROM clicked`,
    timeoutMs,
  );
  const ofKind = (kind: string) => found.filter((row) => row["kind"] === kind);
  const spooled = new Set(ofKind("spooled").map(({ workspace }) => workspace));
  const links = ofKind("link");
  return {
    mode: ofKind("mode")[0]?.["id"] === "clickhouse" ? "clickhouse" : "postgres",
    settled: new Set(ofKind("segment").map(({ number }) => Number(number))),
    owners: new Map(
      links.map(({ id, workspace, domain }) => [
        String(id),
        { workspaceId: String(workspace), domainId: String(domain), isSpooled: spooled.has(workspace) },
      ]),
    ),
    destinations: new Map(
      links.flatMap(({ id, number, destination }) =>
        typeof destination === "string"
          ? [[versionKey(String(id), Number(number)), destination] as const]
          : [],
      ),
    ),
  };
}
