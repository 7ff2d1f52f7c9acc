/**
 * Ranges of less than a day: the ends of a longer range. All lists of a screen count the same few events there, so a statement
 * with several lists reads them once.
 */
import { type SQL, sql } from "drizzle-orm";
import { eventColumn, toConditions } from "./conditions.ts";
import type { Question } from "./question.ts";
import { selectInOrder } from "./select-events.ts";
import type { StatementTables } from "./statement-tables.ts";
import { toTimestamp } from "./timestamp.ts";

/** FROM item for `countEvents` with the events of a question with a short range. */
export function addShortEvents({ workspaceId, range, filters }: Question, tables: StatementTables): SQL {
  const events = selectInOrder([
    sql`workspace_id = ${workspaceId}::uuid`,
    sql`clicked_at >= ${toTimestamp(range.fromMs)} AND clicked_at < ${toTimestamp(range.toMs)}`,
    ...toConditions(workspaceId, filters, eventColumn),
  ]);
  return tables.add("short_events", events, { isInlinedIfReadOnce: true });
}
