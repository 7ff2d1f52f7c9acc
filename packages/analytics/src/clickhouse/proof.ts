/**
 * Whether ClickHouse has the clicks that Postgres has counted. Of whole quarters of an hour, both know the number and the sum of a hash of
 * the events: from a projection there, from the rollups here, so it costs the same however many clicks there are.
 *
 * Clicks are inserted before they are counted, and a delivery that was cut off inserts them again. So the newest two quarters of an hour have
 * at least what was counted, and none of it twice. Older ones must be equal. What is not so is read with FINAL.
 */
import type { ClickHouseRow } from "@hopline/clickhouse/clickhouse-client";
import { keptOut, type PendingRemoval, selectRemovals, toRemovals } from "@hopline/clickhouse/removals";
import { sql } from "@hopline/db/sql";
import { QUARTER_MS } from "../calendar.ts";
import type { Part } from "../engine.ts";
import { toTimestamp } from "../instant.ts";
import type { Statement } from "../postgres/snapshot.ts";
import type { InstantRange } from "../range.ts";

const QUARTER_S = QUARTER_MS / 1_000;

/** What statements read. All in epoch seconds of quarters of an hour. */
export type Reading = {
  /** The workspace's clicks, but for those that are past retention or being removed. */
  readonly isOwn: string;
  /** Of all questions together. */
  readonly fromS: number;
  readonly toS: number;
  /** From here on clicks may not be counted yet. */
  readonly newestS: number;
  /** Whether those are read with FINAL: a quarter of an hour of a busy workspace takes as long as all else. */
  readonly isNewestFinal: boolean;
  /** Older ones with FINAL. */
  readonly finalS: readonly number[];
  /** How many Postgres has counted. */
  readonly clicks: number;
};

type Sum = { readonly clicks: number; readonly hashes: string };

/** What Postgres has counted, by how it is read. */
export type Counted = {
  readonly old: Sum;
  readonly final: Sum;
  readonly newest: Sum;
  readonly newestS: number;
  readonly keptFromS: number;
};

/** The whole quarters of an hour that the parts touch. */
export function rangeOfParts(parts: readonly Part[]): InstantRange {
  const ranges = parts.map(({ question }) => question.range);
  const fromMs = Math.min(...ranges.map((range) => range.fromMs));
  const toMs = Math.max(...ranges.map((range) => range.toMs));
  return {
    fromMs: Math.max(0, Math.floor(fromMs / QUARTER_MS) * QUARTER_MS),
    toMs: Math.min(LAST_MS, Math.ceil(toMs / QUARTER_MS) * QUARTER_MS),
  };
}

/** ClickHouse's seconds end here. */
const LAST_MS = 2 ** 32 * 1_000 - QUARTER_MS;

/** SELECT: computed once, and not for each row. */
const NEWEST = sql`(SELECT date_bin('15 minutes', now(), 'epoch') - interval '15 minutes')`;
const KEPT_FROM = sql`COALESCE((SELECT kept_from FROM event_retention), 'epoch')`;

/** The rollups of the workspace in the range, as far back as single clicks are kept. IS TRUE: the planner would take that for few rows. */
const rollupsIn = (workspaceId: string, { fromMs, toMs }: InstantRange) => sql`
  FROM workspace_rollups WHERE workspace_id = ${workspaceId}::uuid AND bucket_start >= ${toTimestamp(fromMs)}
    AND bucket_start < ${toTimestamp(toMs)} AND (bucket_start >= ${KEPT_FROM}) IS TRUE`;

