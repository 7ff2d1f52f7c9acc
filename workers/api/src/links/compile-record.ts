/** Makes a link's published record out of the one before and what changes. What is left alone is not compiled again. */
import {
  decodeLinkRecord,
  encodeLinkRecord,
  type LinkRecord,
  MAX_LINK_RECORD_LENGTH,
} from "@hopline/core/link/link-record";
import { fail, ok, type Result } from "@hopline/core/decode/result";
import { type FieldError, ProblemError } from "../http/problem.ts";

/** Throws `ProblemError` where the parts do not go together, or are too much. */
export function compileRecord(record: LinkRecord): string {
  const compiled = tryCompileRecord(record);
  if (!compiled.ok) {
    throw new ProblemError("invalid", [compiled.error]);
  }
  return compiled.value;
}

export function tryCompileRecord(record: LinkRecord): Result<string, FieldError> {
  const { startsAtMs, expiresAtMs } = record;
  if (startsAtMs !== undefined && expiresAtMs !== undefined && expiresAtMs <= startsAtMs) {
    return fail({ path: "expiresAt", message: "must be later than startsAt" });
  }
  const text = encodeLinkRecord(record);
  if (text.length > MAX_LINK_RECORD_LENGTH) {
    const message = `makes the link's record ${text.length} characters long; it may be ${MAX_LINK_RECORD_LENGTH}`;
    return fail({ path: record.rules === undefined ? "split" : "rules", message });
  }
  return ok(text);
}

/** The record as it was published last. */
export function readRecord(text: string): LinkRecord {
  const decoded = decodeLinkRecord(text);
  if (!decoded.ok) {
    throw new Error(`invariant: a stored link record is malformed at ${decoded.error.field}`);
  }
  return decoded.value;
}
