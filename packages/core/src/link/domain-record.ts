/**
 * The published form of a short domain's settings, under a key of its own beside its links. Format 1, JSON, golden file:
 * test/golden/domain-record.v1.json. The redirect needs it where no link answers: the root path, an
 * unknown or ended link, a slug in another case; and where a link has no redirect status of its own.
 */
import { type LinkKey, linkKeyOf } from "./link-address.ts";
import { REDIRECT_STATUSES, type RedirectStatus } from "./link-record.ts";
import { parseJson } from "../decode/parse-json.ts";
import { fail, ok, type Result } from "../decode/result.ts";
import { fieldOf, listOf, objectOf, oneOf, positive, type Shape, text } from "../decode/shape.ts";

export const DOMAIN_RECORD_FORMAT = 1;

export type DomainRecord = {
  readonly domainId: string;
  /** Counts every published change from 1. */
  readonly version: number;
  /** Where visitors of `/`, of an unknown link and of an ended one go. Absent: a page of ours. */
  readonly rootUrl?: string | undefined;
  readonly notFoundUrl?: string | undefined;
  readonly endedUrl?: string | undefined;
  /** Slugs are stored in lower case and found in any. */
  readonly ignoresCase: boolean;
  /** What the pages of this domain say it is, and a way on from them. */
  readonly title?: string | undefined;
  readonly homeUrl?: string | undefined;
  /** Their colour, `#rrggbb`, and their owner's pages on who runs them, on data and for reports. */
  readonly color?: string | undefined;
  readonly imprintUrl?: string | undefined;
  readonly privacyUrl?: string | undefined;
  readonly reportUrl?: string | undefined;
  /** Of links without one of their own; 302 if absent. */
  readonly redirectStatus?: RedirectStatus | undefined;
  /** By the operator: none of its links leads anywhere, and its pages say so. */
  readonly isSuspended?: true | undefined;
  /** The slugs of its links that forward what follows, without their `/*`. The database adds them. */
  readonly forwards?: readonly string[] | undefined;
};

/** They are read with each domain, and compared with each path that has parts. */
export const MAX_FORWARDS = 200;

export type DomainRecordFault = { readonly reason: "domain_record_malformed"; readonly field: string };

/** `@` is in no slug, so no link has this key. */
export const DOMAIN_SLUG = "@";

export function domainKeyOf(host: string): LinkKey {
  return linkKeyOf(host, DOMAIN_SLUG);
}

export function isDomainKey(key: LinkKey): boolean {
  return key.endsWith(`/${DOMAIN_SLUG}`);
}

/** As domains.record holds it; the database adds the rest (migrations/0002, published_domain). */
export function encodeDomainRecord(record: Omit<DomainRecord, "version"> | DomainRecord): string {
  return JSON.stringify({
    format: DOMAIN_RECORD_FORMAT,
    domain: record.domainId,
    root: record.rootUrl,
    notFound: record.notFoundUrl,
    ended: record.endedUrl,
    ignoresCase: record.ignoresCase ? true : undefined,
    title: record.title,
    home: record.homeUrl,
    color: record.color,
    imprint: record.imprintUrl,
    privacy: record.privacyUrl,
    report: record.reportUrl,
    status: record.redirectStatus,
    forwards: record.forwards,
    suspended: record.isSuspended,
    version: "version" in record ? record.version : undefined,
  });
}

type WireRecord = {
  readonly domain: string;
  readonly version: number;
  readonly root?: string;
  readonly notFound?: string;
  readonly ended?: string;
  readonly ignoresCase?: unknown;
  readonly title?: string;
  readonly home?: string;
  readonly color?: string;
  readonly imprint?: string;
  readonly privacy?: string;
  readonly report?: string;
  readonly status?: RedirectStatus;
  readonly suspended?: true;
  readonly forwards?: readonly string[];
};

/** Settings that it does not know are passed over: none of them guards anything. */
const RECORD: Shape = objectOf(
  { format: oneOf(DOMAIN_RECORD_FORMAT), domain: text, version: positive },
  {
    root: text,
    notFound: text,
    ended: text,
    title: text,
    home: text,
    color: text,
    imprint: text,
    privacy: text,
    report: text,
    status: oneOf(...REDIRECT_STATUSES),
    suspended: oneOf(true),
    forwards: listOf(text, MAX_FORWARDS),
  },
  () => true,
);

export function decodeDomainRecord(recordText: string): Result<DomainRecord, DomainRecordFault> {
  const value = parseJson(recordText);
  const fault = RECORD(value);
  if (fault !== null) {
    return fail({ reason: "domain_record_malformed", field: fieldOf(fault) });
  }
  const wire = value as WireRecord;
  return ok({
    domainId: wire.domain,
    version: wire.version,
    rootUrl: wire.root,
    notFoundUrl: wire.notFound,
    endedUrl: wire.ended,
    ignoresCase: wire.ignoresCase === true,
    title: wire.title,
    homeUrl: wire.home,
    color: wire.color,
    imprintUrl: wire.imprint,
    privacyUrl: wire.privacy,
    reportUrl: wire.report,
    redirectStatus: wire.status,
    isSuspended: wire.suspended,
    forwards: wire.forwards,
  });
}
