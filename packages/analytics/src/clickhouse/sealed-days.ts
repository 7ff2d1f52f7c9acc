/**
 * Which parts of a range ClickHouse may answer: the days that are sealed, whose rollups still count what was sealed, and that hold
 * the sealed clicks right now.
 */
import type { ClickHouseRow } from "@hopline/clickhouse/clickhouse-client";
import type { WantedDays } from "@hopline/clickhouse/day-fingerprint";
import { startOf } from "@hopline/db/ledger/utc-day";
import { sql } from "@hopline/db/sql";
import { DAY_MS } from "../calendar.ts";
import type { Question } from "../engine.ts";
import type { ClickNeeds } from "../postgres/postgres-engine.ts";
import type { Statement } from "../postgres/snapshot.ts";
import type { InstantRange } from "../range.ts";

export type Day = {
  /** `2026-11-22` */
  readonly day: string;
  readonly clicks: number;
  /** What was sealed; `null` if the day is not, or counts other clicks now. */
  readonly fingerprint: string | null;
  /** By part of the request: whether Postgres needs no single click of the day. */
  readonly isCounted: readonly boolean[];
};

/** Those that have clicks, in order. Others need no answer. */
export type Days = readonly Day[];

/** The whole days that the questions, of one workspace, touch. */
export function wantedDaysOf(questions: readonly [Question, ...Question[]]): WantedDays {
  const fromMs = Math.min(...questions.map(({ range }) => range.fromMs));
  const toMs = Math.max(...questions.map(({ range }) => range.toMs));
  return {
    workspaceId: questions[0].workspaceId,
    fromDay: toDay(fromMs),
    toDay: toDay(Math.ceil(toMs / DAY_MS) * DAY_MS),
  };
}

export function findDays(
  { workspaceId, fromDay, toDay: untilDay }: WantedDays,
  { clickSpans, days }: ClickNeeds,
): Statement<Days> {
  const parts = clickSpans.map((spans, index) => {
    const name = sql.identifier(`needed_${index}`);
    return {
      needed: sql`, ${sql.join([sql`'{}'::tstzmultirange`, ...spans], sql` + `)} AS ${name}`,
      isCounted: sql`, (NOT ${name} && tstzrange(rolled.day, rolled.day + interval '24 hours'))::int`,
    };
  });
  const columnsOf = (name: "needed" | "isCounted") =>
    sql.join(
      parts.map((part) => part[name]),
      sql``,
    );
  return {
    query: sql`WITH ${days === null ? sql`` : sql`${days}, `}needs AS MATERIALIZED (SELECT 1 AS one${columnsOf("needed")})
      SELECT utc.day::text AS day, rolled.clicks::float8 AS clicks,
        CASE WHEN sealed_clicks = rolled.clicks THEN fingerprint::text END AS fingerprint,
        concat(''${columnsOf("isCounted")}) AS counted
      FROM (
        SELECT date_bin('1 day', bucket_start, 'epoch') AS day, sum(clicks) AS clicks FROM workspace_rollups
        WHERE workspace_id = ${workspaceId}::uuid AND bucket_start >= ${startOf(fromDay)}
          AND bucket_start < ${startOf(untilDay)}
        GROUP BY 1
      ) AS rolled
      CROSS JOIN needs CROSS JOIN LATERAL (SELECT (rolled.day AT TIME ZONE 'UTC')::date AS day) AS utc
      LEFT JOIN clickhouse_days AS kept ON kept.workspace_id = ${workspaceId}::uuid AND kept.day = utc.day
      ORDER BY rolled.day`,
    read: (rows) =>
      rows.map(({ day, clicks, fingerprint, counted }) => ({
        day: String(day),
        clicks: Number(clicks),
        fingerprint: typeof fingerprint === "string" ? fingerprint : null,
        isCounted: Array.from(String(counted), (digit) => digit === "1"),
      })),
  };
}

export function sealedOf(days: Days): Days {
  return days.filter(({ fingerprint }) => fingerprint !== null);
}

/**
 * A sealed day that holds other clicks in ClickHouse is not sealed, nor is a day that only ClickHouse has.
 *
 * @param contents (day, found, fingerprint)
 */
export function keepUnchanged(days: Days, contents: readonly ClickHouseRow[]): Days {
  const byDay = new Map(contents.map((content) => [String(content["day"]), content]));
  const kept = days.map((one) => {
    const { found = 0, fingerprint = "0" } = byDay.get(one.day) ?? {};
    byDay.delete(one.day);
    return Number(found) === one.clicks && fingerprint === one.fingerprint
      ? one
      : { ...one, fingerprint: null };
  });
  const stray = [...byDay.keys()].map((day) => ({ day, clicks: 0, fingerprint: null, isCounted: [] }));
  return [...kept, ...stray].toSorted((one, other) => (one.day < other.day ? -1 : 1));
}

/** Runs of days that are sealed, or are not, cut to a range. A run goes on across days without a click. */
export function rangesOf(
  isSealed: boolean,
  { fromMs, toMs }: InstantRange,
  days: Days,
): readonly InstantRange[] {
  const list: { fromMs: number; toMs: number }[] = [];
  let isOpen = false;
  for (const { day, fingerprint } of days) {
    const startMs = Math.max(fromMs, Date.parse(day));
    const endMs = Math.min(toMs, Date.parse(day) + DAY_MS);
    const last = list.at(-1);
    if (startMs >= endMs) {
      continue;
    }
    if ((fingerprint !== null) !== isSealed) {
      isOpen = false;
    } else if (isOpen && last !== undefined) {
      last.toMs = endMs;
    } else {
      list.push({ fromMs: startMs, toMs: endMs });
      isOpen = true;
    }
  }
  return list;
}

/** About as many clicks are in the first step, and so many times as many in each that follows. */
const FIRST_CLICKS = 100_000;
const GROWTH = 16;

/** With the newest sealed days of a range, then with more and more, with all of them last. Nothing if there are none. */
export function* newestDays(days: Days, { fromMs, toMs }: InstantRange): Generator<Days> {
  const newest = sealedOf(days)
    .filter(({ day }) => Date.parse(day) < toMs && Date.parse(day) + DAY_MS > fromMs)
    .toReversed();
  let [count, clicks] = [0, 0];
  for (let enough = FIRST_CLICKS; count < newest.length; enough *= GROWTH) {
    while (count < newest.length && clicks < enough) {
      clicks += newest[count]?.clicks ?? 0;
      count += 1;
    }
    const chosen = newest.slice(0, count);
    yield days.map((one) => (chosen.includes(one) ? one : { ...one, fingerprint: null }));
  }
}

function toDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
