/**
 * Answers where clicks are counted in ClickHouse. A part is answered by one engine: by Postgres if its rollups have all that it asks, and
 * by ClickHouse otherwise, with a proof beside the counts (proof.ts). What can't be proved is named as incomplete.
 */
import {
  type ClickHouse,
  ClickHouseFailure,
  type ClickHouseRow,
} from "@hopline/clickhouse/clickhouse-client";
import { sql } from "@hopline/db/sql";
import { QUARTER_MS } from "../calendar.ts";
import {
  type AnswersOf,
  type Breakdown,
  type BreakdownPart,
  type ClickList,
  type ClicksPart,
  type Completeness,
  type Engine,
  type Part,
  type Series,
  type SeriesPart,
  TooWideError,
} from "../engine.ts";
import { toMultirange } from "../instant.ts";
import { isComplete } from "../postgres/completeness.ts";
import { isQuickInRollups } from "../postgres/choose-cells.ts";
import { answerBeside } from "../postgres/postgres-engine.ts";
import { readSnapshot, type SnapshotDatabase, type Statement } from "../postgres/snapshot.ts";
import { findLabels, type Names, readNames } from "./names.ts";
import {
  type Counted,
  differentQuarters,
  findCounted,
  findQuarters,
  findRemovals,
  isProved,
  rangeOfParts,
  type Reading,
  selectQuarters,
  toQuarters,
  toReading,
} from "./proof.ts";
import {
  countLists,
  listClicks,
  type Query,
  readClicks,
  readSeries,
  readValues,
  rowsOfList,
  type Scope,
} from "./statements.ts";

export type ClickHouseEngineDeps = {
  readonly clickHouse: ClickHouse;
  readonly database: SnapshotDatabase;
};

/** Clicks arrive between the two stores' answers, and the second round reads with FINAL what the first found different. */
const MAX_ROUNDS = 3;

/** Rejects with `WrongEngineError` if clicks are not counted in ClickHouse, and with `ClickHouseFailure` if that does not answer. */
export function createClickHouseEngine({ clickHouse, database }: ClickHouseEngineDeps): Engine {
  const deps: ClickHouseEngineDeps = { clickHouse, database: { ...database, mode: "clickhouse" } };
  return {
    answer: async <const Parts extends readonly Part[]>(parts: Parts) =>
      (await answerParts(parts, deps)) as unknown as AnswersOf<Parts>,
  };
}

async function answerParts(parts: readonly Part[], deps: ClickHouseEngineDeps): Promise<readonly object[]> {
  const [first] = parts;
  if (first === undefined) {
    return [];
  }
  const others = parts.filter((part) => !isRolledUp(part));
  if (others.length === 0) {
    return (await answerBeside(deps.database, [first, ...parts.slice(1)], [])).answers;
  }
  const { workspaceId } = first.question;
  const names = await readNames(deps.database, workspaceId, parts);
  const asked = { parts, workspaceId, names, range: rangeOfParts(others) };
  let finalS: readonly number[] = [];
  for (let round = 1; ; round += 1) {
    const found = await askOnce(asked, { finalS, isNewestFinal: round > 1 }, deps);
    if (found.isProved) {
      return addLabels(parts, found.answers, deps);
    }
    const { reading } = found;
    if (round === MAX_ROUNDS) {
      const [untilS = reading.newestS] = await findDifferent(asked, reading, true, deps);
      return addLabels(parts, limitTo(untilS * 1_000, parts, found.answers), deps);
    }
    const different = await findDifferent(asked, reading, false, deps);
    finalS = [...new Set([...finalS, ...different])];
  }
}

type Asked = {
  readonly parts: readonly Part[];
  readonly workspaceId: string;
  readonly names: Names;
  /** Whole quarters of an hour. */
  readonly range: ReturnType<typeof rangeOfParts>;
};

type Answer = Series | Breakdown | ClickList;

type Found = { readonly answers: readonly Answer[]; readonly isProved: boolean; readonly reading: Reading };

