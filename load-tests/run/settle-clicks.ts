/** Waits until every click has come to rest, and counts what the database has of them. */
import { setTimeout as delay } from "node:timers/promises";

import type { WorkerRuntime } from "@hopline/local/worker-runtime";
import type { Pool } from "pg";

import type { StoredClicks } from "./verdict.ts";

const DRAIN_TIMEOUT_MS = 180_000;
/** A batch has left its queue before it is written, and a failed one comes back after its delay. */
const QUIET_MS = 5_000;
const SETTLE_TIMEOUT_MS = 120_000;
const POLL_MS = 500;

const COUNT_SETTLED = `
  SELECT COALESCE(sum(inserted + rejected + dead_lettered), 0)::float8 AS settled FROM segment_ledger`;

/** What a sequence number that stands in no ledger row was: accepted at the edge, and gone. */
const COUNT_STORED = `
  SELECT
    (SELECT count(*) FROM click_events)::float8 AS events,
    (SELECT count(DISTINCT event_id) FROM click_events)::float8 AS distinct_events,
    (SELECT COALESCE(sum(clicks), 0) FROM click_rollups)::float8 AS rolled_up,
    ledger.*,
    (SELECT count(*) FROM dead_letters)::float8 AS dead_letters
  FROM (
    SELECT COALESCE(sum(inserted), 0)::float8 AS inserted, COALESCE(sum(duplicates), 0)::float8 AS duplicates,
      COALESCE(sum(rejected), 0)::float8 AS rejected, count(*)::float8 AS segments,
      count(DISTINCT isolate_id)::float8 AS isolates
    FROM segment_ledger
  ) ledger`;

const COUNT_MISSING = `
  SELECT COALESCE(sum(last_sequence - arrived), 0)::float8 AS missing
  FROM (
    SELECT max(first_sequence + click_count - 1) AS last_sequence, sum(click_count) AS arrived
    FROM segment_ledger GROUP BY isolate_id
  ) isolate`;

/** Resolves when `expected` clicks are settled, or when nothing has changed for a while: then they never will be. */
export async function settleClicks(
  { runtime, database }: { readonly runtime: WorkerRuntime; readonly database: Pool },
  expected: number,
  signal: AbortSignal,
): Promise<StoredClicks> {
  await runtime.drain(DRAIN_TIMEOUT_MS);
  const endsAtMs = performance.now() + SETTLE_TIMEOUT_MS;
  let last = -1;
  let changedAtMs = performance.now();
  for (;;) {
    signal.throwIfAborted();
    const settled = Number((await readRow(database, COUNT_SETTLED))["settled"]);
    const nowMs = performance.now();
    if (settled !== last) {
      last = settled;
      changedAtMs = nowMs;
    }
    if (settled === expected || nowMs - changedAtMs >= QUIET_MS || nowMs >= endsAtMs) {
      break;
    }
    await delay(POLL_MS);
  }
  return countStored(database);
}

async function countStored(database: Pool): Promise<StoredClicks> {
  const stored = await readRow(database, COUNT_STORED);
  const { missing } = await readRow(database, COUNT_MISSING);
  return {
    events: Number(stored["events"]),
    distinctEvents: Number(stored["distinct_events"]),
    rolledUp: Number(stored["rolled_up"]),
    inserted: Number(stored["inserted"]),
    duplicates: Number(stored["duplicates"]),
    rejected: Number(stored["rejected"]),
    deadLetters: Number(stored["dead_letters"]),
    missing: Number(missing),
    segments: Number(stored["segments"]),
    isolates: Number(stored["isolates"]),
  };
}

async function readRow(database: Pool, statement: string): Promise<Readonly<Record<string, unknown>>> {
  const result = await database.query<Record<string, unknown>>(statement);
  return result.rows[0] ?? {};
}
