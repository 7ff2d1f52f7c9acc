/**
 * Times of less than a day: the ends of a range that are parts of days. The lists of a screen all count the same few
 * events there, so a statement with several of them reads those once.
 */
import { type SQL, sql } from "drizzle-orm";
import { eventColumn, toConditions } from "./conditions.ts";
import type { Question } from "./question.ts";
import { selectInOrder } from "./select-events.ts";
import { toTimestamp } from "./timestamp.ts";

/** FROM item, for `countEvents`, with the events that a question is about, whose range is short. */
export type ShortEvents = (question: Question) => SQL;

/** Reads them in place. */
export function inlineShortEvents(question: Question): SQL {
  return sql`(${selectShortEvents(question)}) AS short_events`;
}

export type SharedShortEvents = {
  readonly events: ShortEvents;
  /** `WITH` and all that were asked for, to stand before the statement; nothing where none were. */
  readonly tables: () => SQL;
};

/** Reads those of one statement that are asked for more than once in one go: as tables of its WITH. */
export function shareShortEvents(): SharedShortEvents {
  const tables = new Map<string, { readonly name: SQL; readonly query: SQL }>();
  return {
    events: (question) => {
      const key = JSON.stringify(question);
      const table = tables.get(key) ?? {
        name: sql.raw(`short_events_${tables.size}`),
        query: selectShortEvents(question),
      };
      tables.set(key, table);
      return table.name;
    },
    tables: () =>
      tables.size === 0
        ? sql``
        : sql`WITH ${sql.join(
            [...tables.values()].map(({ name, query }) => sql`${name} AS (${query})`),
            sql`, `,
          )} `,
  };
}

function selectShortEvents({ workspaceId, range, filters }: Question): SQL {
  return selectInOrder([
    sql`workspace_id = ${workspaceId}::uuid`,
    sql`clicked_at >= ${toTimestamp(range.fromMs)} AND clicked_at < ${toTimestamp(range.toMs)}`,
    ...toConditions(workspaceId, filters, eventColumn),
  ]);
}