async function askOnce(
  { parts, workspaceId, names, range }: Asked,
  final: Pick<Reading, "finalS" | "isNewestFinal">,
  { clickHouse, database }: ClickHouseEngineDeps,
): Promise<Found> {
  const rolledUp = parts.filter(isRolledUp);
  const others = parts.filter((part) => !isRolledUp(part));
  const beside = [
    findCounted(workspaceId, range, final.finalS),
    findRemovals(workspaceId),
    findKept(others),
  ] as const;
  const { answers, counted, removals, kept } = await readBeside(database, rolledUp, beside);
  const reading = toReading(workspaceId, range, { counted, removals, ...final });
  const scope = { names, reading };
  let isAllProved = true;
  const run = async ({ text, parameters }: Query) => {
    const rows = await clickHouse
      .select(text, parameters, database.timeoutMs)
      .catch((error: unknown) => explain(error, reading));
    isAllProved &&= isProved(
      rows.filter(({ proof }) => proof !== ""),
      counted,
      reading,
    );
    return rows.filter(({ proof }) => proof === "");
  };
  const fromClickHouse = await askClickHouse(others, scope, run);
  const answerOf = (part: Part): Answer => {
    const index = others.indexOf(part);
    const own = index < 0 ? answers[rolledUp.indexOf(part)] : fromClickHouse[index];
    if (own === undefined) {
      throw new Error("invariant: every part has an answer");
    }
    return index < 0 ? own : { ...own, complete: kept[index] === true };
  };
  return { answers: parts.map(answerOf), isProved: isAllProved, reading };
}

/** All of one snapshot. */
async function readBeside(
  database: SnapshotDatabase,
  rolledUp: readonly Part[],
  beside: readonly [Statement<Counted>, ReturnType<typeof findRemovals>, Statement<readonly boolean[]>],
) {
  const [first, ...more] = rolledUp;
  if (first === undefined) {
    const [counted, removals, kept] = await readSnapshot(database, beside);
    return { answers: [] as readonly Answer[], counted, removals, kept };
  }
  const found = await answerBeside<unknown>(database, [first, ...more], beside);
  const [counted, removals, kept] = found.beside as [
    Counted,
    Awaited<ReturnType<ReturnType<typeof findRemovals>["read"]>>,
    readonly boolean[],
  ];
  return { answers: found.answers as readonly Answer[], counted, removals, kept };
}

/** Of parts: whether no click that they ask for is past retention. */
function findKept(parts: readonly Part[]): Statement<readonly boolean[]> {
  const columns = parts.map(
    ({ question: { workspaceId, range } }, index) =>
      sql`, ${isComplete(workspaceId, [toMultirange([range])])} AS ${sql.identifier(`kept_${index}`)}`,
  );
  return {
    query: sql`SELECT 1 AS one${sql.join(columns, sql``)}`,
    read: ([row = {}]) => parts.map((_part, index) => row[`kept_${index}`] === true),
  };
}

/** Whether the rollups have all that a part asks, and few rows of it: numbers of clicks by domain and class, of all or some links, in whole quarters of an hour. */
function isRolledUp(part: Part): boolean {
  if (part.kind === "clicks" || part.visitors === true) {
    return false;
  }
  const { range, filters } = part.question;
  const dimension = part.kind === "series" ? undefined : part.dimension;
  const edges = [
    range.fromMs,
    range.toMs,
    ...(part.startsMs ?? []).filter((startMs) => startMs > range.fromMs),
  ];
  return isQuickInRollups({ filters, dimension }) && edges.every((edgeMs) => edgeMs % QUARTER_MS === 0);
}

type Run = (query: Query) => Promise<readonly ClickHouseRow[]>;

const COMPLETE: Completeness = { complete: true, completeUntilMs: null };

async function askClickHouse(parts: readonly Part[], scope: Scope, run: Run): Promise<readonly Answer[]> {
  const lists = parts.filter((part) => part.kind !== "clicks");
  const counted = lists.length === 0 ? [] : run(countLists(lists, scope));
  return Promise.all(
    parts.map(async (part): Promise<Answer> => {
      if (part.kind === "clicks") {
        return { clicks: readClicks(await listNewest(part, scope, run)), ...COMPLETE };
      }
      const rows = rowsOfList(await counted, lists.indexOf(part));
      return part.kind === "series"
        ? { points: withoutVisitors(part, readSeries(rows, part.startsMs)), ...COMPLETE }
        : { ...readValues(rows, part), ...COMPLETE };
    }),
  );
}

