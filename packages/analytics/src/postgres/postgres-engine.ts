/** Answers from Postgres: the cube, the rollups and the events (README.md). All parts of a request are one transaction. */
import { sql } from "@hopline/db/sql";
import { type AnswersOf, type Engine, type Part, TooWideError } from "../engine.ts";
import { toTimestamp } from "../instant.ts";
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
  const results = await readSnapshot(database, [...planned, ...statements]).catch((error: unknown) =>
    explain(error, parts, database),
  );
  const all = (results as readonly (readonly object[])[]).slice(0, planned.length).flat();
  return {
    answers: parts.map((part) => all[inOrder.indexOf(part)] ?? {}),
    beside: results.slice(planned.length) as readonly Beside[],
  };
}

/** A question of fewer is too late only while the database is slow: the caller has to come back, and not to ask for less. */
const WIDE_CLICKS = 1_000_000;
/** The workspace's rollups are a few rows for each quarter of an hour. */
const COUNT_TIMEOUT_MS = 1_000;

async function explain(
  error: unknown,
  parts: readonly [Part, ...Part[]],
  database: SnapshotDatabase,
): Promise<never> {
  const isSlow = error instanceof TooWideError && !(await isWide(parts, database).catch(() => false));
  throw isSlow ? error.cause : error;
}

/** Whether the workspace has so many clicks in the ranges. Rejects as `readSnapshot` does. */
async function isWide([first, ...more]: readonly [Part, ...Part[]], database: SnapshotDatabase) {
  const ranges = [first, ...more].map(({ question }) => question.range);
  const statement: Statement<boolean> = {
    query: sql`SELECT sum(clicks) >= ${WIDE_CLICKS} AS is_wide FROM workspace_rollups
      WHERE workspace_id = ${first.question.workspaceId}::uuid
        AND bucket_start >= ${toTimestamp(Math.min(...ranges.map(({ fromMs }) => fromMs)))}
        AND bucket_start < ${toTimestamp(Math.max(...ranges.map(({ toMs }) => toMs)))}`,
    read: ([row]) => row?.["is_wide"] === true,
  };
  const timeoutMs = Math.min(COUNT_TIMEOUT_MS, database.timeoutMs);
  const [found] = await readSnapshot({ ...database, timeoutMs }, [statement]);
  return found;
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
