/** When work is due, so that a run does only what is, and says when the next one has to look. */
import { type Sql, sql } from "../sql.ts";
import type { WorkItem } from "./work-item.ts";

/** An item that is always there: it is done when a run looks anyway, and has none started. */
export type RestingItem = Pick<WorkItem, "kind" | "key">;

export type NextOfKind = {
  readonly kind: string;
  /** Seconds until the first item is due, or negative; `null`: there is none. */
  readonly inSeconds: number | null;
  /** The same without resting items. */
  readonly nextInSeconds: number | null;
};

/** A row of `NextOfKind` for each kind. */
export function findNextOfKinds(kinds: readonly string[], resting: readonly RestingItem[]): Sql {
  return sql`
    WITH resting AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(resting)}::jsonb) AS item (kind text, key text)
    )
    SELECT wanted.kind, extract(epoch FROM due.due_at - now())::float8 AS "inSeconds",
      extract(epoch FROM next.due_at - now())::float8 AS "nextInSeconds"
    FROM unnest(${kinds}::text[]) AS wanted (kind)
    LEFT JOIN LATERAL (
      SELECT due_at FROM work WHERE work.kind = wanted.kind ORDER BY due_at LIMIT 1
    ) AS due ON true
    LEFT JOIN LATERAL (
      SELECT due_at FROM work WHERE work.kind = wanted.kind
        AND NOT EXISTS (SELECT FROM resting WHERE resting.kind = work.kind AND resting.key = work.key)
      ORDER BY due_at LIMIT 1
    ) AS next ON true`;
}

/** Until the first of these, in milliseconds, for the clock; 0 for what is due. */
export function nextInMs(found: readonly NextOfKind[]): number | null {
  const seconds = found.flatMap(({ nextInSeconds }) => nextInSeconds ?? []);
  return seconds.length === 0 ? null : Math.max(0, Math.min(...seconds) * 1_000);
}

/** Those of which an item is due in so many seconds. */
export function kindsDue(found: readonly NextOfKind[], withinSeconds = 0): ReadonlySet<string> {
  return new Set(
    found.flatMap(({ kind, inSeconds }) => (inSeconds !== null && inSeconds <= withinSeconds ? [kind] : [])),
  );
}
