/** Claims due work: the oldest of each kind that no other runner is claiming. */
import { type Sql, sql } from "../sql.ts";
import { ITEM_COLUMNS } from "./work-item.ts";

export type WantedWork = {
  readonly kind: string;
  readonly limit: number;
  /** How long no other runner may claim it. */
  readonly leaseSeconds: number;
};

/**
 * Read its rows with `toWorkItem`. Each kind by itself: a kind with a long backlog takes nothing from the others. The rows that
 * were found are updated by their `ctid`: Postgres takes a limit that it does not know for a tenth of the table, and would read
 * all of it for a join.
 */
export function claimWork(leaseId: string, wanted: readonly WantedWork[]): Sql {
  return sql`
    WITH wanted AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
        AS wanted (kind text, "limit" int, "leaseSeconds" float8)
    )
    UPDATE work AS kept
    SET lease = ${leaseId}::uuid, due_at = now() + "leaseSeconds" * interval '1 second', attempts = attempts + 1
    FROM wanted
    WHERE wanted.kind = kept.kind AND kept.ctid = ANY (ARRAY(
      SELECT found.ctid FROM wanted CROSS JOIN LATERAL (
        SELECT work.ctid FROM work WHERE work.kind = wanted.kind AND work.due_at <= now()
        ORDER BY work.due_at LIMIT wanted."limit" FOR UPDATE SKIP LOCKED
      ) AS found
    ))
    RETURNING ${ITEM_COLUMNS}`;
}
