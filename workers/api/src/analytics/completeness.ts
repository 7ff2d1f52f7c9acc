/**
 * Whether an answer is complete: not if it needs single clicks that retention has deleted. Rollups and summaries are kept, so
 * most answers are.
 */
import { type SQL, sql } from "drizzle-orm";
import { needsOf, type Wanted } from "./hits.ts";
import type { Question } from "./question.ts";
import { selectLinkSetSpans } from "./link-set.ts";
import { joinSummaries, type OtherPiece, planPieces, type SummaryRun } from "./plan.ts";
import type { Statement } from "./run-statements.ts";
import { chooseSources, type Needs, scopeOf } from "./source.ts";
import { createStatementTables, type StatementTables, uniqueParts } from "./statement-tables.ts";
import { selectUsable, uncoveredSpans } from "./summary-periods.ts";
import { selectTagSpans } from "./tag-hits.ts";
import { toTimestamp } from "./timestamp.ts";
import { selectVisitorEventSpans, visitorScopeOf } from "./visitors.ts";

/** One of the counts in an answer. */
export type AnswerPart = { readonly question: Question; readonly wanted: Wanted };

/** For all parts of an answer together. */
export function completeness(parts: readonly AnswerPart[]): Statement<boolean> {
  const { query, read } = completenessOfEach([parts]);
  return { query, read: (rows) => read(rows)[0] };
}

/** For several answers with their parts, in one statement. */
export function completenessOfEach<const Answers extends readonly (readonly AnswerPart[])[]>(
  answers: Answers,
): Statement<{ readonly [Index in keyof Answers]: boolean }> {
  const tables = createStatementTables();
  const columns = answers.map(
    (parts, index) => sql`${isComplete(parts, tables)} AS ${sql.raw(`complete_${index}`)}`,
  );
  return {
    query: sql`${tables.toWith()}SELECT ${sql.join(columns, sql`, `)}`,
    read: ([row]) =>
      answers.map((_parts, index) => row?.[`complete_${index}`] === true) as unknown as {
        readonly [Index in keyof Answers]: boolean;
      },
  };
}

function isComplete(parts: readonly AnswerPart[], tables: StatementTables): SQL {
  const spans = uniqueParts(
    parts.flatMap(({ question, wanted }) => selectEventSpans(question, wanted, tables)),
  );
  const [workspaceId] = parts.map(({ question }) => question.workspaceId);
  return spans.length === 0 || workspaceId === undefined
    ? sql`true`
    : sql`NOT EXISTS (
        SELECT FROM event_retention
        CROSS JOIN LATERAL (${sql.join(spans, sql` UNION ALL `)}) AS needed (span)
        WHERE lower(span) < kept_from AND EXISTS (
          SELECT FROM workspace_rollups WHERE workspace_id = ${workspaceId}::uuid
            AND bucket_start > lower(span) - interval '15 minutes'
            AND bucket_start < LEAST(upper(span), kept_from)
        )
      )`;
}

/** SELECTs of the spans that are read from the events. Spans after `kept_from` are not looked up. */
function selectEventSpans(question: Question, wanted: Wanted, tables: StatementTables): readonly SQL[] {
  const visitors = wanted.visitors ?? false;
  // Like the statements: visitors separately if summaries have them.
  const scope = visitors ? visitorScopeOf({ ...question, dimension: wanted.dimension }) : null;
  if (scope === null) {
    return selectHitSpans(question, { ...wanted, visitors }, tables);
  }
  const startsMs = wanted.boundariesMs ?? [question.range.fromMs];
  const only = sql`kept_from > ${toTimestamp(question.range.fromMs)}`;
  return [
    ...selectHitSpans(question, { ...wanted, visitors: false }, tables),
    selectVisitorEventSpans(question, scope, { startsMs, only }),
  ];
}

function selectHitSpans(question: Question, wanted: Wanted, tables: StatementTables): readonly SQL[] {
  const needs = needsOf(question, wanted);
  const pieces = planPieces(question.range, chooseSources(needs), wanted.boundariesMs);
  return joinSummaries(pieces).flatMap((part) => {
    const spans = selectPartSpans(question, part, { needs, tables });
    return spans === null
      ? []
      : [sql`SELECT span FROM ${spans} WHERE kept_from > ${toTimestamp(part.fromMs)}`];
  });
}

/** FROM item with (span); `null` if no events are read. */
function selectPartSpans(
  question: Question,
  part: OtherPiece | SummaryRun,
  { needs, tables }: { readonly needs: Needs; readonly tables: StatementTables },
): SQL | null {
  const edges = { from: toTimestamp(part.fromMs), to: toTimestamp(part.toMs) };
  if ("pieces" in part) {
    const usable = selectUsable(question.workspaceId, part, scopeOf(needs));
    return part.otherwise === "events" ? uncoveredSpans(tables.add("usable", usable), edges) : null;
  }
  const { source, sign: _, ...range } = part;
  if (source.kind === "complete") {
    return source.name === "events"
      ? sql`(SELECT tstzrange(${edges.from}, ${edges.to}) AS span) AS uncovered`
      : null;
  }
  const spans =
    source.kind === "linkSet"
      ? selectLinkSetSpans({ question, range, member: source.member }, tables)
      : selectTagSpans({ question, range, tag: source.tag }, tables);
  return spans === null ? null : sql`(${spans}) AS uncovered`;
}
