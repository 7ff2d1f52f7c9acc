/** What waits, and why: for metrics, alerts and `pnpm doctor`. */
import type { SqlRow } from "../neon-client.ts";

export type Backlog = {
  readonly kind: string;
  /** Items that should have been done by now, those included that somebody works on. */
  readonly waiting: number;
  /** For how long the oldest of them has been waiting; 0 if there is none. */
  readonly oldestSeconds: number;
  /** Items whose last try failed. */
  readonly failing: number;
  /** The most frequent error of those. `null`: none. */
  readonly lastError: string | null;
};

/** Of each kind that has items. Read its rows with `toBacklog`. */
export const FIND_BACKLOG = `
  SELECT kind, count(*) FILTER (WHERE wanted_at <= now()) AS waiting,
    coalesce(greatest(0, extract(epoch FROM now() - min(wanted_at))), 0)::float8 AS oldest_seconds,
    count(last_error) AS failing, mode() WITHIN GROUP (ORDER BY last_error) AS last_error
  FROM work GROUP BY kind ORDER BY kind`;

export function toBacklog(row: SqlRow): Backlog {
  return {
    kind: String(row["kind"]),
    waiting: Number(row["waiting"]),
    oldestSeconds: Number(row["oldest_seconds"]),
    failing: Number(row["failing"]),
    lastError: typeof row["last_error"] === "string" ? row["last_error"] : null,
  };
}
