/**
 * Imports the data set as a customer coming from another product would: as CSV, into the demo data's workspace and domain.
 * Cold links are left as the import leaves them; otherwise their records are put into KV before the first visit, and the
 * time that takes is not the import's.
 */
import { Failure } from "@hopline/testkit/console/failure";
import type { WorkerRuntime } from "@hopline/testkit/runtime/worker-runtime";
import type { Pool } from "pg";

import { destinationOf, slugOf } from "../script/targets.ts";

export type ImportOptions = {
  readonly baseUrl: string;
  /** With links:write. */
  readonly apiKey: string;
  readonly database: Pool;
  readonly runtime: Pick<WorkerRuntime, "postTo">;
  readonly linkCount: number;
  readonly isCold: boolean;
  readonly signal: AbortSignal;
};

/** Seconds of the wall clock, to a tenth. */
export type Imported = {
  /** From the file to the API's report: all links committed, and their change announced. */
  readonly seconds: number;
  /** After that, all of them in the simulated KV; `null` where links are cold. */
  readonly kvSeconds: number | null;
};

/** `links/import` accepts 20 MB. */
const LINKS_A_FILE = 100_000;
const REQUEST_TIMEOUT_MS = 120_000;
/** About a megabyte of records. */
const RECORDS_A_POST = 2_000;
/** The name in load-tests/kv-filler/wrangler.jsonc. */
const KV_FILLER = "hopline-kv-filler";

const LIST_RECORDS = `
  SELECT domains.host || '/' || links.slug AS key, links.record, links.version::int AS version
  FROM links JOIN domains ON domains.id = links.domain_id WHERE links.slug = ANY($1)`;

/** Resolves when all links are committed, and in KV unless they are cold. Rejects with a `Failure` when one of them could not be. */
export async function importLinks(options: ImportOptions): Promise<Imported> {
  const startedAtMs = performance.now();
  for (let first = 0; first < options.linkCount; first += LINKS_A_FILE) {
    await sendFile(first, Math.min(LINKS_A_FILE, options.linkCount - first), options);
  }
  const importedAtMs = performance.now();
  const seconds = toSeconds(importedAtMs - startedAtMs);
  if (options.isCold) {
    return { seconds, kvSeconds: null };
  }
  await fillKv(options);
  return { seconds, kvSeconds: toSeconds(performance.now() - importedAtMs) };
}

async function sendFile(
  first: number,
  count: number,
  { baseUrl, apiKey, signal }: ImportOptions,
): Promise<void> {
  const lines = Array.from({ length: count }, (_, offset) =>
    [slugOf(first + offset), destinationOf(first + offset)].join(","),
  );
  const response = await fetch(`${baseUrl}/api/v1/links/import`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "text/csv" },
    body: ["slug,url", ...lines].join("\n"),
    signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
  });
  const text = await response.text();
  if (!response.ok || (JSON.parse(text) as { readonly created?: unknown }).created !== count) {
    throw new Failure(
      `The API did not import ${count} links from ${slugOf(first)} on; it answered ${response.status}: ${text.slice(0, 200)}`,
    );
  }
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
