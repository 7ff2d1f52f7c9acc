/**
 * What every published link has, and the reader of records that have nothing else: most of them. The whole format is in
 * link-record.ts, whose reader the redirect loads with the first record that this one leaves to it.
 */
import { fail, ok, type Result } from "../decode/result.ts";

/** Wire format of the record. A reader that meets another number treats the value as a miss. */
export const LINK_RECORD_FORMAT = 1;

/** The redirect statuses a link may choose. 302 unless it says otherwise: links are edited. */
export const REDIRECT_STATUSES = [301, 302, 307, 308] as const;
export type RedirectStatus = (typeof REDIRECT_STATUSES)[number];

/** `deleted` is a tombstone: published so that no tier resurrects the link. */
export const LINK_STATES = ["live", "disabled", "deleted"] as const;
export type LinkState = (typeof LINK_STATES)[number];

export type LinkBasics = {
  /** UUID, as Postgres prints it. */
  readonly linkId: string;
  /** Counts every published change from 1. A lower one never replaces a higher one. */
  readonly version: number;
  readonly state: LinkState;
  readonly url: string;
  readonly redirectStatus: RedirectStatus;
};

/** The fields of a record, not yet looked at. */
export type RecordFields = { readonly [field: string]: unknown };

export const BASIC_FIELDS = ["format", "link", "version", "state", "url", "status"] as const;

/**
 * Reads a record that is whole and has only the basic fields. `null` for every other text: whether that is a link with
 * more to it, a domain or no record at all is said by those who read all of it. Never throws.
 */
export function decodePlainLinkRecord(text: string): LinkBasics | null {
  const fields = parseRecord(text);
  if (fields === null || Object.keys(fields).length !== BASIC_FIELDS.length) {
    return null;
  }
  // None of the basic fields may be absent, so as many fields as there are basic ones are exactly those.
  const basics = readLinkBasics(fields);
  return basics.ok ? basics.value : null;
}

/** The basics among the fields of a record, or the first of them that cannot be read. Never throws. */
export function readLinkBasics(fields: RecordFields): Result<LinkBasics, string> {
  if (fields["format"] !== LINK_RECORD_FORMAT) {
    return fail("format");
  }
  const { link, version, url } = fields;
  const state = LINK_STATES.find((known) => known === fields["state"]);
  const redirectStatus = REDIRECT_STATUSES.find((known) => known === fields["status"]);
  if (typeof link !== "string") {
    return fail("link");
  }
  if (typeof version !== "number" || !Number.isSafeInteger(version) || version < 1) {
    return fail("version");
  }
  if (typeof url !== "string" || (url === "" && state !== "deleted")) {
    return fail("url");
  }
  if (state === undefined) {
    return fail("state");
  }
  if (redirectStatus === undefined) {
    return fail("status");
  }
  return ok({ linkId: link, version, state, url, redirectStatus });
}

/** The fields of a text that is a JSON object; `null` for any other. Never throws. */
export function parseRecord(text: string): RecordFields | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as RecordFields) : null;
  } catch {
    return null;
  }
}
