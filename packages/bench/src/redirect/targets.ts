/**
 * What the redirect bench measures: Workers, the requests they get, and the answers they must give. A hit is compared with
 * a Worker that does only what the platform charges for: the difference is ours.
 */
import { encodeDomainRecord } from "@hopline/core/link/domain-record";
import { encodeLinkRecord } from "@hopline/core/link/link-record";

import type { KvRecords } from "./workerd-config.ts";
import { BENCH_HOST } from "./visitors.ts";

export type Target = {
  readonly name: string;
  readonly title: string;
  /** The producer's bundle, or a Worker of one module with the producer's bindings. */
  readonly worker: "producer" | { readonly source: string };
  readonly records: KvRecords;
  readonly traffic: {
    /** Requested in turn; or, when `isEachNew`, prefixes of slugs of which none is requested twice. */
    readonly slugs: readonly string[];
    readonly isEachNew: boolean;
  };
  readonly expected: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** Exactly this many clicks reach the queue for each answer; null for a Worker that knows no clicks. */
    readonly clicksPerAnswer: 0 | 1 | null;
    /** Calls to KV and the database for each answer, between these bounds: what makes it this target. */
    readonly lookUpsPerAnswer: { readonly min: number; readonly max: number };
  };
};

export const LINK_ID = "0198c0de-0000-7000-8000-0000000000b1";

const DESTINATION = "https://www.example.com/autumn/collection?ref=newsletter";

const PAGE_HEADERS = { "cache-control": "private, no-store", "x-robots-tag": "noindex" };
const REDIRECT_HEADERS = { location: DESTINATION, ...PAGE_HEADERS };

const LIVE_LINK = {
  linkId: LINK_ID,
  version: 3,
  state: "live",
  url: DESTINATION,
  redirectStatus: 302,
} as const;

/** Every field is used, the user agent's four times. None of the ten matches, so each request evaluates all of them. */
const RULES = [
  { country: ["FJ", "TO", "WS"] },
  { continent: ["AN"] },
  { region: ["US-WY", "US-ND"] },
  { time: { zone: "Europe/Berlin", days: [1], startMinute: 0, endMinute: 1 } },
  { query: [{ name: "ref", values: ["sms"] }] },
  { language: ["fj", "to"] },
  { referrer: ["*.nowhere.example"] },
  { device: ["console"] },
  { os: ["KaiOS"] },
  { browser: ["Vivaldi"], visitor: "bot" },
] as const;

const SMART_LINK = {
  ...LIVE_LINK,
  rules: RULES.map((when, index) => ({
    id: `rule-${index}`,
    when,
    to: { url: "https://www.example.com/elsewhere" },
  })),
};

/** The domain's key ends in `@`. A mixed-case slug needs its domain's settings. */
const DOMAIN = {
  slugPrefix: "@",
  text: encodeDomainRecord({
    domainId: "0198c0de-0000-7000-8000-0000000000d1",
    version: 1,
    ignoresCase: false,
  }),
};
const LIVE_RECORDS = [DOMAIN, { slugPrefix: "Live-", text: encodeLinkRecord(LIVE_LINK) }];
const SMART_RECORDS = [DOMAIN, { slugPrefix: "Live-", text: encodeLinkRecord(SMART_LINK) }];

/** Mixed-case, as generated slugs are. So few that a slice in which all of them go stale at once is within REFRESHES_ONLY. */
const KNOWN = { slugs: Array.from({ length: 100 }, (_, index) => `Live-${index}`), isEachNew: false };
const UNKNOWN = { slugs: Array.from({ length: 50 }, (_, index) => `Unknown-${index}`), isEachNew: false };
/**
 * A cycle over more keys than the budget holds would still hit: that is what S3-FIFO is good at. So every request asks
 * for a new slug, and the stub has a record for each: one KV read, one fill, and once the budget is full one eviction.
 */
const EACH_NEW = { slugs: ["Live-"], isEachNew: true };

const NO_LOOK_UPS = { min: 0, max: 0 };
/** Entries go stale after 30 s (absences after 10 s) and are looked up again, once each in a slice at most. */
const REFRESHES_ONLY = { min: 0, max: 0.05 };
/** One for the link; now and then one for the domain. */
const ONE_EACH = { min: 1, max: 1.05 };

const INIT = `{ status: 302, headers: ${JSON.stringify(REDIRECT_HEADERS)} }`;
const REDIRECTED = { status: 302, headers: REDIRECT_HEADERS };

