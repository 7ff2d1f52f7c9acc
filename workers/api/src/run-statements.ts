/** Runs statements in one snapshot, with the deadline of analytics; and asks the analytics engine. */
import { createClickHouseEngine } from "@hopline/analytics/clickhouse/clickhouse-engine";
import {
  type AnswersOf,
  type Engine,
  type Part,
  TooWideError,
  WrongEngineError,
} from "@hopline/analytics/engine";
import { createPostgresEngine } from "@hopline/analytics/postgres/postgres-engine";
import { readSnapshot, type SnapshotDatabase, type Statement } from "@hopline/analytics/postgres/snapshot";
import { ClickHouseFailure } from "@hopline/clickhouse/clickhouse-client";
import type { CountingMode } from "@hopline/db/ingest/count-clicks";
import { type FieldError, ProblemError } from "./http/problem.ts";
import { type Database, toRunTransaction } from "./database.ts";
import { logToConsole } from "./log.ts";

/** Where clicks were counted when this isolate last asked. */
let lastMode: CountingMode = "postgres";

/**
 * Throws `ProblemError` query_too_wide if answering takes too long, and database_unavailable if clicks are counted in ClickHouse and that
 * does not answer.
 */
export async function ask<const Parts extends readonly Part[]>(
  database: Database,
  parts: Parts,
): Promise<AnswersOf<Parts>> {
  const withVisitors = parts.some((part) => "visitors" in part && part.visitors);
  const askIn = (mode: CountingMode) =>
    createEngine(mode, database)
      .answer(parts)
      .catch(explain(withVisitors ? HOW_TO_NARROW_VISITORS : HOW_TO_NARROW));
  const mode = database.clickHouse === null ? "postgres" : lastMode;
  try {
    return await askIn(mode);
  } catch (error) {
    if (!(error instanceof WrongEngineError)) {
      throw error;
    }
  }
  lastMode = mode === "postgres" ? "clickhouse" : "postgres";
  return askIn(lastMode);
}

function createEngine(mode: CountingMode, of: Database): Engine {
  const { clickHouse } = of;
  const database = toSnapshotDatabase(of);
  if (mode === "postgres") {
    return createPostgresEngine(database);
  }
  if (clickHouse === null) {
    throw toUnavailable("CLICKHOUSE_URL is missing");
  }
  return createClickHouseEngine({ clickHouse, database });
}

function toUnavailable(reason: string): ProblemError {
  logToConsole({ event: "clickhouse.failed", reason });
  return new ProblemError("database_unavailable");
}

/** Throws `ProblemError` query_too_wide after the deadline. */
export async function runStatements<const All extends readonly Statement<unknown>[]>(
  database: Database,
  all: All,
): ReturnType<typeof readSnapshot<All>> {
  return readSnapshot(toSnapshotDatabase(database), all).catch(explain(HOW_TO_NARROW));
}

function toSnapshotDatabase(database: Database): SnapshotDatabase {
  return { timeoutMs: database.analyticsTimeoutMs, runTransaction: toRunTransaction(database) };
}

type Hints = readonly FieldError[];

function explain(hints: Hints) {
  return (error: unknown): never => {
    if (error instanceof ClickHouseFailure) {
      throw toUnavailable(error.name);
    }
    throw error instanceof TooWideError ? new ProblemError("query_too_wide", hints) : error;
  };
}

const HOW_TO_NARROW: Hints = [
  {
    path: "from",
    message: "covers too many clicks: ask for a shorter range, or split it and add up the answers",
  },
  {
    path: "link",
    message:
      "are too many: ask for fewer links, or with fewer filters. Totals by link, domain, tag and class are pre-aggregated, and so is each dimension by one filter on links, tags, countries, referrers, browsers, systems or devices",
  },
];

const HOW_TO_NARROW_VISITORS: Hints = [
  {
    path: "visitors",
    message:
      "take too long: ask without visitors, or for pre-aggregated ones: humans or all classes, of the workspace, one link or one country, by day or longer; by dimension, the workspace by country or link",
  },
  {
    path: "from",
    message:
      "covers too many clicks: ask for a shorter range, or split it at midnight UTC and add up the answers",
  },
];
