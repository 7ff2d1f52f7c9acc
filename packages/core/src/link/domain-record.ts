/**
 * The published form of a short domain's settings, under a key of its own beside its links. Format 1, JSON, golden file:
 * test/golden/domain-record.v1.json. The redirect reads it only where no link answers: the root path, an
 * unknown or ended link, a slug in another case.
 */
import { type LinkKey, linkKeyOf } from "./link-address.ts";
import { parseJson } from "../decode/parse-json.ts";
import { fail, ok, type Result } from "../decode/result.ts";
import { type Faults, fieldsOf, readInteger, readText } from "../decode/decode-parts.ts";

export const DOMAIN_RECORD_FORMAT = 1;

export type DomainRecord = {
  /** UUID. */
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
};

export type DomainRecordFault = { readonly reason: "domain_record_malformed"; readonly field: string };

/** `@` is in no slug, so no link has this key. */
export const DOMAIN_SLUG = "@";

export function domainKeyOf(host: string): LinkKey {
  return linkKeyOf(host, DOMAIN_SLUG);
}

export function encodeDomainRecord(record: DomainRecord): string {
  return JSON.stringify({
    format: DOMAIN_RECORD_FORMAT,
    domain: record.domainId,
    version: record.version,
    root: record.rootUrl,
    notFound: record.notFoundUrl,
    ended: record.endedUrl,
    ignoresCase: record.ignoresCase ? true : undefined,
    title: record.title,
    home: record.homeUrl,
  });
}

const readFields = fieldsOf();

/** Reads a record from its text. Settings it does not know are passed over: none of them guards anything. Never throws. */
export function decodeDomainRecord(text: string): Result<DomainRecord, DomainRecordFault> {
  const faults: Faults = [];
  const fields = readFields(parseJson(text), "(whole)", faults);
  const optional = (field: string): string | undefined =>
    fields[field] === undefined ? undefined : readText(fields[field], field, faults);
  if (fields["format"] !== DOMAIN_RECORD_FORMAT) {
    faults.push("format");
  }
  const record: DomainRecord = {
    domainId: readText(fields["domain"], "domain", faults),
    version: readInteger(fields["version"], "version", faults),
    rootUrl: optional("root"),
    notFoundUrl: optional("notFound"),
    endedUrl: optional("ended"),
    ignoresCase: fields["ignoresCase"] === true,
    title: optional("title"),
    homeUrl: optional("home"),
  };
  const [field] = record.version < 1 ? [...faults, "version"] : faults;
  return field === undefined ? ok(record) : fail({ reason: "domain_record_malformed", field });
}