export function findCounted(
  workspaceId: string,
  range: InstantRange,
  finalS: readonly number[],
): Statement<Counted> {
  return {
    query: sql`SELECT which, clicks::float8 AS clicks, hashes::text AS hashes, extract(epoch FROM ${NEWEST})::float8 AS newest_s,
        extract(epoch FROM ${KEPT_FROM})::float8 AS kept_s
      FROM (SELECT 'nothing' AS which, 0 AS clicks, 0 AS hashes UNION ALL
        SELECT CASE WHEN bucket_start >= ${NEWEST} THEN 'newest'
          WHEN bucket_start = ANY(ARRAY(SELECT to_timestamp(one) FROM unnest(${finalS}::float8[]) AS one)) THEN 'final'
          ELSE 'old' END, sum(clicks), sum(hashes) ${rollupsIn(workspaceId, range)} GROUP BY 1) AS counted`,
    read: (rows) => {
      const sumOf = (name: string): Sum => {
        const { clicks = 0, hashes = "0" } = rows.find(({ which }) => which === name) ?? {};
        return { clicks: Number(clicks), hashes: String(hashes) };
      };
      const [{ newest_s: newestS, kept_s: keptS } = {}] = rows;
      return {
        old: sumOf("old"),
        final: sumOf("final"),
        newest: sumOf("newest"),
        newestS: Number(newestS),
        keptFromS: Number(keptS),
      };
    },
  };
}

export function findRemovals(workspaceId: string): Statement<readonly PendingRemoval[]> {
  return { query: selectRemovals(workspaceId), read: toRemovals };
}

export function toReading(
  workspaceId: string,
  { fromMs, toMs }: InstantRange,
  known: {
    readonly counted: Counted;
    readonly removals: readonly PendingRemoval[];
    readonly finalS: readonly number[];
    readonly isNewestFinal: boolean;
  },
): Reading {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(workspaceId)) {
    throw new Error("invariant: a workspace's id is a UUID");
  }
  const { old, final, newest, newestS, keptFromS } = known.counted;
  const isKept = keptFromS > 0 ? ` AND quarter >= ${at(keptFromS)}` : "";
  return {
    isOwn: `workspace_id = '${workspaceId}'${isKept}${keptOut(known.removals)}`,
    fromS: fromMs / 1_000,
    toS: toMs / 1_000,
    newestS,
    isNewestFinal: known.isNewestFinal,
    finalS: known.finalS.filter((start) => start < newestS),
    clicks: old.clicks + final.clicks + newest.clicks,
  };
}

const at = (seconds: number): string => `toDateTime(${Math.floor(seconds)}, 'UTC')`;
const isAmong = (starts: readonly number[]): string => `quarter IN (${starts.map(at).join(", ")})`;

/** How the clicks of a range are read. */
export function partsOf(
  { newestS, isNewestFinal, finalS }: Reading,
  { fromMs, toMs }: InstantRange,
): readonly { readonly isFinal: boolean; readonly condition: string }[] {
  const inside = finalS.filter((start) => start * 1_000 < toMs && (start + QUARTER_S) * 1_000 > fromMs);
  const finals = [
    ...(isNewestFinal && toMs > newestS * 1_000 ? [`quarter >= ${at(newestS)}`] : []),
    ...(inside.length === 0 ? [] : [isAmong(inside)]),
  ].join(" OR ");
  return finals === ""
    ? [{ isFinal: false, condition: "1" }]
    : [
        { isFinal: false, condition: `NOT (${finals})` },
        { isFinal: true, condition: `(${finals})` },
      ];
}

/**
 * The same of a row and its repetition, and hardly ever of two events: then they are read with FINAL, and counted right. Several times as
 * fast as their ids, which tell copied clicks apart: these have no hash. Taken apart by the hash, because small sets are faster.
 */
const EVENT =
  "bitOr(bitShiftLeft(toUInt64(event_hash), 32), bitAnd(toUInt64(toUnixTimestamp64Milli(clicked_at)), 4294967295))";

const SUM = "count() AS found, toString(sum(event_hash)) AS hashes";

