/**
 * The clicks of a question as a sub-SELECT with rows of (at, clicks, value, visitor): from rollups and summaries where they are
 * exact, from events elsewhere. The outer statement decides what is counted.
 */
import { type SQL, sql } from "drizzle-orm";
import { eventColumn, toConditions } from "./conditions.ts";
import type { Dimension } from "@hopline/analytics/dimension";
import { selectLinkSetHits } from "./link-set.ts";
import { joinSummaries, type OtherPiece, planPieces, type SummaryRun } from "./plan.ts";
import type { Question } from "./question.ts";
import { countEvents, selectEvents, selectInOrder, valueOf } from "./select-events.ts";
import { selectSummaries } from "./select-summary.ts";
import { addShortEvents } from "./short-events.ts";
import { chooseSources, choosesLinks, type CompleteName, type Needs } from "./source.ts";
import type { StatementTables } from "./statement-tables.ts";
import { type SummaryNeed, uncoveredSpans, UNCOVERED_FROM, UNCOVERED_TO } from "./summary-periods.ts";
import { selectTagHits } from "./tag-hits.ts";
import { toTimestamp } from "./timestamp.ts";

const DAY_MS = 86_400_000;

export type Wanted = {
  /** What `value` contains; for `tag` the link. NULL in every row if left out. */
  readonly dimension?: Dimension;
  /** Whether `visitor` is needed; NULL in every row otherwise. */
  readonly visitors?: boolean;
  /** Instants that no row may span. */
  readonly boundariesMs?: readonly number[];
};

/** A sub-SELECT, and the summaries that it reads. */
export type Hits = { readonly query: SQL; readonly summaries: readonly SummaryNeed[] };

/** @param tables of the statement that will contain the sub-SELECT. */
export function selectHits(question: Question, wanted: Wanted, tables: StatementTables): Hits {
  const needs = needsOf(question, wanted);
  const pieces = planPieces(question.range, chooseSources(needs), wanted.boundariesMs);
  const query = sql.join(
    joinSummaries(pieces).map((part) =>
      "pieces" in part
        ? selectRun(part, question, { boundariesMs: wanted.boundariesMs, needs, tables })
        : selectPiece(part, question, { needs, tables }),
    ),
    sql` UNION ALL `,
  );
  const isSummarised = pieces.some(({ source }) => source.kind !== "complete");
  return { query, summaries: isSummarised ? [question] : [] };
}

type PieceOptions = { readonly needs: Needs; readonly tables: StatementTables };

export function needsOf({ filters }: Question, { dimension, visitors = false, boundariesMs }: Wanted): Needs {
  return { filters, dimension, visitors, instants: boundariesMs !== undefined };
}

function selectPiece(
  { source, sign, ...range }: OtherPiece,
  question: Question,
  { needs, tables }: PieceOptions,
): SQL {
  const edges = { from: toTimestamp(range.fromMs), to: toTimestamp(range.toMs) };
  if (source.kind === "complete") {
    const isShort = source.name === "events" && range.toMs - range.fromMs < DAY_MS && !choosesLinks(needs);
    const rows = isShort
      ? countEvents(addShortEvents({ ...question, range }, tables), needs)
      : selectComplete(source.name, question, { ...edges, needs, isInOrder: false });
    return sign === 1 ? rows : sql`SELECT at, -clicks AS clicks, value, visitor FROM (${rows}) AS too_much`;
  }
  return source.kind === "linkSet"
    ? selectLinkSetHits({ question, range, member: source.member }, needs, tables)
    : selectTagHits({ question, range, tag: source.tag }, needs, tables);
}

type RunOptions = PieceOptions & { readonly boundariesMs: readonly number[] | undefined };

function selectRun(run: SummaryRun, question: Question, { needs, boundariesMs, tables }: RunOptions): SQL {
  const edges = { from: toTimestamp(run.fromMs), to: toTimestamp(run.toMs) };
  const uncovered = { from: UNCOVERED_FROM, to: UNCOVERED_TO, needs, isInOrder: !choosesLinks(needs) };
  const { usable, rows } = selectSummaries(question, run, { needs, boundariesMs, tables });
  // OFFSET 0: each span is looked up by an index; without it, the planner would merge the join and read every event.
  return sql`${rows}
    UNION ALL
    SELECT hit.* FROM ${uncoveredSpans(usable, edges)} CROSS JOIN LATERAL (
      ${selectComplete(run.otherwise, question, uncovered)} OFFSET 0
    ) AS hit`;
}

type CompletePart = {
  readonly from: SQL;
  readonly to: SQL;
  readonly needs: Needs;
  /** All events of the workspace in a short time. */
  readonly isInOrder: boolean;
};

function selectComplete(name: CompleteName, question: Question, part: CompletePart): SQL {
  const { from, to, needs, isInOrder } = part;
  const { table, at } = COMPLETE[name];
  const conditions = [
    sql`workspace_id = ${question.workspaceId}::uuid`,
    sql`${at} >= ${from} AND ${at} < ${to}`,
    ...toConditions(question.workspaceId, question.filters, eventColumn),
  ];
  if (name === "events") {
    return isInOrder
      ? countEvents(sql`(${selectInOrder(conditions)}) AS event`, needs)
      : selectEvents(conditions, needs);
  }
  return sql`SELECT ${at} AS at, clicks, ${valueOf(needs, eventColumn)} AS value, NULL::uuid AS visitor
    FROM ${table} WHERE ${sql.join(conditions, sql` AND `)}`;
}

const COMPLETE: Readonly<Record<CompleteName, { readonly table: SQL; readonly at: SQL }>> = {
  workspaceRollup: { table: sql`workspace_rollups`, at: sql`bucket_start` },
  linkRollup: { table: sql`click_rollups`, at: sql`bucket_start` },
  events: { table: sql`click_events`, at: sql`clicked_at` },
};
