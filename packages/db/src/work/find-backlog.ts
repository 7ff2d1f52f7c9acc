/** What waits, and why: for metrics, alerts and `pnpm doctor`. */
import type { SqlRow } from "../neon-client.ts";
import { type Sql, sql } from "../sql.ts";

export type Backlog = {
  readonly kind: string;
  /** Items that should have been done by now, those included that are being worked on. MAX_WAITING: as many or more. */
  readonly waiting: number;
  /** For how long the oldest of them has been waiting; 0 if there is none. */
  readonly oldestSeconds: number;
  /** Items whose last try failed. */
  readonly failing: number;
  /** The most frequent error of those. `null`: none. */
  readonly lastError: string | null;
};

/** Counting on would read the whole table: a second for 600,000 items. */
export const MAX_WAITING = 10_000;

/** Of each kind that has items, from the indexes of migrations/0004. Read its rows with `toBacklog`. */
export const FIND_BACKLOG: Sql = sql`
  WITH RECURSIVE found AS (
    (SELECT kind FROM work ORDER BY kind LIMIT 1)
    UNION ALL
    SELECT (SELECT kind FROM work WHERE work.kind > found.kind ORDER BY kind LIMIT 1) FROM found WHERE found.kind IS NOT NULL
  )
  SELECT kind,
    (SELECT count(*) FROM (
      SELECT FROM work WHERE work.kind = found.kind AND wanted_at <= now() LIMIT ${MAX_WAITING}
    ) AS due) AS waiting,
    (SELECT greatest(0, extract(epoch FROM now() - min(wanted_at)))::float8 FROM work WHERE work.kind = found.kind)
      AS oldest_seconds,
    failed.*
  FROM found CROSS JOIN LATERAL (
    SELECT count(*) AS failing, mode() WITHIN GROUP (ORDER BY last_error) AS last_error
    FROM work WHERE work.kind = found.kind AND last_error IS NOT NULL
  ) AS failed
  WHERE kind IS NOT NULL ORDER BY kind`;

export function toBacklog(row: SqlRow): Backlog {
  return {
    kind: String(row["kind"]),
    waiting: Number(row["waiting"]),
    oldestSeconds: Number(row["oldest_seconds"]),
    failing: Number(row["failing"]),
    lastError: typeof row["last_error"] === "string" ? row["last_error"] : null,
  };
}
