/**
 * Imports the data set and waits until the API's publishing queue has all of it in KV, for runs that measure redirects and
 * not 20,000 first visits. A cold run imports in its script: `load-tests/redirect.ts`.
 */
import { setTimeout as delay } from "node:timers/promises";

import { Failure } from "@hopline/testkit/console/failure";
import type { Pool } from "pg";

import { toCsv } from "../script/targets.ts";

export type ImportOptions = {
  readonly baseUrl: string;
  /** With links:write. */
  readonly apiKey: string;
  readonly database: Pool;
  readonly linkCount: number;
  readonly signal: AbortSignal;
};

/** Seconds of the wall clock, to a tenth. */
export type Imported = {
  /** From the file to the API's report: all links committed, and their change announced. */
  readonly seconds: number;
  /** After that, until the publishing queue had all of them in the simulated KV; `null` where links are cold. */
  readonly kvSeconds: number | null;
};

const REQUEST_TIMEOUT_MS = 120_000;
const POLL_MS = 250;
const PUBLISH_TIMEOUT_MS = 300_000;

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
  await waitUntilPublished(options);
  return {
    seconds: toSeconds(importedAtMs - startedAtMs),
    kvSeconds: toSeconds(performance.now() - importedAtMs),
  };
}

async function waitUntilPublished({ database, signal }: ImportOptions): Promise<void> {
  const endsAtMs = performance.now() + PUBLISH_TIMEOUT_MS;
  for (;;) {
    signal.throwIfAborted();
    const { rows } = await database.query<{ links: number }>(
      "SELECT count(*)::int AS links FROM work WHERE kind = 'publish-import'",
    );
    const links = rows[0]?.links ?? 0;
    if (links === 0) {
      return;
    }
    if (performance.now() > endsAtMs) {
      throw new Failure(`${links} imported links are not in KV after ${PUBLISH_TIMEOUT_MS / 1_000} s.`);
    }
    await delay(POLL_MS);
  }
}

function toSeconds(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10;
}
