/**
 * Plays the database behind the driver's fetch: it answers the redirect's statements, and can be broken. What
 * matters is what the Worker makes of its answers.
 */
import { encodeDomainRecord } from "@hopline/core/link/domain-record";
import { encodeLinkRecord, type LinkRecord } from "@hopline/core/link/link-record";

export type FakeNeon = {
  /** Texts of the records, by `host/slug`. */
  readonly records: Map<string, string>;
  /** Statements about links that reached it. Every host is a domain without settings. */
  queries: number;
  /** What happens instead of an answer, in the request that asks. `null`: nothing. */
  instead: (() => Promise<Response>) | null;
  /** Stands in for `globalThis.fetch`. */
  readonly answer: (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;
};

export function aFakeNeon(): FakeNeon {
  const neon: FakeNeon = {
    records: new Map(),
    queries: 0,
    instead: null,
    async answer(_input, init) {
      const { params } = JSON.parse(String(init?.body));
      const isAboutDomain = params.length === 1;
      neon.queries += isAboutDomain ? 0 : 1;
      if (neon.instead !== null) {
        return neon.instead();
      }
      if (isAboutDomain) {
        return toRows(encodeDomainRecord({ domainId: crypto.randomUUID(), version: 1, ignoresCase: false }));
      }
      return toRows(neon.records.get(params.join("/")));
    },
  };
  return neon;
}

/** The answer for one text, or for none. */
export function toRows(text: string | undefined): Response {
  return Response.json({
    command: "SELECT",
    rowCount: text === undefined ? 0 : 1,
    rowAsArray: true,
    rows: text === undefined ? [] : [[text]],
    fields: [{ name: "record", dataTypeID: 25 }],
  });
}

export function aRecord(change: Partial<LinkRecord> = {}): LinkRecord {
  return {
    linkId: "0198f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f",
    version: 1,
    state: "live",
    url: "https://example.com/",
    redirectStatus: 302,
    ...change,
  };
}

export function aRecordText(change: Partial<LinkRecord> = {}): string {
  return encodeLinkRecord(aRecord(change));
}