/** What workerd itself costs: the answer of a redirect with its headers, and nothing looked at. */
export const CONSTANT: Target = {
  name: "constant",
  title: "constant 302",
  worker: { source: `export default { fetch: () => new Response(null, ${INIT}) };` },
  records: [],
  traffic: KNOWN,
  expected: { ...REDIRECTED, clicksPerAnswer: 0, lookUpsPerAnswer: NO_LOOK_UPS },
};

const ISOLATE_HIT: Target = {
  name: "isolate-hit",
  title: "isolate hit, click captured",
  worker: "producer",
  records: LIVE_RECORDS,
  traffic: KNOWN,
  expected: { ...REDIRECTED, clicksPerAnswer: 1, lookUpsPerAnswer: REFRESHES_ONLY },
};

/** The headers that a click is made of, and those that are read and rarely present. */
const HEADERS =
  "cf-connecting-ip user-agent referer accept-language sec-purpose purpose x-purpose x-moz sec-gpc dnt hopline-debug";
const PLACE = "country regionCode city continent colo";

/** A module that answers alike whatever it is asked, after what `fetch` does. */
const yardstick = (fetch: string): string => `const HEADERS = "${HEADERS}".split(" ");
const PLACE = "${PLACE}".split(" ");
let visits = [];
function capture(request, env, ctx) {
  const { headers, cf } = request;
  const read = HEADERS.map((name) => headers.get(name));
  visits.push([Date.now(), request.method, request.url, read, PLACE.map((field) => cf[field])]);
  if (visits.length >= 100) {
    ctx.waitUntil(env.CLICKS_0.send(JSON.stringify(visits), { contentType: "text" }));
    visits = [];
  }
}
const readKv = (request, env) =>
  env.LINKS.get("${BENCH_HOST}/" + request.url.slice(request.url.lastIndexOf("/") + 1));
export default {
  ${fetch}
};`;

/** What of an isolate hit is the platform's: the facts of a click read, and handed to a queue a hundred at a time. */
const FACTS: Target = {
  name: "facts",
  title: "constant 302, facts to a queue",
  worker: {
    source: yardstick(`fetch(request, env, ctx) {
    capture(request, env, ctx);
    return new Response(null, ${INIT});
  },`),
  },
  records: [],
  traffic: KNOWN,
  expected: { ...REDIRECTED, clicksPerAnswer: null, lookUpsPerAnswer: NO_LOOK_UPS },
};

const KV_HIT: Target = {
  ...ISOLATE_HIT,
  name: "kv-hit",
  title: "KV hit, click captured",
  traffic: EACH_NEW,
  expected: { ...REDIRECTED, clicksPerAnswer: 1, lookUpsPerAnswer: ONE_EACH },
};

/** What of a KV hit is the platform's: one read as the producer reads, awaited, and the constant answer whatever it says. */
const KV_READ: Target = {
  name: "kv-read",
  title: "constant 302 after one KV read",
  worker: {
    source: yardstick(`async fetch(request, env) {
    await readKv(request, env);
    return new Response(null, ${INIT});
  },`),
  },
  records: LIVE_RECORDS,
  traffic: EACH_NEW,
  expected: { ...REDIRECTED, clicksPerAnswer: null, lookUpsPerAnswer: ONE_EACH },
};

/** And the facts of its click: both that a KV hit needs of the platform. */
const KV_READ_AND_FACTS: Target = {
  ...KV_READ,
  name: "kv-read-and-facts",
  title: "constant 302 after one KV read, facts to a queue",
  worker: {
    source: yardstick(`async fetch(request, env, ctx) {
    await readKv(request, env);
    capture(request, env, ctx);
    return new Response(null, ${INIT});
  },`),
  },
};

const SMART: Target = {
  ...ISOLATE_HIT,
  name: "smart-link",
  title: "smart link, 10 rules",
  records: SMART_RECORDS,
};

const NEGATIVE_HIT: Target = {
  name: "negative-hit",
  title: "negative hit (404 page)",
  worker: "producer",
  records: [DOMAIN],
  traffic: UNKNOWN,
  expected: {
    status: 404,
    headers: PAGE_HEADERS,
    clicksPerAnswer: 0,
    lookUpsPerAnswer: REFRESHES_ONLY,
  },
};

/** In groups of what is compared with each other: those that gates judge, with the Worker that all are shown over. */
export const JUDGED_TARGETS: readonly (readonly Target[])[] = [
  [CONSTANT],
  [ISOLATE_HIT, FACTS],
  [KV_HIT, KV_READ, KV_READ_AND_FACTS],
];
export const TARGETS: readonly (readonly Target[])[] = [...JUDGED_TARGETS, [SMART], [NEGATIVE_HIT]];
