/**
 * The published form of a link: what Postgres, KV and the isolate all hold, written once by the API and read by the
 * redirect. Format 1, JSON, golden file: test/golden/link-record.v1.json. Everything in it was validated when it was
 * written; the decoder is total and only guards against a value that is not ours or not whole.
 */
import { fail, ok, type Result } from "./result.ts";

/** Wire format of the record. A reader that meets another number treats the value as a miss. */
export const LINK_RECORD_FORMAT = 1;

/** The redirect statuses a link may choose. 302 unless it says otherwise: links are edited. */
export const REDIRECT_STATUSES = [301, 302, 307, 308] as const;
export type RedirectStatus = (typeof REDIRECT_STATUSES)[number];

/** `deleted` is a tombstone: published so that no tier resurrects the link. */
export const LINK_STATES = ["live", "disabled", "deleted"] as const;
export type LinkState = (typeof LINK_STATES)[number];

export type LinkRecord = {
  /** UUID, as Postgres prints it. */
  readonly linkId: string;
  /** Counts every published change from 1. A lower one never replaces a higher one. */
  readonly version: number;
  readonly state: LinkState;
  readonly url: string;
  readonly redirectStatus: RedirectStatus;
};

/** Why a value is not a link record. */
export type LinkRecordFault = { readonly reason: "link_record_malformed"; readonly field: string };

/** Writes a record as it is published: one line of JSON with the fields in a fixed order. */
export function encodeLinkRecord(record: LinkRecord): string {
  return JSON.stringify({
    format: LINK_RECORD_FORMAT,
    link: record.linkId,
    version: record.version,
    state: record.state,
    url: record.url,
    status: record.redirectStatus,
  });
}

/** Reads a published record from its text. Never throws. */
export function decodeLinkRecord(text: string): Result<LinkRecord, LinkRecordFault> {
  const value = parseJson(text);
  if (typeof value !== "object" || value === null) {
    return malformed("(whole)");
  }
  const wire: { readonly [field: string]: unknown } = { ...value };
  if (wire["format"] !== LINK_RECORD_FORMAT) {
    return malformed("format");
  }
  const { link, version, url } = wire;
  const state = LINK_STATES.find((known) => known === wire["state"]);
  const redirectStatus = REDIRECT_STATUSES.find((known) => known === wire["status"]);
  if (typeof link !== "string") {
    return malformed("link");
  }
  if (typeof version !== "number" || !Number.isSafeInteger(version) || version < 1) {
    return malformed("version");
  }
  if (typeof url !== "string" || (url === "" && state !== "deleted")) {
    return malformed("url");
  }
  if (state === undefined) {
    return malformed("state");
  }
  if (redirectStatus === undefined) {
    return malformed("status");
  }
  return ok({ linkId: link, version, state, url, redirectStatus });
}

function malformed(field: string): Result<never, LinkRecordFault> {
  return fail({ reason: "link_record_malformed", field });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
