/**
 * The published form of a link: what Postgres, KV and the isolate all hold, written once by the API and read by the
 * redirect. Format 1, JSON, golden files: test/golden/link-record.v1.json and link-record-smart.v1.json. Everything in it
 * was validated when it was written; the decoder is total and only guards against a value that is not ours or not whole.
 *
 * A field that the decoder does not know makes the record malformed: it may be a password or a limit, and a reader that
 * passed over it would let every visitor in. So the redirect is deployed before the API that writes a new field. A field that
 * no answer depends on gets a name with a `~` before it: an older reader passes over it, also after a release went back.
 */
import { parseJson } from "../decode/parse-json.ts";
import { fail, ok, type Result } from "../decode/result.ts";
import { anyText, fieldOf, objectOf, oneOf, positive, type Shape, text } from "../decode/shape.ts";
import { EXTRA_FIELDS, type LinkExtras, toLinkExtras, type WireExtras } from "./link-extras.ts";

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
  /** It has no status of its own: `redirectStatus` is the one that its domain had when the record was written. */
  readonly followsDomain?: true;
  /** Of a record at an address that is a former slug of the link: that slug. The database adds it. */
  readonly alias?: string;
};

/** The most characters of a record's text: it travels through the feed and lies in every isolate that serves it. */
export const MAX_LINK_RECORD_LENGTH = 65_536;

export type LinkRecord = LinkBasics & LinkExtras;

export type LinkRecordFault = { readonly reason: "link_record_malformed"; readonly field: string };

/** What links.record holds: the version is in a column of its own, and the database adds it as the record's last field. */
export type UnversionedLink = Omit<LinkRecord, "version">;

/** Writes a record as it is published: one line of JSON with the fields in a fixed order, those that are unset left out. */
export function encodeLinkRecord(record: UnversionedLink | LinkRecord): string {
  const { cap, password, openGraph } = record;
  return JSON.stringify({
    format: LINK_RECORD_FORMAT,
    link: record.linkId,
    state: record.state,
    url: record.url,
    status: record.redirectStatus,
    "~follows": record.followsDomain,
    rules: record.rules,
    split: record.split,
    next: record.next,
    from: record.startsAtMs,
    until: record.expiresAtMs,
    ended: record.endedUrl,
    password: password && { iterations: password.iterations, salt: password.salt, hash: password.hash },
    cap: cap && { mode: cap.mode, used: cap.isUsedUp ? true : undefined },
    forward: record.forward,
    utm: record.utmQuery,
    og: openGraph && {
      title: openGraph.title,
      description: openGraph.description,
      image: openGraph.image,
    },
    fill: record.isFilled,
    "~alias": record.alias,
    version: "version" in record ? record.version : undefined,
  });
}

type WireRecord = {
  readonly link: string;
  readonly version: number;
  readonly state: LinkState;
  readonly url: string;
  readonly status: RedirectStatus;
  readonly "~follows"?: unknown;
  readonly "~alias"?: unknown;
} & WireExtras;

const BASIC_FIELDS = {
  format: oneOf(LINK_RECORD_FORMAT),
  link: text,
  version: positive,
  state: oneOf(...LINK_STATES),
  url: anyText,
  status: oneOf(...REDIRECT_STATUSES),
} satisfies {
  readonly [field in Exclude<keyof WireRecord, keyof WireExtras | "~follows" | "~alias"> | "format"]: Shape;
};
const BASIC_FIELD_COUNT: number = Object.keys(BASIC_FIELDS).length;

/** A field whose name begins with the mark may be passed over. */
const RECORD: Shape = objectOf(BASIC_FIELDS, EXTRA_FIELDS, (field) => field.startsWith("~"));

/** Reads a published record from its text. Never throws. */
export function decodeLinkRecord(recordText: string): Result<LinkRecord, LinkRecordFault> {
  const value = parseJson(recordText);
  const fault = RECORD(value);
  if (fault !== null) {
    return malformed(fieldOf(fault));
  }
  const wire = value as WireRecord;
  const { link, version, state, url, status } = wire;
  if (url === "" && state !== "deleted") {
    return malformed("url");
  }
  const fieldCount = Object.keys(wire).length;
  const basics: LinkBasics = { linkId: link, version, state, url, redirectStatus: status };
  if (fieldCount === BASIC_FIELD_COUNT) {
    return ok(basics);
  }
  const known: LinkBasics = wire["~follows"] === true ? { ...basics, followsDomain: true } : basics;
  const isPlain = known !== basics && fieldCount === BASIC_FIELD_COUNT + 1;
  const alias = wire["~alias"];
  const own = isPlain ? known : { ...known, ...toLinkExtras(wire) };
  return ok(typeof alias === "string" ? { ...own, alias } : own);
}

function malformed(field: string): Result<never, LinkRecordFault> {
  return fail({ reason: "link_record_malformed", field });
}
