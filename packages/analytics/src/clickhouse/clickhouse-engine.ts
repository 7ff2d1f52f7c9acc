/**
 * Postgres answers what it has pre-aggregated: that costs the same however many clicks there are. What takes single clicks is
 * answered from ClickHouse on sealed days, from Postgres on all others, and both are added up. Numbers of different days can be added,
 * visitors too: the key of their hash changes with the UTC day.
 *
 * What is sealed is decided once for all parts. ClickHouse's answers say what their days hold: a day that holds something else than was
 * sealed is asked of Postgres.
 */
import {
  type ClickHouse,
  ClickHouseFailure,
  type ClickHouseRow,
} from "@hopline/clickhouse/clickhouse-client";
import type { WantedDays } from "@hopline/clickhouse/day-fingerprint";
import {
  type AnswersOf,
  type Breakdown,
  type BreakdownPart,
  type ClickList,
  type ClicksPart,
  type Counts,
  type Engine,
  leastComplete,
  type Part,
  type Series,
  type SeriesPart,
  TooWideError,
} from "../engine.ts";
import {
  answerBeside,
  type ClickNeeds,
  createPostgresEngine,
  findClickNeeds,
  mayBeCounted,
} from "../postgres/postgres-engine.ts";
import { readSnapshot, type SnapshotDatabase } from "../postgres/snapshot.ts";
import { findLabels, type Names, readNames } from "./names.ts";
import {
  type Days,
  findDays,
  keepUnchanged,
  newestDays,
  rangesOf,
  sealedOf,
  wantedDaysOf,
} from "./sealed-days.ts";
import {
  countLists,
  groupLists,
  listClicks,
  type Query,
  readClicks,
  readSeries,
  readValues,
  rowsOfList,
} from "./statements.ts";

export type ClickHouseEngineDeps = {
  readonly clickHouse: ClickHouse;
  readonly database: SnapshotDatabase;
  /** ClickHouse failed, and Postgres answers everything. */
  readonly onFailure: (failure: ClickHouseFailure) => void;
};

/** With more holes than this, Postgres answers everything: every hole is a question to it. */
const MAX_HOLES = 12;
/** The first finds days that are not what was sealed. */
const MAX_ROUNDS = 3;
/** For what is pre-aggregated. Over years of very many links, ClickHouse counts the clicks sooner. */
const COUNTED_TIMEOUT_MS = 1_000;
/** Of Postgres' part of a breakdown: all values, so that the largest sums can be found. */
const ALL_VALUES = 1_000_000;

export function createClickHouseEngine(deps: ClickHouseEngineDeps): Engine {
  return {
    answer: async <const Parts extends readonly Part[]>(parts: Parts) =>
      (await answerParts(parts, deps)) as unknown as AnswersOf<Parts>,
  };
}

async function answerParts(parts: readonly Part[], deps: ClickHouseEngineDeps): Promise<readonly object[]> {
  const { database } = deps;
  const [first, ...more] = parts;
  if (first === undefined) {
    return [];
  }
  const wanted = wantedDaysOf([first.question, ...more.map(({ question }) => question)]);
  let isTooWide = false;
  if (parts.every(mayBeCounted)) {
    const quick = { ...database, timeoutMs: Math.min(database.timeoutMs, COUNTED_TIMEOUT_MS) };
    const counted = await answerBeside(quick, [first, ...more], (needs) => [findDays(wanted, needs)]).catch(
      nullIfTooWide,
    );
    if (counted?.beside.every((days) => parts.every((_part, index) => isCounted(index, days)))) {
      return counted.answers;
    }
    isTooWide = counted === null;
  }
  const needs = isTooWide ? EVERYTHING : findClickNeeds(parts);
  const postgres = createPostgresEngine(database);
  try {
    const [[found], names] = await Promise.all([
      readSnapshot(database, [findDays(wanted, needs)]),
      readNames(database, wanted.workspaceId, parts),
    ]);
    let days = found;
    for (let round = 0; round < MAX_ROUNDS && sealedOf(days).length > 0; round += 1) {
      const plans = parts.map((part, index) => planPart(part, index, days));
      if (plans.some(({ rest }) => rest.length > MAX_HOLES) || plans.every(({ isWhole }) => isWhole)) {
        break;
      }
      const { answers, unchanged } = await answerPlans(plans, { wanted, days, names, postgres }, deps);
      if (unchanged.length === days.length && sealedOf(unchanged).length === sealedOf(days).length) {
        return await addLabels(parts, answers, deps);
      }
      days = unchanged;
    }
  } catch (error) {
    if (!(error instanceof ClickHouseFailure)) {
      throw error;
    }
    if (error.type === "TIMEOUT_EXCEEDED") {
      throw new TooWideError();
    }
    deps.onFailure(error);
  }
  return postgres.answer(parts);
}

/** Then no part counts as pre-aggregated. */
const EVERYTHING: ClickNeeds = { clickSpans: [], days: null };

/** Whether Postgres has pre-aggregated all that a part asks of the sealed days. */
function isCounted(index: number, days: Days): boolean {
  return sealedOf(days).every((day) => day.isCounted[index] === true);
}

