/** Whether an answer has all that it counts or lists. */
import { type Sql, sql } from "@hopline/db/sql";
import type { Completeness } from "../engine.ts";

/** Whether retention has removed no single click that is read in the spans. */
export function isComplete(workspaceId: string, spans: readonly Sql[]): Sql {
  return spans.length === 0
    ? sql`true`
    : sql`NOT EXISTS (
        SELECT FROM event_retention CROSS JOIN unnest(${sql.join([sql`'{}'::tstzmultirange`, ...spans], sql` + `)}) AS needed
        WHERE lower(needed) < kept_from AND EXISTS (
          SELECT FROM workspace_rollups WHERE workspace_id = ${workspaceId}::uuid
            AND bucket_start > lower(needed) - interval '15 minutes' AND bucket_start < LEAST(upper(needed), kept_from)
        ))`;
}

/** From [whether retention has removed nothing, until when nothing is missing or null]. */
export function toCompleteness(state: unknown): Completeness {
  const [isKept, until] = Array.isArray(state) ? state : [];
  const completeUntilMs = typeof until === "number" ? until : null;
  return { complete: isKept === true && completeUntilMs === null, completeUntilMs };
}
