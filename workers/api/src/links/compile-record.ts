/** Compiles a link's published record from the previous one and what changes. */
import { type LinkState, REDIRECT_STATUSES, type RedirectStatus } from "@hopline/core/link/link-record";
import {
  decodeLinkRecord,
  encodeLinkRecord,
  type LinkRecordFault,
  MAX_LINK_RECORD_LENGTH,
  type UnversionedLink,
} from "@hopline/core/link/link-record";
import { hasPlaceholder } from "@hopline/core/link/placeholders";
import { fail, ok, type Result } from "@hopline/core/decode/result";
import { type FieldError, ProblemError } from "../http/problem.ts";
import type { StoredState } from "./store/link-columns.ts";

/** Throws `ProblemError` where parts contradict each other, or where the record is too large. */
export function compileRecord(record: UnversionedLink): string {
  const compiled = tryCompileRecord(record);
  if (!compiled.ok) {
    throw new ProblemError("invalid", [compiled.error]);
  }
  return compiled.value;
}

export function tryCompileRecord(record: UnversionedLink): Result<string, FieldError> {
  const { startsAtMs, expiresAtMs } = record;
  if (startsAtMs !== undefined && expiresAtMs !== undefined && expiresAtMs <= startsAtMs) {
    return fail({ path: "expiresAt", message: "is not later than startsAt: choose a later one" });
  }
  const text = encodeLinkRecord({ ...record, isFilled: urlsOf(record).some(hasPlaceholder) || undefined });
  if (text.length > MAX_LINK_RECORD_LENGTH) {
    const message = `makes the link too large (${text.length} of at most ${MAX_LINK_RECORD_LENGTH} characters): use fewer or shorter entries`;
    return fail({ path: record.rules === undefined ? "split" : "rules", message });
  }
  return ok(text);
}

function urlsOf({ url, split = [], next, rules = [] }: UnversionedLink): readonly string[] {
  const ofRules = rules.flatMap(({ to }) =>
    "url" in to ? [to.url] : "split" in to ? to.split.map((variant) => variant.url) : [],
  );
  const ofNext = next === undefined ? [] : [next.url];
  return [url, ...split.map((variant) => variant.url), ...ofNext, ...ofRules];
}

/** Reads links.record, which has no version. */
export function decodeStored(text: string): Result<UnversionedLink, LinkRecordFault> {
  const decoded = decodeLinkRecord(`${text.slice(0, -1)},"version":1}`);
  if (!decoded.ok) {
    return decoded;
  }
  const { version: _notItsOwn, ...record } = decoded.value;
  return ok(record);
}

/** The record as it was last published. */
export function readRecord(text: string): UnversionedLink {
  const decoded = decodeStored(text);
  if (!decoded.ok) {
    throw new Error(`invariant: a stored link record is malformed at ${decoded.error.field}`);
  }
  return decoded.value;
}

/** The redirect status of a link without one of its own: its domain's default, or 302 if the domain has none (`null`). */
export function defaultStatusOf(domain: { readonly redirectStatus: number | null }): RedirectStatus {
  return REDIRECT_STATUSES.find((known) => known === domain.redirectStatus) ?? 302;
}

/** The edge does not know archived links: to visitors they are disabled (410). */
export function toPublishedState(state: StoredState): LinkState {
  return state === "archived" ? "disabled" : state;
}
