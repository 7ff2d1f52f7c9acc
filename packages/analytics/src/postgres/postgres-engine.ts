/** Answers from Postgres: the cube, the rollups and the events (README.md). All parts of a request are one transaction. */
import type { AnswersOf, Engine, Part } from "../engine.ts";
import { listClicks } from "./clicks.ts";
import { countParts } from "./count-parts.ts";
import { type Planned, readSnapshot, type SnapshotDatabase, type Statement } from "./snapshot.ts";
import { MOST_CLICKS } from "./usable-days.ts";

export function createPostgresEngine(database: SnapshotDatabase): Engine {
  return {
    answer: async <const Parts extends readonly Part[]>([first, ...more]: Parts) => {
      const { answers } =
        first === undefined
          ? { answers: [] }
          : await answerBeside({ ...database, mode: "postgres" }, [first, ...more], []);
      return answers as unknown as AnswersOf<Parts>;
    },
  };
}

/** The answers, and what other statements read in their snapshot. */
export async function answerBeside<Beside>(
  database: SnapshotDatabase,
  parts: readonly [Part, ...Part[]],
  statements: readonly Statement<Beside>[],
): Promise<{ readonly answers: readonly object[]; readonly beside: readonly Beside[] }> {
  // Where clicks are counted in ClickHouse, there is no cube.
  const mostClicks = database.mode === "clickhouse" ? null : (database.mostClicks ?? MOST_CLICKS);
  const { planned, inOrder } = planParts(parts, mostClicks);
  const results = await readSnapshot(database, [...planned, ...statements]);
  const all = (results as readonly (readonly object[])[]).slice(0, planned.length).flat();
  return {
    answers: parts.map((part) => all[inOrder.indexOf(part)] ?? {}),
    beside: results.slice(planned.length) as readonly Beside[],
  };
}

/** One statement counts, one reads each list; their answers are of the parts in `inOrder`. */
function planParts(parts: readonly Part[], mostClicks: number | null) {
  const [first, ...more] = parts.filter((part) => part.kind !== "clicks");
  const lists = parts.filter((part) => part.kind === "clicks");
  const counted = first === undefined ? [] : [countParts([first, ...more], mostClicks)];
  const planned: readonly Planned[] = [...counted, ...lists.map(listClicks)];
  const inOrder: readonly Part[] = [...(first === undefined ? [] : [first, ...more]), ...lists];
  return { planned, inOrder };
}
