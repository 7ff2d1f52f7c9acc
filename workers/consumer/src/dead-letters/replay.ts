/**
 * Brings sealed clicks back: opens them with SEAL_KEY and writes them through the consumer's own code, so that a click
 * that is there already stays one.
 */
import { createEnrichment, type Enrichment } from "../enrich/enrichment.ts";
import { type LedgerPlace, toPendingSegment } from "../ingest/pending-segment.ts";
import { type WriteDeps, writeSegments } from "../ingest/write-segments.ts";
import { decodeSegment } from "@hopline/core/click/segment";
import { insertClicks } from "@hopline/db/ingest/insert-clicks";
import { insertDeadLetter } from "@hopline/db/ingest/insert-dead-letters";
import { insertEdgeReports } from "@hopline/db/ingest/insert-edge-reports";
import type { RunSql } from "@hopline/db/neon-client";
import { isSealed, openSealed, seal } from "@hopline/sealing/seal";

export type Replayed =
  | { readonly kind: "written"; readonly clicks: number; readonly inserted: number; readonly refused: number }
  /** Another key, an altered text, or no segment. */
  | { readonly kind: "unreadable"; readonly why: string }
  | { readonly kind: "failed"; readonly sqlState: string | null };

export type ReplayDeps = WriteDeps & Enrichment & { readonly sealKey: CryptoKey };

const TIMEOUT_MS = 60_000;

export function createReplayDeps(
  runSql: RunSql,
  sealKey: CryptoKey,
  visitorSecret: string | null,
): ReplayDeps {
  return {
    insertClicks: (batch) => insertClicks(runSql, batch, TIMEOUT_MS),
    insertEdgeReports: (reports) => insertEdgeReports(runSql, reports, TIMEOUT_MS),
    insertDeadLetter: (letter) => insertDeadLetter(runSql, letter, TIMEOUT_MS),
    seal: (text) => seal(text, sealKey),
    sealKey,
    ...createEnrichment(visitorSecret ?? ""),
  };
}

/** Opens a text, and what was sealed before it was sealed again; `null` when the key does not fit. */
export async function openBody(sealedBody: string, key: CryptoKey): Promise<string | null> {
  let text = sealedBody;
  while (isSealed(text)) {
    const opened = await openSealed(text, key);
    if (!opened.ok) {
      return null;
    }
    text = opened.value;
  }
  return text;
}

/** @param ledger where the ledger keeps the clicks, when not under their own numbers. */
export async function replayBody(
  sealedBody: string,
  ledger: LedgerPlace | null,
  deps: ReplayDeps,
): Promise<Replayed> {
  const body = await openBody(sealedBody, deps.sealKey);
  if (body === null) {
    return { kind: "unreadable", why: "SEAL_KEY does not open it" };
  }
  const segment = decodeSegment(body);
  if (!segment.ok) {
    return { kind: "unreadable", why: `it is no segment of a format known here: ${segment.error.field}` };
  }
  const delivery = { copies: 1, receivedAtMs: Date.now(), ...(ledger === null ? {} : { ledger }) };
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
