/**
 * Makes a dead letter of what cannot be counted: seals the body, so that it can be replayed and not read, and writes it
 * with its place in the ledger.
 */
import { encodeSegment } from "@hopline/core/click/segment";
import type { DeadLetter } from "@hopline/db/ingest/insert-dead-letters";
import { type PendingSegment, toLedgerEntry } from "../ingest/pending-segment.ts";

export type BuryDeps = {
  /** Whether the letter is new. Rejects when the database does. */
  readonly insertDeadLetter: (letter: DeadLetter) => Promise<boolean>;
  /** Rejects when there is no usable key: then nothing may be buried. */
  readonly seal: (text: string) => Promise<string>;
};

/** Who says so, and why: SQLSTATE or a field's name. */
export type Verdict = { readonly source: string; readonly reason: string };

/** A message that is no segment. */
export function buryMessage(body: string, verdict: Verdict, deps: BuryDeps): Promise<boolean> {
  return bury(body, { ...verdict, kind: "message_undecodable", clicks: null }, deps);
}

/** One click of a segment, by itself. */
export function buryClick(
  segment: PendingSegment,
  index: number,
  { verdict, deps }: { readonly verdict: Verdict; readonly deps: BuryDeps },
): Promise<boolean> {
  const firstSequence = segment.firstSequence + index;
  const clicks = segment.clicks.slice(index, index + 1);
  const body = encodeSegment({ isolateId: segment.isolateId, firstSequence, clicks });
  const place = { firstSequence, count: 1, segment: toLedgerEntry(segment, 1, index === 0) };
  return bury(body, { ...verdict, kind: "click_refused", clicks: place }, deps);
}

/** A segment that ran out of tries. */
export function burySegment(segment: PendingSegment, verdict: Verdict, deps: BuryDeps): Promise<boolean> {
  const { firstSequence, clicks } = segment;
  const entry = toLedgerEntry(segment, clicks.length, true);
  const place = { firstSequence, count: clicks.length, segment: entry };
  return bury(encodeSegment(segment), { ...verdict, kind: "segment_exhausted", clicks: place }, deps);
}

async function bury(
  body: string,
  letter: Omit<DeadLetter, "id" | "sealedBody">,
  deps: BuryDeps,
): Promise<boolean> {
  const id = await toLetterId(body);
  return deps.insertDeadLetter({ ...letter, id, sealedBody: await deps.seal(body) });
}

/** The first half of the body's SHA-256, as a UUID: the same body is the same letter. */
async function toLetterId(body: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body)));
  const hex = Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