function withoutVisitors({ visitors }: SeriesPart, points: Series["points"]): Series["points"] {
  return visitors ? points : points.map(({ clicks }) => ({ clicks, visitors: null }));
}

/** How far a list goes back at first: most pages end there. Each further step is that many times as long. */
const FIRST_STEP_MS = 2 * QUARTER_MS;
const STEP_GROWTH = 32;

/** The newest clicks first: few questions have to go further back. */
async function listNewest(part: ClicksPart, scope: Scope, run: Run): Promise<readonly ClickHouseRow[]> {
  const { question, after, limit } = part;
  const { fromMs, toMs } = question.range;
  const nowMs = (scope.reading.newestS + (2 * QUARTER_MS) / 1_000) * 1_000;
  const endMs = Math.min(toMs, nowMs, after === null ? Infinity : Number(after.atUs) / 1_000 + 1);
  for (let stepMs = FIRST_STEP_MS; ; stepMs *= STEP_GROWTH) {
    const startMs = Math.max(fromMs, endMs - stepMs);
    const range = { fromMs: Math.min(startMs, toMs - 1), toMs };
    const rows = await run(listClicks({ ...part, question: { ...question, range } }, scope));
    if (rows.length >= limit || startMs === fromMs) {
      return rows;
    }
  }
}

/** The quarters of an hour, epoch seconds in order, that differ from what was counted: with FINAL those that are read so, or all others. */
async function findDifferent(
  { workspaceId, range }: Asked,
  reading: Reading,
  isFinal: boolean,
  { clickHouse, database }: ClickHouseEngineDeps,
): Promise<readonly number[]> {
  const [counted] = await readSnapshot(database, [findQuarters(workspaceId, range)]);
  const rows = await clickHouse.select(selectQuarters(reading, isFinal), {}, database.timeoutMs);
  const isRead = (start: number) => (start >= reading.newestS || reading.finalS.includes(start)) === isFinal;
  const own = new Map([...counted].filter(([start]) => isRead(start)));
  return differentQuarters(own, toQuarters(rows), reading.newestS);
}

/** Of the parts whose ranges go further. What the rollups answered is complete. */
function limitTo(untilMs: number, parts: readonly Part[], answers: readonly Answer[]): readonly Answer[] {
  return answers.map((answer, index) => {
    const part = parts[index];
    return part === undefined || isRolledUp(part) || part.question.range.toMs <= untilMs
      ? answer
      : { ...answer, complete: false, completeUntilMs: untilMs };
  });
}

/** A question of fewer is too late only while ClickHouse is overloaded: the caller has to come back, and not to ask for less. */
const WIDE_CLICKS = 10_000_000;

function explain(error: unknown, { clicks }: Reading): never {
  const isTooLate = error instanceof ClickHouseFailure && error.type === "TIMEOUT_EXCEEDED";
  throw isTooLate && clicks > WIDE_CLICKS ? new TooWideError() : error;
}

/** Labels of links and domains are in Postgres. */
async function addLabels(
  parts: readonly Part[],
  answers: readonly Answer[],
  { database }: ClickHouseEngineDeps,
): Promise<readonly Answer[]> {
  const isLabelled = (part: Part | undefined): part is BreakdownPart =>
    part?.kind === "breakdown" && (part.dimension === "link" || part.dimension === "domain");
  const ids = answers.flatMap((answer, index) =>
    isLabelled(parts[index]) && "values" in answer ? answer.values.flatMap(({ value }) => value ?? []) : [],
  );
  if (ids.length === 0) {
    return answers;
  }
  const [labels] = await readSnapshot(database, [findLabels([...new Set(ids)])]);
  return answers.map((answer, index) =>
    isLabelled(parts[index]) && "values" in answer
      ? {
          ...answer,
          values: answer.values.map((one) => ({ ...one, label: labels.get(one.value ?? "") ?? null })),
        }
      : answer,
  );
}
