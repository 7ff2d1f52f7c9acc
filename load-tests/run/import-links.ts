/**
 * Makes the data set's links as a customer would: through the API, 500 a request, on the demo data's workspace and
 * domain.
 *
 * `links/bulk` and not `links/import`: bulk publishes what it makes, so the run begins with every link in KV. Imported
 * links are left for Postgres to find at their first click, and the first minute would measure that instead.
 */
import { setTimeout as delay } from "node:timers/promises";

import { Failure } from "@hopline/local/console/failure";
import type { WorkerRuntime } from "@hopline/local/runtime/worker-runtime";
import type { Pool } from "pg";

import { destinationOf, slugOf } from "../script/targets.ts";

export type ImportOptions = {
  readonly baseUrl: string;
  /** With links:write. */
  readonly apiKey: string;
  readonly database: Pool;
  readonly runtime: Pick<WorkerRuntime, "dispatchScheduled">;
  readonly linkCount: number;
  readonly signal: AbortSignal;
};

export type Imported = {
  readonly seconds: number;
  /** Links that the API made but could not publish in time, and that its scheduled job published instead. */
  readonly publishedByJob: number;
};

/** As many as `links/bulk` takes. */
const LINKS_A_REQUEST = 500;
/** A publisher writes six links to KV at a time and has six seconds for them: more requests would only share that. */
const REQUESTS_AT_ONCE = 3;
const REQUEST_TIMEOUT_MS = 60_000;
/** The job takes 900 a run. A link that is not out after so many runs never will be. */
const MAX_JOB_RUNS = 60;
const JOB_PAUSE_MS = 1_000;

const COUNT_UNPUBLISHED = `
  SELECT count(*)::int AS unpublished FROM link_outbox WHERE published_at IS NULL`;

/** Resolves when all links are committed and published. Rejects with a `Failure` when one of them can't be. */
export async function importLinks(options: ImportOptions): Promise<Imported> {
  const startedAtMs = performance.now();
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < options.linkCount) {
      const first = next;
      next += LINKS_A_REQUEST;
      await createLinks(first, Math.min(LINKS_A_REQUEST, options.linkCount - first), options);
    }
  };
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, work));
  const publishedByJob = await publishRest(options);
  return { seconds: Math.round((performance.now() - startedAtMs) / 100) / 10, publishedByJob };
}

async function createLinks(
  first: number,
  count: number,
  { baseUrl, apiKey, signal }: ImportOptions,
): Promise<void> {
  const items = Array.from({ length: count }, (_, offset) => ({
    slug: slugOf(first + offset),
    url: destinationOf(first + offset),
  }));
  const response = await fetch(`${baseUrl}/api/v1/links/bulk`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ items, atomic: true }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
  });
  const answer: unknown = await response.json();
  const created =
    typeof answer === "object" && answer !== null && "created" in answer ? answer.created : null;
  if (created !== count) {
    const said = JSON.stringify(answer).slice(0, 200);
    throw new Failure(
      `The API was to make ${count} links from ${slugOf(first)} on, and answered ${response.status}: ${said}`,
    );
  }
}

/** What the requests could not publish is the scheduled job's, which nobody else starts here. */
async function publishRest({ database, runtime, signal }: ImportOptions): Promise<number> {
  const before = await countUnpublished(database);
  let left = before;
  for (let run = 0; left > 0; run += 1) {
    if (run === MAX_JOB_RUNS) {
      throw new Failure(`${left} links are still not in KV after ${run} runs of the scheduled job.`);
    }
    signal.throwIfAborted();
    await runtime.dispatchScheduled("hopline-api", "* * * * *");
    left = await countUnpublished(database);
    // A link whose request may still be at work is not due yet.
    await delay(left > 0 ? JOB_PAUSE_MS : 0);
  }
  return before;
}

async function countUnpublished(database: Pool): Promise<number> {
  const { rows } = await database.query<{ unpublished: number }>(COUNT_UNPUBLISHED);
  return rows[0]?.unpublished ?? 0;
}
