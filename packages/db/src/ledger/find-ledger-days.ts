/**
 * What became of the clicks of each day, from the ledger, as find-ledger-totals.ts reads it for a range: a segment belongs to the
 * day of its first click, with all of its clicks and with those that are missing before it. So days add up to their range.
 */
import type { SqlRow } from "../neon-client.ts";
import { type Sql, sql } from "../sql.ts";

/**
 * What has not arrived may still be on its way for this long after its gap is seen: a message that the database did not take is
 * delivered again within 15 minutes (MAX_SECONDS in workers/consumer/src/ingest/retry-later.ts).
 */
export const SETTLES_WITHIN_MS = 900_000;

/** Clicks. accepted = inserted + rejected + deadLettered + waiting + missing. */
export type LedgerDay = {
  /** Numbered by the edge. */
  readonly accepted: number;
  readonly inserted: number;
  /** Delivered again, and skipped. */
  readonly duplicate: number;
  /** Refused by the database: each is in a dead letter. */
  readonly rejected: number;
  /** Of segments that ran out of tries: each segment is in a dead letter. */
  readonly deadLettered: number;
  /** Not there, and not for long. */
  readonly waiting: number;
  /** Not there for longer than SETTLES_WITHIN_MS. */
  readonly missing: number;
};

/** @param edgesMs ascending, epoch milliseconds: the beginning of each day, and the end of the last one. */
export function selectLedgerDays(edgesMs: readonly number[]): Sql {
  const [sinceMs = 0, untilMs = 0] = [edgesMs[0], edgesMs.at(-1)];
  return sql`
    WITH range AS (
      SELECT to_timestamp(${sinceMs}::float8 / 1000.0) AS since, to_timestamp(${untilMs}::float8 / 1000.0) AS until,
        now() - ${SETTLES_WITHIN_MS}::float8 * interval '1 millisecond' AS settled_at
    ), ordered AS (
      SELECT segment_ledger.*, GREATEST(first_sequence - COALESCE(max(first_sequence + click_count) OVER (
          PARTITION BY isolate_id ORDER BY first_sequence ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), 1), 0) AS gap,
        -- A segment that claims more clicks than it has would hide a gap of the same size.
        GREATEST(click_count - inserted - rejected - dead_lettered, 0) AS unsettled
      FROM segment_ledger WHERE isolate_id IN (
        SELECT isolate_id FROM segment_ledger, range WHERE first_clicked_at >= since AND first_clicked_at < until
      )
    )
    SELECT width_bucket(extract(epoch FROM first_clicked_at)::float8 * 1000, ${edgesMs}::float8[]) AS day,
      sum(click_count + gap)::float8 AS accepted, sum(inserted)::float8 AS inserted, sum(duplicates)::float8 AS duplicate,
      sum(rejected)::float8 AS rejected, sum(dead_lettered)::float8 AS dead_lettered,
      sum(CASE WHEN first_settled_at > settled_at THEN gap ELSE 0 END
        + CASE WHEN last_settled_at > settled_at THEN unsettled ELSE 0 END)::float8 AS waiting,
      sum(gap + unsettled)::float8 AS absent
    FROM ordered, range WHERE first_clicked_at >= since AND first_clicked_at < until GROUP BY 1`;
}

/** One for each day of the statement's edges, days without clicks included. */
export function toLedgerDays(rows: readonly SqlRow[], days: number): readonly LedgerDay[] {
  const byDay = new Map(rows.map((row) => [Number(row["day"]), row]));
  return Array.from({ length: days }, (_, index) => toLedgerDay(byDay.get(index + 1) ?? {}));
}

function toLedgerDay(row: SqlRow): LedgerDay {
  const numberOf = (name: string) => Number(row[name] ?? 0);
  const waiting = numberOf("waiting");
  return {
    accepted: numberOf("accepted"),
    inserted: numberOf("inserted"),
    duplicate: numberOf("duplicate"),
    rejected: numberOf("rejected"),
    deadLettered: numberOf("dead_lettered"),
    waiting,
    missing: numberOf("absent") - waiting,
  };
}

/** How far the ledger reaches, and the letters that need a person. Instants in epoch milliseconds. */
export type LedgerReach = {
  /** Of the newest segment's first click; `null`: nothing was ever counted. */
  readonly countedUntilMs: number | null;
  /** What is older has been removed, in part or wholly. `null`: nothing was. */
  readonly keptFromMs: number | null;
  readonly openLetters: number;
  /** Among them, messages that can't be read: nobody knows how many clicks they hold. */
  readonly unreadableLetters: number;
  readonly oldestLetterMs: number | null;
};

export const SELECT_LEDGER_REACH: Sql = sql`
  SELECT (SELECT extract(epoch FROM max(first_clicked_at))::float8 * 1000 FROM segment_ledger) AS counted_until,
    (SELECT extract(epoch FROM kept_from)::float8 * 1000 FROM event_retention) AS kept_from, letters.*
  FROM (
    SELECT count(*)::float8 AS open, count(*) FILTER (WHERE kind = 'message_undecodable')::float8 AS unreadable,
      extract(epoch FROM min(created_at))::float8 * 1000 AS oldest
    FROM dead_letters WHERE replayed_at IS NULL
  ) AS letters`;

export function toLedgerReach([row = {}]: readonly SqlRow[]): LedgerReach {
  const msOf = (name: string) => (typeof row[name] === "number" ? Math.floor(row[name]) : null);
  return {
    countedUntilMs: msOf("counted_until"),
    keptFromMs: msOf("kept_from"),
    openLetters: Number(row["open"] ?? 0),
    unreadableLetters: Number(row["unreadable"] ?? 0),
    oldestLetterMs: msOf("oldest"),
  };
}
