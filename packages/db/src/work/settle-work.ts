/** Ends a runner's work on items: done, to be done again later, or failed. */
import { type Sql, sql } from "../sql.ts";
import { ITEM_COLUMNS, type Payload, type WorkItem } from "./work-item.ts";

export type Settlement = Pick<WorkItem, "kind" | "key" | "revision"> &
  WorkOutcome & {
    /** For how long the runner keeps the item if it was enqueued again in the meantime. */
    readonly leaseSeconds: number;
  };

export type WorkOutcome =
  | { readonly outcome: "done" }
  /** Due again then, with these fields of the payload replaced. */
  | { readonly outcome: "again"; readonly inSeconds: number; readonly change?: Payload }
  /** Tried again after 2 s, 4 s, 8 s and so on. `error` is a name or an SQLSTATE, never a message. */
  | { readonly outcome: "failed"; readonly error: string; readonly maxDelaySeconds: number };

/**
 * For one transaction. The last statement returns the items that were enqueued again in the meantime and did not fail: they
 * keep the lease, from now on again, and the runner does the new revision. What another runner has claimed
 * since is left alone.
 */
export function settleWork(leaseId: string, settlements: readonly Settlement[]): readonly Sql[] {
  const items = JSON.stringify(settlements);
  return [
    // A statement of its own: the next one then sees everything that was committed while this one waited for a row.
    sql`
      SELECT FROM work JOIN jsonb_to_recordset(${items}::jsonb) AS item (kind text, key text) USING (kind, key)
      ORDER BY kind, key FOR UPDATE OF work`,
    sql`
      WITH settled AS (
        SELECT item.*, work.revision = item.revision AS is_current
        FROM jsonb_to_recordset(${items}::jsonb) AS item (kind text, key text, revision bigint, outcome text,
          "leaseSeconds" float8, "inSeconds" float8, change jsonb, error text, "maxDelaySeconds" float8)
        JOIN work ON work.kind = item.kind AND work.key = item.key
        WHERE work.lease = ${leaseId}::uuid
      ),
      done AS (
        DELETE FROM work USING settled
        WHERE work.kind = settled.kind AND work.key = settled.key AND is_current AND outcome = 'done'
      ),
      again AS (
        UPDATE work SET payload = work.payload || coalesce(change, '{}'), attempts = 0, last_error = NULL, lease = NULL,
          due_at = now() + "inSeconds" * interval '1 second', wanted_at = now() + "inSeconds" * interval '1 second'
        FROM settled
        WHERE work.kind = settled.kind AND work.key = settled.key AND is_current AND outcome = 'again'
      ),
      failed AS (
        UPDATE work SET last_error = error, lease = NULL,
          due_at = now() + least("maxDelaySeconds", power(2, least(attempts, 30))) * interval '1 second'
        FROM settled WHERE work.kind = settled.kind AND work.key = settled.key AND outcome = 'failed'
      )
      UPDATE work AS kept SET due_at = now() + "leaseSeconds" * interval '1 second' FROM settled
      WHERE kept.kind = settled.kind AND kept.key = settled.key AND NOT is_current AND outcome <> 'failed'
      RETURNING ${ITEM_COLUMNS}`,
  ];
}

/** Gives items back that were claimed and not started. */
export function releaseWork(leaseId: string, items: readonly WorkItem[]): Sql {
  const keys = items.map(({ kind, key }) => ({ kind, key }));
  return sql`
    UPDATE work SET lease = NULL, due_at = now(), attempts = greatest(0, attempts - 1)
    FROM jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) AS item (kind text, key text)
    WHERE work.kind = item.kind AND work.key = item.key AND work.lease = ${leaseId}::uuid`;
}
