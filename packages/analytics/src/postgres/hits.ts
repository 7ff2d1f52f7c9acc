/**
 * The clicks of a question as a sub-SELECT with rows of (at, clicks, value, visitor): from the cube and the rollups where they are
 * exact, from single clicks elsewhere. The outer statement decides what is counted.
 */
import { type Sql, sql } from "@hopline/db/sql";
import { QUARTER } from "../cube/cube-columns.ts";
import { DAY_MS } from "../calendar.ts";
import type { Dimension } from "../dimension.ts";
import type { Question } from "../engine.ts";
import type { InstantRange } from "../range.ts";
import { toMultirange } from "./instant.ts";
import { ALL_TAGS, choosePair, chooseTagPair, type Pair, rollupOf, tagOf } from "./pair.ts";
import { planRange } from "./plan.ts";
import { selectCells } from "./select-cells.ts";
import { type RowNeeds, selectRows, selectShortEvents } from "./select-rows.ts";
import type { StatementTables } from "./statement-tables.ts";
import { partialDays, tagDays, uncovered, usableDays } from "./usable-days.ts";

/** Both ends of a range that no day covers. */
const SHORT_MS = 2 * DAY_MS;

export type Wanted = {
  /**
   * What `value` contains. NULL in every row if left out. By tag there are rows for each tag of a link, and with the value ALL_TAGS
   * for each click once.
   */
  readonly dimension?: Dimension;
  /** As in `Needs`. */
  readonly among?: Sql | undefined;
  /** Whether `visitor` is needed; NULL in every row otherwise. */
  readonly visitors?: boolean;
  /** Instants that no row may span. */
  readonly boundariesMs?: readonly number[];
};

export type Hits = {
  readonly query: Sql;
  /** Multiranges: where single clicks are read. */
  readonly eventSpans: readonly Sql[];
};

/** @param tables of the statement that will contain the sub-SELECT. */
export function selectHits(question: Question, wanted: Wanted, tables: StatementTables): Hits {
  const { dimension, among, visitors = false, boundariesMs } = wanted;
  const { filters } = question;
  const needs = { filters, dimension, among, visitors, instants: boundariesMs !== undefined };
  const options = { question, needs, tables };
  if (visitors) {
    const spans = toMultirange([question.range]);
    return { query: selectRows("click_events", spans, options), eventSpans: [spans] };
  }
  const { days, quarters, instants } = planRange(question.range, boundariesMs);
  const parts = [
    selectPart(days, { ...options, isCut: false }),
    selectPart(quarters, { ...options, isCut: true }),
    instants.length === 0 ? null : selectPieces(instants, options),
  ].filter((part) => part !== null);
  return {
    query: sql.join(
      parts.map(({ query }) => query),
      sql` UNION ALL `,
    ),
    eventSpans: parts.flatMap(({ eventSpans }) => eventSpans),
  };
}

type Options = {
  readonly question: Question;
  readonly needs: RowNeeds;
  readonly tables: StatementTables;
};

/** Whole days, or whole quarters of an hour. `null` if there are none. */
function selectPart(
  spans: readonly InstantRange[],
  { isCut, ...options }: Options & { readonly isCut: boolean },
): Hits | null {
  const { question, needs } = options;
  if (spans.length === 0) {
    return null;
  }
  const pair = choosePair(needs, isCut);
  if (pair === null) {
    return selectPieces(spans, options);
  }
  const tagPair = chooseTagPair(needs, isCut);
  const { current, others } = tagDays(spans);
  const select = (of: Pair, days: Sql, needed = needs) =>
    selectCells(of, question, { needs: needed, spans, days });
  const cells =
    tagPair === null ? [select(pair, usableDays(spans))] : [select(tagPair, current), select(pair, others)];
  if (tagPair !== null && tagOf(needs) === ALL_TAGS) {
    const every = select({ ...tagPair, scope: "" }, current, { ...needs, dimension: undefined });
    cells.push(sql`SELECT at, clicks, ${ALL_TAGS}::text, visitor FROM (${every}) AS every`);
  }
  const rest = uncovered(spans);
  const rollup = rollupOf(needs);
  const isPartial = pair.scope !== "" && pair.scope !== QUARTER;
  const partial = isPartial ? [sql`(${partialDays()} * ${toMultirange(spans)})`] : [];
  return {
    query: sql.join([...cells, selectRows(rollup ?? "click_events", rest, options)], sql` UNION ALL `),
    eventSpans: rollup === null ? [rest, ...partial] : [],
  };
}

/** Only single clicks answer. */
function selectPieces(spans: readonly InstantRange[], { question, needs, tables }: Options): Hits {
  const lengthMs = spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  const eventSpans = [toMultirange(spans)] as const;
  const query =
    lengthMs <= SHORT_MS
      ? selectShortEvents(spans, { question, needs, tables })
      : selectRows("click_events", eventSpans[0], { question, needs });
  return { query, eventSpans };
}
