/**
 * Workers that do what the platform charges for and nothing of ours, beside the constant one. A redirect's cost is one of
 * theirs and what we add to it: on a machine with much other work theirs grows against the constant Worker's as well.
 */
import { LIVE_RECORD, REDIRECT_HEADERS, type Target } from "./targets.ts";
import { BENCH_HOST } from "./visitors.ts";

const INIT = `{ status: 302, headers: ${JSON.stringify(REDIRECT_HEADERS)} }`;

/** What of a KV hit is the platform's: one read, awaited, and the constant answer whatever it says. */
export const KV_READ: Target = {
  name: "kv-read",
  title: "constant 302 after one KV read",
  worker: {
    source: `export default {
  async fetch(request, env) {
    const slug = request.url.slice(request.url.lastIndexOf("/") + 1);
    await env.LINKS.get("${BENCH_HOST}/" + slug, { type: "text", cacheTtl: 60 });
    return new Response(null, ${INIT});
  },
};
`,
  },
  records: [{ slugPrefix: "Live-", text: LIVE_RECORD }],
  traffic: { slugs: ["Live-"], isEachNew: true },
  expected: {
    status: 302,
    headers: REDIRECT_HEADERS,
    clicksPerAnswer: null,
    lookUpsPerAnswer: { min: 1, max: 1 },
  },
};

/** The headers that a click is made of, and those that are asked for and hardly ever there. */
const HEADERS = [
  "cf-connecting-ip",
  "user-agent",
  "referer",
  "accept-language",
  "sec-purpose",
  "purpose",
  "x-purpose",
  "x-moz",
  "sec-gpc",
  "dnt",
  "hopline-debug",
];
const PLACE = ["country", "regionCode", "city", "continent", "latitude", "longitude", "colo", "asn"];

/** What of an isolate hit is the platform's: the facts of a click read, and handed to a queue a hundred at a time. */
export const FACTS: Target = {
  name: "facts",
  title: "constant 302, facts to a queue",
  worker: {
    source: `const HEADERS = ${JSON.stringify(HEADERS)};
const PLACE = ${JSON.stringify(PLACE)};
let visits = [];
export default {
  fetch(request, env, ctx) {
    const { headers, cf } = request;
    const read = HEADERS.map((name) => headers.get(name));
    visits.push([Date.now(), request.method, request.url, read, PLACE.map((field) => cf[field])]);
    if (visits.length >= 100) {
      ctx.waitUntil(env.CLICKS_0.send(JSON.stringify(visits), { contentType: "text" }));
      visits = [];
    }
    return new Response(null, ${INIT});
  },
};
`,
  },
  records: [],
  traffic: { slugs: ["Live-1", "Live-2", "Live-3"], isEachNew: false },
  expected: {
    status: 302,
    headers: REDIRECT_HEADERS,
    clicksPerAnswer: null,
    lookUpsPerAnswer: { min: 0, max: 0 },
  },
};
