/**
 * Records over HTTPS, in the JSON form that Cloudflare and Google answer
 * (https://developers.cloudflare.com/1.1.1.1/encryption/dns-over-https/make-api-requests/dns-json/). Owns the difference
 * between a name without records and a resolver that does not know.
 */
import { fail, ok, type Result } from "@hopline/core/decode/result";
import { z } from "zod";

export type DnsFault =
  /** No answer in time, or none at all. */
  | { readonly reason: "unreachable" }
  /** The resolver's own status, or what it sent could not be read. */
  | { readonly reason: "http_status"; readonly status: number }
  | { readonly reason: "malformed" }
  /** DNS's response code: 2, SERVFAIL, is also what a broken DNSSEC signature gives. */
  | { readonly reason: "dns_status"; readonly status: number };

/** The texts at a name; none if there is no such name or no such record. Never rejects. */
export type LookUpTexts = (name: string) => Promise<Result<readonly string[], DnsFault>>;

/** What a host leads to: the names of its CNAMEs, and IPv4 addresses. Both are empty if there is no such name. */
export type HostRecords = { readonly names: readonly string[]; readonly addresses: readonly string[] };

/** Never rejects. */
export type LookUpHost = (name: string) => Promise<Result<HostRecords, DnsFault>>;

export type DnsSettings = {
  /** `https://cloudflare-dns.com/dns-query`, or another that speaks the same JSON. */
  readonly resolverUrl: string;
  readonly timeoutMs: number;
  readonly fetch: (url: URL, init: RequestInit) => Promise<Response>;
};

/** A person waits for it. Milliseconds. */
export const DNS_TIMEOUT_MS = 4_000;

/** Throws for a variable that makes no sense, so that a deployment fails at its start. Without TLS only on this machine. */
export function readResolverUrl({ DNS_RESOLVER_URL: text }: { readonly DNS_RESOLVER_URL: string }): string {
  const url = URL.parse(text);
  if (url?.protocol !== "https:" && url?.hostname !== "127.0.0.1") {
    throw new Error(
      "DNS_RESOLVER_URL is not an https URL: set it to a resolver that answers in JSON, such as https://cloudflare-dns.com/dns-query.",
    );
  }
  return text;
}

const NO_ERROR = 0;
const NO_SUCH_NAME = 3;
const TYPES = { A: 1, CNAME: 5, TXT: 16 } as const;

const Answer = z.object({
  Status: z.number().int(),
  // With a CNAME on the way, that record is among the answers too.
  Answer: z.array(z.object({ type: z.number().int(), data: z.string() })).optional(),
});

export function createDnsOverHttps(settings: DnsSettings): LookUpTexts {
  return async (name) => {
    const found = await ask(name, "TXT", settings);
    return found.ok ? ok(dataOf(found.value, "TXT").map(toText)) : found;
  };
}

export function createHostLookUp(settings: DnsSettings): LookUpHost {
  return async (name) => {
    const found = await ask(name, "A", settings);
    // A resolver writes names as it likes: `Origin.Example.com.`
    const toName = (data: string) => data.toLowerCase().replace(/\.$/, "");
    return found.ok
      ? ok({ names: dataOf(found.value, "CNAME").map(toName), addresses: dataOf(found.value, "A") })
      : found;
  };
}

type Type = keyof typeof TYPES;
type Records = NonNullable<z.infer<typeof Answer>["Answer"]>;

function dataOf(records: Records, wanted: Type): readonly string[] {
  return records.filter(({ type }) => type === TYPES[wanted]).map(({ data }) => data);
}

async function ask(
  name: string,
  type: Type,
  { resolverUrl, timeoutMs, fetch }: DnsSettings,
): Promise<Result<Records, DnsFault>> {
  const url = new URL(resolverUrl);
  url.searchParams.set("name", name);
  url.searchParams.set("type", type);
  let body: unknown;
  try {
    const init = { headers: { accept: "application/dns-json" }, signal: AbortSignal.timeout(timeoutMs) };
    const response = await fetch(url, init);
    if (!response.ok) {
      await response.body?.cancel();
      return fail({ reason: "http_status", status: response.status });
    }
    body = await response.json();
  } catch (error) {
    return fail({ reason: error instanceof SyntaxError ? "malformed" : "unreachable" });
  }
  const answer = Answer.safeParse(body);
  if (!answer.success) {
    return fail({ reason: "malformed" });
  }
  const { Status: status, Answer: records = [] } = answer.data;
  if (status === NO_SUCH_NAME) {
    return ok([]);
  }
  return status === NO_ERROR ? ok(records) : fail({ reason: "dns_status", status });
}

/** A record is one or more strings of up to 255 bytes, which belong together: `"hopline=" "0123"`. Some resolvers leave the quotes out. */
function toText(data: string): string {
  const strings = [...data.matchAll(/"((?:[^"\\]|\\.)*)"/gs)].map(([, string = ""]) => string);
  return strings.length === 0 ? data : strings.map((string) => string.replaceAll(/\\(.)/gs, "$1")).join("");
}

/** For the answer of a verification: why DNS gave none. */
export function describeDnsFault(fault: DnsFault): string {
  switch (fault.reason) {
    case "unreachable":
      return "the resolver did not answer in time";
    case "http_status":
      return `the resolver answered with HTTP status ${fault.status}`;
    case "malformed":
      return "the resolver's answer could not be read";
    case "dns_status":
      return `DNS answered with status ${fault.status}${fault.status === 2 ? " (SERVFAIL): check the zone's name servers and DNSSEC" : ""}`;
  }
}