/** SELECT of (proof, found, hashes); of the newest that are not read with FINAL the number of different events, in place of hashes. */
export function selectProof({ isOwn, fromS, toS, newestS, isNewestFinal, finalS }: Reading): string {
  const isNotFinal = finalS.length === 0 ? "" : ` AND NOT ${isAmong(finalS)}`;
  const isIn = `quarter >= ${at(fromS)} AND quarter < ${at(toS)}`;
  const isNew = `quarter >= ${at(newestS)}`;
  return [
    `SELECT 'old' AS proof, ${SUM} FROM clicks WHERE ${isOwn} AND ${isIn} AND NOT ${isNew}${isNotFinal}`,
    ...(toS > newestS
      ? [
          isNewestFinal
            ? `SELECT 'newest', ${SUM} FROM clicks FINAL WHERE ${isOwn} AND ${isIn} AND ${isNew}`
            : `SELECT 'newest', sum(n), toString(sum(events)) FROM (SELECT count() AS n, arrayUniq(groupArray(${EVENT})) AS events
                FROM clicks PREWHERE event_hash != 0 WHERE ${isOwn} AND ${isIn} AND ${isNew} GROUP BY bitAnd(event_hash, 63)
                UNION ALL SELECT count(), uniqExact(event_id) FROM clicks PREWHERE event_hash = 0 WHERE ${isOwn} AND ${isIn} AND ${isNew})`,
        ]
      : []),
    ...(finalS.length === 0
      ? []
      : [`SELECT 'final', ${SUM} FROM clicks FINAL WHERE ${isOwn} AND ${isIn} AND ${isAmong(finalS)}`]),
  ].join(" UNION ALL ");
}

export function isProved(
  rows: readonly ClickHouseRow[],
  { old, final, newest }: Counted,
  { isNewestFinal }: Reading,
): boolean {
  const foundOf = (name: string): Sum => {
    const { found = 0, hashes = "0" } = rows.find(({ proof }) => proof === name) ?? {};
    return { clicks: Number(found), hashes: String(hashes) };
  };
  const isSame = (name: string, { clicks, hashes }: Sum) =>
    foundOf(name).clicks === clicks && foundOf(name).hashes === hashes;
  const { clicks, hashes: events } = foundOf("newest");
  const isOnce = isNewestFinal || Number(events) === clicks;
  return isSame("old", old) && isSame("final", final) && isOnce && clicks >= newest.clicks;
}

/** By the start of a quarter of an hour, epoch seconds. */
export type Quarters = ReadonlyMap<number, Sum>;

export function findQuarters(workspaceId: string, range: InstantRange): Statement<Quarters> {
  return {
    query: sql`SELECT extract(epoch FROM bucket_start)::float8 AS start, sum(clicks)::float8 AS found, sum(hashes)::text AS hashes
      ${rollupsIn(workspaceId, range)} GROUP BY bucket_start`,
    read: toQuarters,
  };
}

/** SELECT of (start, found, hashes). @param isFinal of those that are read so. */
export function selectQuarters({ isOwn, fromS, toS, newestS, finalS }: Reading, isFinal: boolean): string {
  const isIn = `quarter >= ${at(fromS)} AND quarter < ${at(toS)}`;
  const which = [`quarter >= ${at(newestS)}`, ...(finalS.length === 0 ? [] : [isAmong(finalS)])].join(" OR ");
  return `SELECT toUnixTimestamp(quarter) AS start, ${SUM} FROM clicks${isFinal ? " FINAL" : ""}
    WHERE ${isOwn} AND ${isIn} AND ${isFinal ? "" : "NOT "}(${which}) GROUP BY workspace_id, quarter`;
}

export function toQuarters(rows: readonly ClickHouseRow[]): Quarters {
  return new Map(
    rows.map(({ start, found, hashes }) => [
      Number(start),
      { clicks: Number(found), hashes: String(hashes) },
    ]),
  );
}

const NOTHING: Sum = { clicks: 0, hashes: "0" };

/** The starts of quarters that differ, in order; of those from `newestS` on, that have too few clicks. */
export function differentQuarters(counted: Quarters, found: Quarters, newestS: number): readonly number[] {
  return [...new Set([...counted.keys(), ...found.keys()])]
    .filter((start) => {
      const [own, other] = [counted.get(start) ?? NOTHING, found.get(start) ?? NOTHING];
      return start >= newestS
        ? other.clicks < own.clicks
        : own.clicks !== other.clicks || own.hashes !== other.hashes;
    })
    .toSorted((one, other) => one - other);
}
