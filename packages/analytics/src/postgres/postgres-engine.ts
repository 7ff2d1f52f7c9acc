/** Answers from Postgres: the cube, the rollups and the events (README.md). All parts of a request are one transaction. */
import type { Sql } from "@hopline/db/sql";
import type { AnswersOf, Engine, Part } from "../engine.ts";
import { listClicks } from "./clicks.ts";
import { countParts } from "./count-parts.ts";
import { choosePair } from "./pair.ts";
import { type Planned, readSnapshot, type SnapshotDatabase, type Statement } from "./snapshot.ts";
import { MOST_CLICKS } from "./usable-days.ts";
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
 * @param toStatements of what single clicks are read.
 */
export async function answerBeside<Beside>(
  database: SnapshotDatabase,
  parts: readonly [Part, ...Part[]],
  toStatements: (needs: ClickNeeds) => readonly Statement<Beside>[],
): Promise<{ readonly answers: readonly object[]; readonly beside: readonly Beside[] }> {
  const { planned, inOrder, needs } = planParts(parts, database.mostClicks);
  const results = await readSnapshot(database, [...planned, ...toStatements(needs)]);
  const all = (results as readonly (readonly object[])[]).slice(0, planned.length).flat();
  return {
    answers: parts.map((part) => all[inOrder.indexOf(part)] ?? {}),
    beside: results.slice(planned.length) as readonly Beside[],
  };
}

export type ClickNeeds = {
  /** By part: the multiranges in which single clicks are read. */
  readonly clickSpans: readonly (readonly Sql[])[];
  /** The tables that these read, for WITH. */
  readonly days: Sql | null;
};

/** What Postgres would have to read click by click, because it is not pre-aggregated. Clicks that came since need not be read for that. */
export function findClickNeeds(parts: readonly Part[]): ClickNeeds {
  return planParts(parts, 0).needs;
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
function planParts(parts: readonly Part[], mostClicks = MOST_CLICKS) {
  const [first, ...more] = parts.filter((part) => part.kind !== "clicks");
  const lists = parts.filter((part) => part.kind === "clicks");
  const counted = first === undefined ? [] : [countParts([first, ...more], mostClicks)];
  const planned: readonly Planned[] = [...counted, ...lists.map(listClicks)];
  const inOrder: readonly Part[] = [...(first === undefined ? [] : [first, ...more]), ...lists];
  const clickSpans = planned.flatMap((one) => one.clickSpans);
  const needs: ClickNeeds = {
    clickSpans: parts.map((part) => clickSpans[inOrder.indexOf(part)] ?? []),
    days: counted[0]?.days ?? null,
  };
  return { planned, inOrder, needs };
}
