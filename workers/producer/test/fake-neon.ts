/**
 * Plays the database behind the driver's fetch: it answers the redirect's statements, and can be broken. What
 * matters is what the Worker makes of its answers.
 */
import { type DomainRecord, encodeDomainRecord } from "@hopline/core/link/domain-record";
import { encodeLinkRecord, type LinkRecord } from "@hopline/core/link/link-record";

export type FakeNeon = {
  /** Texts of the records, by `host/slug`; of domains' settings, by `host/@`. */
  readonly records: Map<string, string>;
  /** Links that were asked for, and statements that asked for any. */
  queries: number;
  statements: number;
  /** Uses that a strict cap has left, and statements that asked for one. */
  usesLeft: number;
  claims: number;
  /** What happens instead of an answer, in the request that asks, for statements about these keys. `null`: nothing. */
  instead: ((keys: readonly string[]) => Promise<Response>) | null;
  /** Whether a host without settings in `records` is a domain of its own all the same. */
  hasEveryDomain: boolean;
  /** Stands in for `globalThis.fetch`. */
  readonly answer: (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;
};

export function aFakeNeon(): FakeNeon {
  const neon: FakeNeon = {
    records: new Map(),
    queries: 0,
    statements: 0,
    usesLeft: 0,
    claims: 0,
    instead: null,
    hasEveryDomain: true,
    async answer(_input, init) {
      const body = JSON.parse(String(init?.body));
      if (/claim_uses/.test(body.query)) {
        neon.claims += 1;
        return neon.instead === null ? takeUses(neon, Number(body.params[1])) : neon.instead([]);
      }
      if (/return_uses/.test(body.query)) {
        neon.usesLeft += Number(body.params[1]);
        return Response.json(toResult(["return_uses"], []));
      }
      const keys = toKeys(body.params);
      const links = keys.filter((key) => !key.endsWith("/@"));
      neon.queries += links.length;
      neon.statements += links.length === 0 ? 0 : 1;
      if (neon.instead !== null) {
        return neon.instead(keys);
      }
      return toRows(
        keys.flatMap((key) => {
          const text =
            neon.records.get(key) ?? (neon.hasEveryDomain && key.endsWith("/@") ? aDomainText() : null);
          return text === null ? [] : [[key, text] as const];
        }),
      );
    },
  };
  return neon;
}

export function aDomainText(change: Partial<DomainRecord> = {}): string {
  return encodeDomainRecord({ domainId: crypto.randomUUID(), version: 1, ignoresCase: false, ...change });
}

/** Arrays are written as Postgres does it: `{a,"b c"}`. */
function toKeys([hosts, slugs]: readonly string[]): readonly string[] {
  const toList = (literal = ""): readonly string[] =>
    [...literal.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|[^,]+/g)].map(
      ([element, quoted]) => quoted?.replaceAll(/\\(.)/g, "$1") ?? element,
    );
  const slugList = toList(slugs);
  return toList(hosts).map((host, index) => `${host}/${slugList[index]}`);
}

/** The answer for these records. */
export function toRows(records: Iterable<readonly [key: string, text: string]>): Response {
  return Response.json(toResult(["key", "record"], [...records]));
}

function takeUses(neon: FakeNeon, wanted: number): Response {
  const granted = Math.min(wanted, neon.usesLeft);
  neon.usesLeft -= granted;
  return Response.json(toResult(["granted"], [[String(granted)]]));
}

function toResult(names: readonly string[], rows: readonly (readonly string[])[]) {
  const fields = names.map((name) => ({ name, dataTypeID: 25 }));
  return { command: "SELECT", rowCount: rows.length, rowAsArray: true, rows, fields };
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