function nullIfTooWide(error: unknown): null {
  if (error instanceof TooWideError) {
    return null;
  }
  throw error;
}

/** `rest`: the same part over what Postgres has to answer; `isWhole`: that is all of it. */
type Plan = { readonly part: Part; readonly rest: readonly Part[]; readonly isWhole: boolean };

function planPart(part: Part, index: number, days: Days): Plan {
  if (isCounted(index, days)) {
    return { part, rest: [part], isWhole: true };
  }
  const rest = rangesOf(false, part.question.range, days).map((range): Part => {
    const question = { ...part.question, range };
    return part.kind === "breakdown" ? { ...part, question, limit: ALL_VALUES } : { ...part, question };
  });
  return { part, rest, isWhole: false };
}

type Answer = Series | Breakdown | ClickList;
type Known = {
  readonly wanted: WantedDays;
  readonly days: Days;
  readonly names: Names;
  readonly postgres: Engine;
};

/** `unchanged`: the days, sealed only if each answer found in them what was sealed, and those that only ClickHouse has. */
type Found = { readonly answers: readonly Answer[]; readonly unchanged: Days };

async function answerPlans(
  plans: readonly Plan[],
  { wanted, days, names, postgres }: Known,
  { clickHouse, database }: ClickHouseEngineDeps,
): Promise<Found> {
  const restParts = plans.flatMap(({ rest }) => rest);
  const restAnswers: readonly Answer[] = restParts.length === 0 ? [] : await postgres.answer(restParts);
  const restOfPart = new Map(restParts.map((part, index) => [part, restAnswers[index]]));
  const asked = plans.map(({ part, rest, isWhole }) => {
    return { part, isWhole, others: rest.flatMap((one) => restOfPart.get(one) ?? []) };
  });
  const scope = { names, days, wanted };
  let unchanged = days;
  const run = async ({ text, parameters }: Query) => {
    const rows = await clickHouse.select(text, parameters, database.timeoutMs);
    unchanged = keepUnchanged(
      unchanged,
      rows.filter(({ day }) => day !== ""),
    );
    return rows.filter(({ day }) => day === "");
  };
  const lists = asked.flatMap(({ part, isWhole, others }) =>
    isWhole || part.kind === "clicks"
      ? []
      : [{ part, breakdowns: others.filter((answer) => "values" in answer) }],
  );
  const rowsOf = new Map(
    groupLists(lists).flatMap((together) => {
      const rows = run(countLists(together, scope));
      return together.map(({ part }, index) => [part, rows.then((all) => rowsOfList(all, index))] as const);
    }),
  );
  const answers = await Promise.all(
    asked.map(async ({ part, isWhole, others }): Promise<Answer> => {
      const [whole] = others;
      if (whole !== undefined && isWhole) {
        return whole;
      }
      const completeness = leastComplete(others);
      if (part.kind === "clicks") {
        const rows = await listNewest(part, days, (newest) =>
          run(listClicks(part, { ...scope, days: newest })),
        );
        const clicks = mergeClicks(part, [{ clicks: readClicks(rows), ...completeness }, ...others]);
        return { clicks, ...completeness };
      }
      const rows = (await rowsOf.get(part)) ?? [];
      return part.kind === "series"
        ? { points: addPoints(part, rows, others), ...completeness }
        : { ...readValues(rows, part), ...completeness };
    }),
  );
  return { answers, unchanged };
}

/** The newest days first: few questions have to go further back. */
async function listNewest(
  { question, after, limit }: ClicksPart,
  days: Days,
  list: (days: Days) => Promise<readonly ClickHouseRow[]>,
): Promise<readonly ClickHouseRow[]> {
  const { fromMs, toMs } = question.range;
  const untilMs = Math.min(toMs, after === null ? Infinity : Number(after.atUs) / 1_000 + 1);
  let rows: readonly ClickHouseRow[] = [];
  for (const newest of newestDays(days, { fromMs, toMs: untilMs })) {
    rows = await list(newest);
    if (rows.length >= limit) {
      break;
    }
  }
  return rows;
}

function addPoints(
  { startsMs, visitors }: SeriesPart,
  rows: readonly ClickHouseRow[],
  others: readonly Answer[],
): readonly Counts[] {
  const series = others.filter((answer) => "points" in answer);
  return readSeries(rows, startsMs).map((own, index) => {
    const counts = [own, ...series.flatMap(({ points }) => points[index] ?? [])];
    return {
      clicks: counts.reduce((sum, { clicks }) => sum + clicks, 0),
      visitors: visitors ? counts.reduce((sum, one) => sum + (one.visitors ?? 0), 0) : null,
    };
  });
}

function mergeClicks({ limit }: ClicksPart, answers: readonly Answer[]): ClickList["clicks"] {
  const clicks = answers.flatMap((answer) => ("clicks" in answer ? answer.clicks : []));
  const isNewer = (one: (typeof clicks)[number], other: (typeof clicks)[number]): number =>
    Number(BigInt(other.atUs) - BigInt(one.atUs)) || (one.eventId < other.eventId ? 1 : -1);
  return clicks.toSorted(isNewer).slice(0, limit);
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
