/** Answers from Postgres: the cube, the rollups and the events (README.md). All parts of a request are one transaction. */
import type { SQL } from "drizzle-orm";
import type { AnswersOf, BreakdownPart, Engine, Part } from "../engine.ts";
import { countBreakdowns } from "./breakdowns.ts";
import { listClicks } from "./clicks.ts";
import { countSeries, countTotals, isEachComplete } from "./counts.ts";
import { toMultirange } from "./instant.ts";
import { readSnapshot, type SnapshotDatabase, type Statement } from "./snapshot.ts";
import { keepUsableDays } from "./usable-days.ts";

export function createPostgresEngine(database: SnapshotDatabase): Engine {
  return {
    answer: async <const Parts extends readonly Part[]>(parts: Parts) =>
      (await answerParts(database, parts)) as unknown as AnswersOf<Parts>,
  };
}

async function answerParts(database: SnapshotDatabase, parts: readonly Part[]): Promise<readonly object[]> {
  const breakdowns = parts.filter((part) => part.kind === "breakdown");
  const others = parts.filter((part) => part.kind !== "breakdown");
  const planned = [...(breakdowns.length === 0 ? [] : [planBreakdowns(breakdowns)]), ...others.map(planPart)];
  const [first, ...more] = parts.map(({ question }) => question);
  if (first === undefined) {
    return [];
  }
  const spans = planned.flatMap(({ eventSpans }) => eventSpans);
  const isList = others.length === parts.length && others.every(({ kind }) => kind === "clicks");
  const [complete, ...answers] = await readSnapshot(
    database,
    [isEachComplete(first, spans), ...planned.map(({ statement }) => statement)],
    isList ? [] : keepUsableDays([first, ...more]),
  );
  const inOrder = [...breakdowns, ...others];
  const answerOf = new Map(
    answers
      .flat()
      .map((answer, index) => [inOrder[index], { ...answer, complete: complete[index] === true }]),
  );
  return parts.map((part) => answerOf.get(part) ?? {});
}

/** A statement that answers some parts, and for each of them the multiranges in which it reads single clicks. */
type Planned = {
  readonly statement: Statement<readonly object[]>;
  readonly eventSpans: readonly (readonly SQL[])[];
};

function planBreakdowns(parts: readonly BreakdownPart[]): Planned {
  const { eventSpans, ...statement } = countBreakdowns(parts);
  return { statement, eventSpans };
}

function planPart(part: Exclude<Part, BreakdownPart>): Planned {
  if (part.kind === "clicks") {
    const { query, read } = listClicks(part);
    // A list needs the clicks themselves, of the whole range on every page.
    return {
      statement: { query, read: (rows) => [{ clicks: read(rows) }] },
      eventSpans: [[toMultirange([part.question.range])]],
    };
  }
  if (part.kind === "totals") {
    const { query, read, eventSpans } = countTotals(part);
    return { statement: { query, read: (rows) => [read(rows)] }, eventSpans: [eventSpans] };
  }
  const { query, read, eventSpans } = countSeries(part);
  return { statement: { query, read: (rows) => [{ points: read(rows) }] }, eventSpans: [eventSpans] };
}
