/** Answers from Postgres: the cube, the rollups and the events (README.md). All parts of a request are one transaction. */
import type { Sql } from "@hopline/db/sql";
import type { AnswersOf, BreakdownPart, Engine, Part } from "../engine.ts";
import { countBreakdowns } from "./breakdowns.ts";
import { listClicks } from "./clicks.ts";
import { countSeries, isEachComplete } from "./counts.ts";
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
  const [first, ...more] = parts;
  if (first === undefined) {
    return [];
  }
  const breakdowns = parts.filter((part) => part.kind === "breakdown");
  const others = parts.filter((part) => part.kind !== "breakdown");
  const planned = [
    ...(breakdowns.length === 0 ? [] : [countBreakdowns(breakdowns)]),
    ...others.map(planPart),
  ];
  const isList = parts.every(({ kind }) => kind === "clicks");
  const [complete, ...answers] = await readSnapshot(
    database,
    [
      isEachComplete(
        first.question,
        planned.flatMap(({ eventSpans }) => eventSpans),
      ),
      ...planned,
    ],
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
type Planned = Statement<readonly object[]> & { readonly eventSpans: readonly (readonly Sql[])[] };

function planPart(part: Exclude<Part, BreakdownPart>): Planned {
  if (part.kind === "clicks") {
    const { query, read } = listClicks(part);
    // A list needs the clicks themselves, of the whole range on every page.
    const eventSpans = [[toMultirange([part.question.range])]];
    return { query, read: (rows) => [{ clicks: read(rows) }], eventSpans };
  }
  const { query, read, eventSpans } = countSeries(part);
  return { query, read: (rows) => [{ points: read(rows) }], eventSpans: [eventSpans] };
}
