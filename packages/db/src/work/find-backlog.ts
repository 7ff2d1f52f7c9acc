/** What waits, and why: for metrics, alerts and `pnpm doctor`. */
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

/** Of each kind that has items, from the indexes of migrations/0004: rows of `Backlog`. */
export const FIND_BACKLOG: Sql = sql`
  WITH RECURSIVE found AS (
    (SELECT kind FROM work ORDER BY kind LIMIT 1)
    UNION ALL
    SELECT (SELECT kind FROM work WHERE work.kind > found.kind ORDER BY kind LIMIT 1) FROM found WHERE found.kind IS NOT NULL
  )
  SELECT kind,
    (SELECT count(*) FROM (
      SELECT FROM work WHERE work.kind = found.kind AND wanted_at <= now() LIMIT ${MAX_WAITING}
    ) AS due)::float8 AS waiting,
    (SELECT greatest(0, extract(epoch FROM now() - min(wanted_at)))::float8 FROM work WHERE work.kind = found.kind)
      AS "oldestSeconds",
    failed.*
  FROM found CROSS JOIN LATERAL (
    SELECT count(*)::float8 AS failing, mode() WITHIN GROUP (ORDER BY last_error) AS "lastError"
    FROM work WHERE work.kind = found.kind AND last_error IS NOT NULL
  ) AS failed
  WHERE kind IS NOT NULL ORDER BY kind`;
