/**
 * Imports the data set and puts its records into KV before the first visit, for runs that measure redirects and not 20,000
 * first visits. The time that takes is not the import's. A cold run imports in its script: `load-tests/redirect.ts`.
 */
import { Failure } from "@hopline/testkit/console/failure";
import type { WorkerRuntime } from "@hopline/testkit/runtime/worker-runtime";
import type { Pool } from "pg";

import { slugOf, toCsv } from "../script/targets.ts";

export type ImportOptions = {
  readonly baseUrl: string;
  /** With links:write. */
  readonly apiKey: string;
  readonly database: Pool;
  readonly runtime: Pick<WorkerRuntime, "postTo">;
  readonly linkCount: number;
  readonly signal: AbortSignal;
};

/** Seconds of the wall clock, to a tenth. */
export type Imported = {
  /** From the file to the API's report: all links committed, and their change announced. */
  readonly seconds: number;
  /** After that, all of them in the simulated KV; `null` where links are cold. */
  readonly kvSeconds: number | null;
};

const REQUEST_TIMEOUT_MS = 120_000;
/** About a megabyte of records. */
const RECORDS_A_POST = 2_000;
/** The name in load-tests/kv-filler/wrangler.jsonc. */
const KV_FILLER = "hopline-kv-filler";

const LIST_RECORDS = `
  SELECT domains.host || '/' || links.slug AS key, links.record, links.version::int AS version
  FROM links JOIN domains ON domains.id = links.domain_id WHERE links.slug = ANY($1)`;

/** Resolves when all links are committed and in KV. Rejects with a `Failure` when one of them could not be. */
export async function importLinks(options: ImportOptions): Promise<Imported> {
  const { baseUrl, apiKey, linkCount, signal } = options;
  const startedAtMs = performance.now();
  const response = await fetch(`${baseUrl}/api/v1/links/import`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "text/csv" },
    body: toCsv(linkCount),
    signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
  });
  const text = await response.text();
  if (!response.ok || !text.includes(`"created":${linkCount},`)) {
    throw new Failure(
      `The API did not import ${linkCount} links; it answered ${response.status}: ${text.slice(0, 200)}`,
    );
  }
  const importedAtMs = performance.now();
  await fillKv(options);
  return {
    seconds: toSeconds(importedAtMs - startedAtMs),
    kvSeconds: toSeconds(performance.now() - importedAtMs),
  };
}

async function fillKv({ database, runtime, linkCount, signal }: ImportOptions): Promise<void> {
  const slugs = Array.from({ length: linkCount }, (_, index) => slugOf(index));
  const { rows } = await database.query<{ key: string; record: string; version: number }>(LIST_RECORDS, [
    slugs,
  ]);
  if (rows.length < linkCount) {
    throw new Failure(`Of ${linkCount} imported links the database has ${rows.length}.`);
  }
  for (let first = 0; first < rows.length; first += RECORDS_A_POST) {
    signal.throwIfAborted();
    const records = rows.slice(first, first + RECORDS_A_POST);
    const values = records.map(({ key, record, version }) => [key, record, version]);
    await runtime.postTo(KV_FILLER, JSON.stringify(values));
  }
}

function toSeconds(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10;
}
