/**
 * Which parts of a range ClickHouse may answer: the days that are sealed, whose rollups still count what was sealed, and that hold
 * the sealed clicks right now.
 */
import type { ClickHouse } from "@hopline/clickhouse/clickhouse-client";
import { type DayContent, readDayContents } from "@hopline/clickhouse/day-fingerprint";
import { sql } from "@hopline/db/sql";
import { DAY_MS } from "../calendar.ts";
import type { Question } from "../engine.ts";
import { toTimestamp } from "../instant.ts";
import type { Statement } from "../postgres/snapshot.ts";
import type { InstantRange } from "../range.ts";

export type Days = {
  /** By day, `2026-11-22`: what was sealed. */
  readonly sealed: ReadonlyMap<string, DayContent>;
  /** All other days with clicks. */
  readonly others: readonly string[];
};

/** The whole days that the questions, of one workspace, touch. */
export type WantedDays = { readonly workspaceId: string; readonly fromMs: number; readonly toMs: number };

export function wantedDaysOf(questions: readonly [Question, ...Question[]]): WantedDays {
  const fromMs = Math.min(...questions.map(({ range }) => range.fromMs));
  const toMs = Math.max(...questions.map(({ range }) => range.toMs));
  return {
    workspaceId: questions[0].workspaceId,
    fromMs: Math.floor(fromMs / DAY_MS) * DAY_MS,
    toMs: Math.ceil(toMs / DAY_MS) * DAY_MS,
  };
}

/** Days without a click are in neither list, and need no answer. */
export function findDays({ workspaceId, fromMs, toMs }: WantedDays): Statement<Days> {
  return {
    query: sql`SELECT rolled.day::text AS day, sealed_clicks = rolled.clicks AS is_sealed, sealed_clicks::float8 AS clicks,
        fingerprint::text AS fingerprint
      FROM (
        SELECT (date_bin('1 day', bucket_start, 'epoch') AT TIME ZONE 'UTC')::date AS day, sum(clicks) AS clicks
        FROM workspace_rollups
        WHERE workspace_id = ${workspaceId}::uuid
          AND bucket_start >= ${toTimestamp(fromMs)} AND bucket_start < ${toTimestamp(toMs)}
        GROUP BY date_bin('1 day', bucket_start, 'epoch')
      ) AS rolled
      LEFT JOIN clickhouse_days AS kept ON kept.workspace_id = ${workspaceId}::uuid AND kept.day = rolled.day`,
    read: (rows) => {
      const isSealed = (row: (typeof rows)[number]) => row["is_sealed"] === true;
      return {
        sealed: new Map(
          rows
            .filter(isSealed)
            .map(({ day, clicks, fingerprint }) => [
              String(day),
              { clicks: Number(clicks), fingerprint: String(fingerprint) },
            ]),
        ),
        others: rows.filter((row) => !isSealed(row)).map(({ day }) => String(day)),
      };
    },
  };
}

/** What ClickHouse holds of these days right now. Rejects with a `ClickHouseFailure`. */
export function readContents(
  clickHouse: ClickHouse,
  { workspaceId, fromMs, toMs }: WantedDays,
  timeoutMs: number,
): Promise<ReadonlyMap<string, DayContent>> {
  return readDayContents(clickHouse, { workspaceId, fromDay: toDay(fromMs), toDay: toDay(toMs) }, timeoutMs);
}

/** A sealed day that holds other clicks is not sealed. */
export function keepUnchanged({ sealed, others }: Days, found: ReadonlyMap<string, DayContent>): Days {
  const isUnchanged = ([day, { clicks, fingerprint }]: readonly [string, DayContent]) =>
    found.get(day)?.clicks === clicks && found.get(day)?.fingerprint === fingerprint;
  const changed = [...sealed].filter((entry) => !isUnchanged(entry)).map(([day]) => day);
  return { sealed: new Map([...sealed].filter(isUnchanged)), others: [...others, ...changed] };
}

/** Runs of days that are sealed, or are not, cut to a range. A run goes on across days without a click. */
export function rangesOf(
  which: keyof Days,
  { fromMs, toMs }: InstantRange,
  { sealed, others }: Days,
): readonly InstantRange[] {
  const list: { fromMs: number; toMs: number }[] = [];
  let isOpen = false;
  for (const day of [...sealed.keys(), ...others].toSorted()) {
    const startMs = Math.max(fromMs, Date.parse(day));
    const endMs = Math.min(toMs, Date.parse(day) + DAY_MS);
    const last = list.at(-1);
    if (startMs >= endMs) {
      continue;
    }
    if (sealed.has(day) !== (which === "sealed")) {
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

/** The sealed days of a range in steps: the newest, then more and more, all of them last. Nothing if there are none. */
export function* newestDays({ sealed, others }: Days, { fromMs, toMs }: InstantRange): Generator<Days> {
  const all = [...sealed]
    .filter(([day]) => Date.parse(day) < toMs && Date.parse(day) + DAY_MS > fromMs)
    .toSorted(([one], [other]) => (one < other ? 1 : -1));
  let [count, clicks] = [0, 0];
  for (let enough = FIRST_CLICKS; count < all.length; enough *= GROWTH) {
    while (count < all.length && clicks < enough) {
      clicks += all[count]?.[1].clicks ?? 0;
      count += 1;
    }
    yield { sealed: new Map(all.slice(0, count)), others };
  }
}

function toDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
