/** Waits until every click is settled, and counts what the database has of them. */
import { setTimeout as delay } from "node:timers/promises";

import { type ClickRange, findLedgerTotals, findOldestDay } from "@hopline/db/ledger/find-ledger-totals";
import type { RunSql } from "@hopline/db/neon-client";
import { toStatement } from "@hopline/db/sql";
import { reconcile, widenToBuckets } from "@hopline/db/ledger/reconcile";
import type { WorkerRuntime } from "@hopline/testkit/runtime/worker-runtime";
import type { Pool } from "pg";

import type { StoredClicks } from "./verdict.ts";

const DRAIN_TIMEOUT_MS = 180_000;
/** A batch leaves its queue before it is written, and a failed one returns after its delay. */
const QUIET_MS = 5_000;
const SETTLE_TIMEOUT_MS = 120_000;
/** Cloudflare's queues and the consumer of a deployment take longer than the local ones, and nobody can ask whether they are empty. */
const QUIET_AFAR_MS = 60_000;
const SETTLE_AFAR_TIMEOUT_MS = 900_000;
const POLL_MS = 500;
const COUNT_TIMEOUT_MS = 120_000;

const COUNT_SETTLED = `
  SELECT COALESCE(sum(inserted + rejected), 0)::float8 AS settled FROM segment_ledger
  WHERE first_clicked_at >= $1 AND first_clicked_at < $2`;

/** Beside what reconcile says, and without its code: every row of these quarters of an hour is the run's. */
const COUNT_EVENTS = `
  SELECT count(*)::float8 AS events, count(DISTINCT event_id)::float8 AS distinct_events,
    (SELECT COALESCE(sum(clicks), 0) FROM click_rollups
      WHERE bucket_start >= $1 AND bucket_start < $2)::float8 AS rolled_up,
    (SELECT COALESCE(percentile_cont(0.95) WITHIN GROUP (ORDER BY queue_delay_ms), 0)
      FROM segment_ledger WHERE first_clicked_at >= $1 AND first_clicked_at < $2)::float8 AS delay_p95_ms
  FROM click_events WHERE clicked_at >= $1 AND clicked_at < $2`;

/** Epoch milliseconds, widened to whole quarters of an hour; `null`: since the first click, and until now. */
export type Period = { readonly sinceMs: number | null; readonly untilMs: number | null };
const ALWAYS: Period = { sinceMs: null, untilMs: null };

export type SettleOptions = {
  /** `null`: a deployment, whose queues can only be waited for. */
  readonly runtime: WorkerRuntime | null;
  /** Of a deployment, when the run was. */
  readonly period?: Period;
  readonly database: Pool;
  /** What the database held before the run; `null`: nothing. */
  readonly before: StoredClicks | null;
  /** Clicks of the run; `null`: not known, so they are settled when nothing has changed for a while. */
  readonly expected: number | null;
  readonly signal: AbortSignal;
};

/**
 * Resolves to what the run has added, when its clicks are settled, or when nothing has changed for a while: then they
 * never will be. `isolates`, `delayP95Ms` and `addsUp` are those of all runs so far.
 */
export async function settleClicks(options: SettleOptions): Promise<StoredClicks> {
  const { runtime, database, before, period = ALWAYS, signal } = options;
  const quietMs = runtime === null ? QUIET_AFAR_MS : QUIET_MS;
  const expected =
    options.expected === null
      ? null
      : options.expected + (before === null ? 0 : before.inserted + before.rejected + before.deadLetters);
  await runtime?.drain(DRAIN_TIMEOUT_MS);
  const endsAtMs = performance.now() + (runtime === null ? SETTLE_AFAR_TIMEOUT_MS : SETTLE_TIMEOUT_MS);
  let last = -1;
  let changedAtMs = performance.now();
  for (;;) {
    signal.throwIfAborted();
    const range = toRange(await findRange(database, period));
    const settled = Number((await readRow(database, COUNT_SETTLED, range))["settled"]);
    const nowMs = performance.now();
    if (settled !== last) {
      last = settled;
      changedAtMs = nowMs;
    }
    if (settled === expected || nowMs - changedAtMs >= quietMs || nowMs >= endsAtMs) {
      break;
    }
    await delay(POLL_MS);
  }
  return withoutBefore(await countStored(database, period), before);
}

/** What the database holds of all runs of a period. */
export async function countStored(database: Pool, period: Period = ALWAYS): Promise<StoredClicks> {
  const range = await findRange(database, period);
  const totals = await findLedgerTotals(toRunSql(database), range, COUNT_TIMEOUT_MS);
  const { addsUp, missing } = reconcile(totals);
  const counted = await readRow(database, COUNT_EVENTS, toRange(range));
  return {
    events: Number(counted["events"]),
    distinctEvents: Number(counted["distinct_events"]),
    rolledUp: Number(counted["rolled_up"]),
    inserted: totals.inserted,
    duplicates: totals.duplicates,
    rejected: totals.rejected,
    deadLetters: totals.openLetters,
    missing,
    segments: totals.segments,
    isolates: totals.isolates,
    delayP95Ms: Math.round(Number(counted["delay_p95_ms"])),
    addsUp,
  };
}

async function findRange(database: Pool, { sinceMs, untilMs }: Period): Promise<ClickRange> {
  const since = sinceMs ?? (await findOldestDay(toRunSql(database), COUNT_TIMEOUT_MS)) ?? Date.now();
  return widenToBuckets(since, untilMs ?? Date.now());
}

function toRange({ sinceMs, untilMs }: ClickRange): readonly Date[] {
  return [new Date(sinceMs), new Date(untilMs)];
}

function toRunSql(database: Pool): RunSql {
  return async (statement) => {
    const { text, parameters } = toStatement(statement);
    return (await database.query<Record<string, unknown>>(text, [...parameters])).rows;
  };
}

function withoutBefore(now: StoredClicks, before: StoredClicks | null): StoredClicks {
  if (before === null) {
    return now;
  }
  const added = COUNTS.map((name) => [name, now[name] - before[name]] as const);
  return { ...now, ...Object.fromEntries(added) };
}

const COUNTS = [
  "events",
  "distinctEvents",
  "rolledUp",
  "inserted",
  "duplicates",
  "rejected",
  "deadLetters",
  "missing",
  "segments",
] as const;

async function readRow(
  database: Pool,
  statement: string,
  range: readonly Date[],
): Promise<Readonly<Record<string, unknown>>> {
  const result = await database.query<Record<string, unknown>>(statement, [...range]);
  return result.rows[0] ?? {};
}
