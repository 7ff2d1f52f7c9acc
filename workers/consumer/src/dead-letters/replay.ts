/**
 * Replays sealed clicks: opens them and writes them through the consumer's own code, so that a click that is already
 * there is not counted again.
 */
import type { ClickHouse } from "@hopline/clickhouse/clickhouse-client";
import { decodeSegment } from "@hopline/core/click/segment";
import { insertEdgeReports } from "@hopline/db/ingest/insert-edge-reports";
import type { RunSql } from "@hopline/db/neon-client";
import { isSealed, openSealed, seal } from "@hopline/sealing/seal";
import type { SealKeys } from "@hopline/sealing/seal-key";
import { createEnrichment, type Enrichment } from "../enrich/enrichment.ts";
import { createCountReports } from "../ingest/count-reports.ts";
import { openCountingHint } from "../ingest/count-clicks.ts";
import { createStore } from "../ingest/create-store.ts";
import { type LedgerPlace, toPendingSegment } from "../ingest/pending-segment.ts";
import { logToConsole } from "../log.ts";
import { type WriteDeps, writeSegments } from "../ingest/write-segments.ts";

export type Replayed =
  | { readonly kind: "written"; readonly clicks: number; readonly inserted: number; readonly refused: number }
  /** Sealed with another key, altered, or not a segment. */
  | { readonly kind: "unreadable"; readonly why: string }
  | { readonly kind: "failed"; readonly sqlState: string | null };

export type ReplayDeps = WriteDeps & Enrichment & { readonly sealKeys: SealKeys };

const TIMEOUT_MS = 60_000;

export function createReplayDeps(
  runSql: RunSql,
  sealKeys: SealKeys,
  visitorSecret: string | null,
  clickHouse: ClickHouse | null = null,
): ReplayDeps {
  const hint = openCountingHint(clickHouse);
  return {
    ...createStore({ runSql, clickHouse, hint, timeoutMs: TIMEOUT_MS, nowMs: Date.now }),
    countReports: createCountReports({
      held: { rows: [], nextAtMs: 0 },
      everyMs: 0,
      insertEdgeReports: (reports) => insertEdgeReports(runSql, reports, TIMEOUT_MS),
      nowMs: Date.now,
      log: logToConsole,
    }),
    ...createEnrichment(visitorSecret ?? ""),
    seal: (text) => seal(text, sealKeys[0]),
    sealKeys,
  };
}

/** Opens a text, also one that was sealed twice. `null` if no key fits. */
export async function openBody(sealedBody: string, keys: SealKeys): Promise<string | null> {
  let text = sealedBody;
  while (isSealed(text)) {
    const opened = await openSealed(text, ...keys);
    if (!opened.ok) {
      return null;
    }
    text = opened.value;
  }
  return text;
}

/** @param ledger where the ledger keeps the clicks, if not under their own numbers. */
export async function replayBody(
  sealedBody: string,
  ledger: LedgerPlace | null,
  deps: ReplayDeps,
): Promise<Replayed> {
  const body = await openBody(sealedBody, deps.sealKeys);
  if (body === null) {
    return { kind: "unreadable", why: "SEAL_KEY does not open it" };
  }
  const segment = decodeSegment(body);
  if (!segment.ok) {
    return { kind: "unreadable", why: `not a segment of a known format: ${segment.error.field}` };
  }
  const delivery = { receivedAtMs: Date.now(), ...(ledger === null ? {} : { ledger }) };
  const pending = await toPendingSegment(segment.value, delivery, deps);
  const { inserted, refused, failed } = await writeSegments([pending], "replay", deps);
  const failure = failed.get(pending);
  return failure === undefined
    ? { kind: "written", clicks: pending.rows.length, inserted, refused }
    : { kind: "failed", sqlState: failure.sqlState };
}

/** Every sealed text in a log, however the log wraps its lines. */
export function findSealedTexts(log: string): readonly string[] {
  return [...new Set(log.match(/sealed\.v\d+\.[\w-]+\.[\w-]+/g) ?? [])];
}
