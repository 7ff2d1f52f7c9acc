/** Answers from Postgres: the cube, the rollups and the events (README.md). All parts of a request are one transaction. */
import { type Sql, sql } from "@hopline/db/sql";
import type { AnswersOf, Engine, Part } from "../engine.ts";
import { listClicks } from "./clicks.ts";
import { countParts } from "./count-parts.ts";
import { choosePair } from "./pair.ts";
import { type Planned, readSnapshot, type SnapshotDatabase, type Statement } from "./snapshot.ts";
import { keepUsableDays } from "./usable-days.ts";
import { visitorScopeOf } from "./visitors.ts";

export function createPostgresEngine(database: SnapshotDatabase): Engine {
  return {
    answer: async <const Parts extends readonly Part[]>([first, ...more]: Parts) => {
      const { answers } =
        first === undefined ? { answers: [] } : await answerBeside(database, [first, ...more], () => []);
      return answers as unknown as AnswersOf<Parts>;
    },
  };
}

/**
 * The answers, and what other statements read in their snapshot.
 *
 * @param toStatements of the multiranges, by part, in which single clicks are read.
 */
export async function answerBeside<Beside>(
  database: SnapshotDatabase,
  parts: readonly [Part, ...Part[]],
  toStatements: (clickSpans: ClickNeeds["clickSpans"]) => readonly Statement<Beside>[],
): Promise<{ readonly answers: readonly object[]; readonly beside: readonly Beside[] }> {
  const { planned, inOrder, clickSpans, prepare } = planParts(parts);
  const statements = [
    isEachComplete(parts[0].question.workspaceId, clickSpans),
    ...planned,
    ...toStatements(clickSpans),
  ] as const;
  const [complete, ...others] = await readSnapshot(database, statements, prepare);
  const all = (others as readonly (readonly object[])[]).slice(0, planned.length).flat();
  return {
    answers: parts.map((part, index) => ({
      ...all[inOrder.indexOf(part)],
      complete: complete[index] === true,
    })),
    beside: others.slice(planned.length) as readonly Beside[],
  };
}

type ClickNeeds = {
  /** By part: the multiranges in which single clicks are read. */
  readonly clickSpans: readonly (readonly Sql[])[];
  /** To run first in the transaction that has these expressions. */
  readonly prepare: readonly Sql[];
};

/** What Postgres would have to read click by click, because it is not pre-aggregated. */
export function findClickNeeds(parts: readonly Part[]): ClickNeeds {
  const { clickSpans, prepare } = planParts(parts);
  return { clickSpans, prepare: parts.some(mayBeCounted) ? prepare : [] };
}

/** Whether there are cells for such a question at all. */
export function mayBeCounted(part: Part): boolean {
  if (part.kind === "clicks") {
    return false;
  }
  const needs = { ...part.question, dimension: part.kind === "series" ? undefined : part.dimension };
  return choosePair(needs, false) !== null && (part.visitors !== true || visitorScopeOf(needs) !== null);
}

/** One statement counts, one reads each list; their answers are of the parts in `inOrder`. */
function planParts(parts: readonly Part[]) {
  const counted = parts.filter((part) => part.kind !== "clicks");
  const lists = parts.filter((part) => part.kind === "clicks");
  const planned: readonly Planned[] = [
    ...(counted.length === 0 ? [] : [countParts(counted)]),
    ...lists.map(listClicks),
  ];
  const [first, ...more] = counted;
  const inOrder: readonly Part[] = [...counted, ...lists];
  const clickSpans = planned.flatMap((one) => one.clickSpans);
  return {
    planned,
    inOrder,
    clickSpans: parts.map((part) => clickSpans[inOrder.indexOf(part)] ?? []),
    prepare: first === undefined ? [] : keepUsableDays([first, ...more]),
  };
}

/** One boolean for each of the lists: no single click that it needs has been removed by retention. */
export function isEachComplete(
  workspaceId: string,
  lists: readonly (readonly Sql[])[],
): Statement<readonly boolean[]> {
  const columns = lists.map((spans, index) => {
    const isComplete = sql`NOT EXISTS (
        SELECT FROM event_retention CROSS JOIN unnest(${sql.join([sql`'{}'::tstzmultirange`, ...spans], sql` + `)}) AS needed
        WHERE lower(needed) < kept_from AND EXISTS (
          SELECT FROM workspace_rollups WHERE workspace_id = ${workspaceId}::uuid
            AND bucket_start > lower(needed) - interval '15 minutes' AND bucket_start < LEAST(upper(needed), kept_from)
        ))`;
    return sql`${spans.length === 0 ? sql`true` : isComplete} AS ${sql.identifier(`complete_${index}`)}`;
  });
  return {
    query: sql`SELECT ${sql.join(columns, sql`, `)}`,
    read: ([row]) => lists.map((_spans, index) => row?.[`complete_${index}`] === true),
  };
}
