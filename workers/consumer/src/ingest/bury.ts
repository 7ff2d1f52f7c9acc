/**
 * Turns what cannot be counted into a dead letter: seals the body, so that it can be replayed but not read, and stores
 * it together with its place in the ledger.
 */
import { fail, ok, type Result } from "@hopline/core/decode/result";
import { encodeSegment } from "@hopline/core/click/segment";
import { type DatabaseFailure, toDatabaseFailure } from "@hopline/db/database-failure";
import type { DeadLetter } from "@hopline/db/ingest/insert-dead-letters";
import { type PendingSegment, toLedgerPieces } from "./pending-segment.ts";

export type BuryDeps = {
  /** Resolves to whether the letter is new. Rejects if the database does. */
  readonly insertDeadLetter: (letter: DeadLetter) => Promise<boolean>;
  /** Rejects if there is no usable key. Then nothing may be buried. */
  readonly seal: (text: string) => Promise<string>;
};

/** `sealing`: there is no usable key. The database may be fine, so the rest of a batch goes on. */
export type WriteFailure = {
  readonly reason: DatabaseFailure["reason"] | "sealing";
  readonly sqlState: string | null;
};

/** Who refused it, and why: an SQLSTATE or the name of a field, never a value. */
export type Verdict = { readonly source: string; readonly reason: string };

/** Resolves to whether the letter is new. */
export type Buried = Promise<Result<boolean, WriteFailure>>;

/** Buries a message that is not a segment. */
export function buryMessage(body: string, verdict: Verdict, deps: BuryDeps): Buried {
  return bury(body, { ...verdict, kind: "message_undecodable", clicks: null }, deps);
}

/** Buries one click of a segment. */
export function buryClick(
  segment: PendingSegment,
  index: number,
  { verdict, deps }: { readonly verdict: Verdict; readonly deps: BuryDeps },
): Buried {
  const firstSequence = segment.firstSequence + index;
  const clicks = segment.clicks.slice(index, index + 1);
  const body = encodeSegment({ isolateId: segment.isolateId, firstSequence, clicks });
  const [piece] = toLedgerPieces({ segment, from: index, to: index + 1 });
  const place = piece === undefined ? null : { firstSequence, count: 1, segment: piece.entry };
  return bury(body, { ...verdict, kind: "click_refused", clicks: place }, deps);
}

async function bury(
  body: string,
  letter: Omit<DeadLetter, "id" | "sealedBody">,
  { seal, insertDeadLetter }: BuryDeps,
): Buried {
  const sealedBody = await seal(body).catch(() => null);
  if (sealedBody === null) {
    return fail({ reason: "sealing", sqlState: null });
  }
  const id = await toLetterId(body);
  return insertDeadLetter({ ...letter, id, sealedBody }).then(ok, (error: unknown) =>
    fail(toDatabaseFailure(error)),
  );
}

/** The first half of the body's SHA-256, as a UUID: the same body is the same letter. */
async function toLetterId(body: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body)));
  const hex = Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
