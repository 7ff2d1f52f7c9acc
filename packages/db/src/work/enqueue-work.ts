/**
 * Enqueues work, in a statement for the transaction that makes the work necessary: both are committed, or neither. An item
 * that waits or runs already gets a new revision, and is done once more.
 */
import { type Sql, sql } from "../sql.ts";
import type { Payload } from "./work-item.ts";

export type NewWork = {
  readonly kind: string;
  readonly key: string;
  readonly payload?: Payload;
  /** 0 if absent. */
  readonly dueInSeconds?: number;
};

/**
 * Ends an `INSERT INTO work AS kept` of your own, before `WHERE` or `RETURNING`. The newer payload replaces the older one,
 * and the item starts over. A lease that is held stays: its holder finds the new revision when it settles.
 */
export const ON_NEWER_WORK: Sql = sql`
  ON CONFLICT (kind, key) DO UPDATE SET
    payload = excluded.payload, revision = kept.revision + 1, attempts = 0, last_error = NULL,
    wanted_at = least(kept.wanted_at, excluded.wanted_at),
    lease = CASE WHEN kept.lease IS NOT NULL AND kept.due_at > now() THEN kept.lease ELSE excluded.lease END,
    due_at = CASE WHEN kept.lease IS NOT NULL AND kept.due_at > now() THEN kept.due_at ELSE excluded.due_at END`;

/** No two of the items may have the same kind and key. */
export function enqueueWork(items: readonly NewWork[]): Sql {
  return sql`${insertItems(items)} ${ON_NEWER_WORK}`;
}

/** Items that wait, run or fail already stay as they are: for jobs that a clock starts. */
export function enqueueMissingWork(items: readonly NewWork[]): Sql {
  return sql`${insertItems(items)} ON CONFLICT (kind, key) DO NOTHING`;
}

/** Sorted by key, so that two of these never deadlock. */
function insertItems(items: readonly NewWork[]): Sql {
  return sql`
    INSERT INTO work AS kept (kind, key, payload, wanted_at, due_at)
    SELECT kind, key, coalesce(payload, '{}'), due_at, due_at
    FROM jsonb_to_recordset(${JSON.stringify(items)}::jsonb)
      AS item (kind text, key text, payload jsonb, "dueInSeconds" float8)
    CROSS JOIN LATERAL (SELECT now() + coalesce("dueInSeconds", 0) * interval '1 second' AS due_at) AS time
    ORDER BY kind, key`;
}
