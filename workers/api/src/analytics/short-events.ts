/**
 * Times of less than a day: the ends of a range that are parts of days. The lists of a screen all count the same few
 * events there, so a statement with several of them reads those once.
 */
import { type SQL, sql } from "drizzle-orm";
import { eventColumn, toConditions } from "./conditions.ts";
import type { Question } from "./question.ts";
import { selectInOrder } from "./select-events.ts";
import type { StatementTables } from "./statement-tables.ts";
import { toTimestamp } from "./timestamp.ts";

/** FROM item, for `countEvents`, with the events that a question is about, whose range is short. */
export function addShortEvents({ workspaceId, range, filters }: Question, tables: StatementTables): SQL {
  const events = selectInOrder([
    sql`workspace_id = ${workspaceId}::uuid`,
    sql`clicked_at >= ${toTimestamp(range.fromMs)} AND clicked_at < ${toTimestamp(range.toMs)}`,
    ...toConditions(workspaceId, filters, eventColumn),
  ]);
  return tables.add("short_events", events, { isInlinedIfReadOnce: true });
}
