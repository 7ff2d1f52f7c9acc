/**
 * What the redirect bench measures: Workers, what is asked of them, and what must come back. To add a target, add one
 * here; to leave one out for a reason, give it `notMeasured`, which the report prints.
 */
import { encodeDomainRecord } from "@hopline/core/link/domain-record";
import { encodeLinkRecord } from "@hopline/core/link/link-record";

import type { KvRecords } from "./workerd-config.ts";

type Traffic = {
  /** Asked for in turn; or beginnings of slugs of which none is asked for twice. */
  readonly slugs: readonly string[];
  readonly isEachNew: boolean;
};

export type Target = {
  readonly name: string;
  readonly title: string;
  /** The producer's bundle, or a Worker of one module with the producer's bindings. */
  readonly worker: "producer" | { readonly source: string };
  readonly records: KvRecords;
  readonly traffic: Traffic;
  readonly expected: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** Exactly this many clicks reach the queue for each answer; null for a Worker that knows no clicks. */
    readonly clicksPerAnswer: 0 | 1 | null;
    /** Calls to KV and the database for each answer, between these bounds: what makes it this target and no other. */
    readonly lookUpsPerAnswer: { readonly min: number; readonly max: number };
  };
};

type NotMeasured = { readonly name: string; readonly title: string; readonly why: string };

export const LINK_ID = "0198c0de-0000-7000-8000-0000000000b1";

const DESTINATION = "https://www.example.com/autumn/collection?ref=newsletter";

export const REDIRECT_HEADERS = {
  location: DESTINATION,
  "cache-control": "private, no-store",
  "x-robots-tag": "noindex",
};

export const LIVE_RECORD = encodeLinkRecord({
  linkId: LINK_ID,
  version: 3,
  state: "live",
  url: DESTINATION,
  redirectStatus: 302,
});

/** The domain's key ends in `@`. A mixed-case slug asks its domain whether case matters. */
const DOMAIN = {
  slugPrefix: "@",
  text: encodeDomainRecord({
    domainId: "0198c0de-0000-7000-8000-0000000000d1",
    version: 1,
    ignoresCase: false,
  }),
};

const ELSEWHERE = { url: "https://www.example.com/elsewhere" };

const SMART_RECORD = encodeLinkRecord({
  linkId: LINK_ID,
  version: 3,
  state: "live",
  url: DESTINATION,
  redirectStatus: 302,
  rules: [
    { id: "country", when: { country: ["FJ", "TO", "WS"] }, to: ELSEWHERE },
    { id: "continent", when: { continent: ["AN"] }, to: ELSEWHERE },
    { id: "region", when: { region: ["US-WY", "US-ND"] }, to: ELSEWHERE },
    {
      id: "time",
      when: { time: { zone: "Europe/Berlin", days: [1], startMinute: 0, endMinute: 1 } },
      to: ELSEWHERE,
    },
    { id: "query", when: { query: [{ name: "ref", values: ["sms"] }] }, to: ELSEWHERE },
    { id: "language", when: { language: ["fj", "to"] }, to: ELSEWHERE },
    { id: "referrer", when: { referrer: ["*.nobody.example"] }, to: ELSEWHERE },
    { id: "device", when: { device: ["console"] }, to: ELSEWHERE },
    { id: "os", when: { os: ["KaiOS"] }, to: ELSEWHERE },
    { id: "browser", when: { browser: ["Vivaldi"], visitor: "bot" }, to: ELSEWHERE },
  ],
});

/** Mixed-case, as generated slugs are. So few that a slice in which all of them go stale at once is still within REFRESHES_ONLY. */
const KNOWN_SLUGS = Array.from({ length: 100 }, (_, index) => `Live-${index}`);
const UNKNOWN_SLUGS = Array.from({ length: 50 }, (_, index) => `Nobody-${index}`);

/** Entries go stale after 30 s (absences after 10 s) and are looked up again, once each in a slice at most. */
const REFRESHES_ONLY = { min: 0, max: 0.05 };

/** The yardstick: what workerd itself costs. The answer of a redirect with its headers, and nothing looked at. */
export const CONSTANT: Target = {
  name: "constant",
  title: "constant 302",
  worker: {
    source: `export default {
  fetch: () => new Response(null, { status: 302, headers: ${JSON.stringify(REDIRECT_HEADERS)} }),
};
`,
  },
  records: [],
  traffic: { slugs: KNOWN_SLUGS, isEachNew: false },
  expected: {
    status: 302,
    headers: REDIRECT_HEADERS,
    clicksPerAnswer: 0,
    lookUpsPerAnswer: { min: 0, max: 0 },
  },
};

export const TARGETS: readonly Target[] = [
  {
    name: "isolate-hit",
    title: "isolate hit, click captured",
    worker: "producer",
    records: [DOMAIN, { slugPrefix: "Live-", text: LIVE_RECORD }],
    traffic: { slugs: KNOWN_SLUGS, isEachNew: false },
    expected: {
      status: 302,
      headers: REDIRECT_HEADERS,
      clicksPerAnswer: 1,
      lookUpsPerAnswer: REFRESHES_ONLY,
    },
  },
  {
    // A cycle over more keys than the budget holds would still hit: that is what S3-FIFO is good at. So every request
    // asks for a slug that was never asked for, and the stub holds a record for each: one KV read, one fill, and once
    // the budget is full one eviction an answer.
    name: "kv-hit",
    title: "KV hit, click captured",
    worker: "producer",
    records: [DOMAIN, { slugPrefix: "Live-", text: LIVE_RECORD }],
    traffic: { slugs: ["Live-"], isEachNew: true },
    expected: {
      status: 302,
      headers: REDIRECT_HEADERS,
      clicksPerAnswer: 1,
      // One for the link; the domain becomes stale now and then.
      lookUpsPerAnswer: { min: 1, max: 1.05 },
    },
  },
  {
    // Every field is asked, the user agent's four times; none of the ten matches, so all of them are asked each time.
    name: "smart-link",
    title: "smart link, 10 rules",
    worker: "producer",
    records: [DOMAIN, { slugPrefix: "Live-", text: SMART_RECORD }],
    traffic: { slugs: KNOWN_SLUGS, isEachNew: false },
    expected: {
      status: 302,
      headers: REDIRECT_HEADERS,
      clicksPerAnswer: 1,
      lookUpsPerAnswer: REFRESHES_ONLY,
    },
  },
  {
    name: "negative-hit",
    title: "negative hit (404 page)",
    worker: "producer",
    records: [DOMAIN],
    traffic: { slugs: UNKNOWN_SLUGS, isEachNew: false },
    expected: {
      status: 404,
      headers: { "cache-control": "private, no-store", "x-robots-tag": "noindex" },
      clicksPerAnswer: 0,
      lookUpsPerAnswer: REFRESHES_ONLY,
    },
  },
];

export const NOT_MEASURED: readonly NotMeasured[] = [];
