/**
 * What became of the clicks of each day, from the ledger, as find-ledger-totals.ts reads it for a range: a segment belongs to the
 * day of its first click, with all of its clicks and with those that are missing before it. So days add up to their range.
 */
import type { SqlRow } from "../neon-client.ts";
import { type Sql, sql } from "../sql.ts";
import { ACCOUNTS, IS_OPEN, rangeOf } from "./ledger-accounts.ts";

/** Clicks. accepted = inserted + rejected + waiting + missing. */
export type LedgerDay = {
  /** Numbered by the edge. */
  readonly accepted: number;
  readonly inserted: number;
  /** Delivered again, and skipped. */
  readonly duplicate: number;
  /** Refused by the database: each is in a dead letter. */
  readonly rejected: number;
  /** Not there, and not for long. */
  readonly waiting: number;
  /** Not there for longer than SETTLES_WITHIN_MS. */
  readonly missing: number;
};

/** @param edgesMs ascending, epoch milliseconds: the beginning of each day, and the end of the last one. */
export function selectLedgerDays(edgesMs: readonly number[]): Sql {
  return sql`
    WITH ${rangeOf(edgesMs[0] ?? 0, edgesMs.at(-1) ?? 0)}, ${ACCOUNTS}
    SELECT width_bucket(extract(epoch FROM at)::float8 * 1000, ${edgesMs}::float8[]) AS day,
      sum(delivered + gaps)::float8 AS accepted, sum(inserted)::float8 AS inserted, sum(duplicates)::float8 AS duplicate,
      sum(rejected)::float8 AS rejected, sum(waiting)::float8 AS waiting,
      sum(gaps + unsettled)::float8 AS absent
    FROM account GROUP BY 1`;
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
    waiting,
    missing: numberOf("absent") - waiting,
  };
}

/** How far the ledger reaches, and the letters that need a person. Instants in epoch milliseconds. */
export type LedgerReach = {
  /** Of the newest segment's first click; `null`: nothing was ever counted. */
  readonly countedUntilMs: number | null;
  readonly openLetters: number;
  /** Among them, messages that can't be read: how many clicks they hold is not known. */
  readonly unreadableLetters: number;
  readonly oldestLetterMs: number | null;
};

export const SELECT_LEDGER_REACH: Sql = sql`
  SELECT extract(epoch FROM GREATEST(
      (SELECT max(first_clicked_at) FROM segment_ledger WHERE ${IS_OPEN}),
      (SELECT max(last_clicked_at) FROM segment_ledger WHERE gap IS NOT NULL)
    ))::float8 * 1000 AS counted_until, letters.*
  FROM (
    SELECT count(*)::float8 AS open, count(*) FILTER (WHERE kind = 'message_undecodable')::float8 AS unreadable,
      extract(epoch FROM min(created_at))::float8 * 1000 AS oldest
    FROM dead_letters WHERE replayed_at IS NULL
  ) AS letters`;

export function toLedgerReach([row = {}]: readonly SqlRow[]): LedgerReach {
  const msOf = (name: string) => (typeof row[name] === "number" ? Math.floor(row[name]) : null);
  return {
    countedUntilMs: msOf("counted_until"),
    openLetters: Number(row["open"] ?? 0),
    unreadableLetters: Number(row["unreadable"] ?? 0),
    oldestLetterMs: msOf("oldest"),
  };
}
