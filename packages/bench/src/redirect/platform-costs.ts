/**
 * What single steps of a redirect cost in workerd: the constant Worker with one step added (or changed), against the
 * constant Worker. A guide for whoever works on the hot path; no gate reads it. `pnpm bench --only platform`.
 */
import { REDIRECT_HEADERS, type Target } from "./targets.ts";

type Step = {
  readonly name: string;
  readonly title: string;
  /** Statements before the answer. `keep` is a variable that nothing reads: it keeps V8 from leaving a step out. */
  readonly does?: string;
  /** The answer, where it is not the constant one. */
  readonly answers?: string;
  readonly isAsync?: boolean;
  /** How often `does` repeats its step; the figure is per step. */
  readonly times?: number;
};

const INIT = `{ status: 302, headers: ${JSON.stringify(REDIRECT_HEADERS)} }`;
const VISITOR_HEADERS = [
  "user-agent",
  "referer",
  "accept-language",
  "cf-connecting-ip",
  "sec-purpose",
  "purpose",
  "sec-gpc",
  "dnt",
];
const readAllHeaders = VISITOR_HEADERS.map((name) => `keep = request.headers.get("${name}");`).join(" ");

/** The constant Worker once more, as warm as the others: what they are compared with. */
export const UNCHANGED = "unchanged";

const STEPS: readonly Step[] = [
  { name: UNCHANGED, title: "nothing" },
  { name: "no-headers", title: "no headers on the Response", answers: "new Response(null, { status: 302 })" },
  {
    name: "new-headers",
    title: "new Headers(literal) instead of a literal",
    answers: `new Response(null, { status: 302, headers: new Headers(${JSON.stringify(REDIRECT_HEADERS)}) })`,
  },
  {
    name: "kept-headers",
    title: "a Headers kept by the isolate as init",
    answers: "new Response(null, { status: 302, headers: KEPT })",
  },
  { name: "async", title: "async fetch", isAsync: true },
  { name: "await", title: "async fetch + one await", isAsync: true, does: "await undefined;" },
  { name: "url", title: "request.url", does: "keep = request.url;" },
  { name: "parse-url", title: "new URL(request.url)", does: "keep = new URL(request.url).pathname;" },
  { name: "method", title: "request.method", does: "keep = request.method;" },
  { name: "headers", title: "request.headers (the object)", does: "keep = request.headers;" },
  { name: "header-read", title: "one header read", does: 'keep = request.headers.get("user-agent");' },
  { name: "header-reads", title: "eight header reads, each", does: readAllHeaders, times: 8 },
  {
    name: "all-headers",
    title: "all headers as an object",
    does: "keep = Object.fromEntries(request.headers);",
  },
  { name: "cf", title: "request.cf", does: "keep = request.cf;" },
  {
    name: "cf-fields",
    title: "request.cf and ten fields",
    does: "const { country, regionCode, city, continent, latitude, longitude, colo, asn, botManagement, timezone } = request.cf; keep = [country, regionCode, city, continent, latitude, longitude, colo, asn, botManagement, timezone];",
  },
  { name: "cf-copy", title: "{ ...request.cf }", does: "keep = { ...request.cf };" },
  { name: "now", title: "Date.now()", does: "keep = Date.now();" },
  { name: "wait-until-settled", title: "ctx.waitUntil(settled promise)", does: "ctx.waitUntil(SETTLED);" },
  {
    name: "wait-until-async",
    title: "ctx.waitUntil(async function)",
    does: "ctx.waitUntil((async () => { keep = 1; })());",
  },
  {
    name: "wait-until-timer",
    title: "ctx.waitUntil(scheduler.wait(0))",
    does: "ctx.waitUntil(scheduler.wait(0));",
  },
  { name: "env-entries", title: "Object.entries(env)", does: "keep = Object.entries(env);" },
  {
    name: "kv-read",
    title: "one KV read, awaited",
    isAsync: true,
    does: 'keep = await env.LINKS.get("go.example.com/Live-1");',
  },
  {
    name: "queue-send",
    title: "one queue send in waitUntil",
    does: 'ctx.waitUntil(env.CLICKS_0.send(MESSAGE, { contentType: "text" }));',
  },
];

export type PlatformStep = { readonly target: Target; readonly times: number };

export const PLATFORM_STEPS: readonly PlatformStep[] = STEPS.map((step) => ({
  times: step.times ?? 1,
  target: {
    name: step.name,
    title: step.title,
    worker: { source: toWorker(step) },
    records: [{ slugPrefix: "Live-", text: "x".repeat(200) }],
    traffic: { slugs: ["Live-1"], isEachNew: false },
    expected: {
      status: 302,
      headers: {},
      clicksPerAnswer: null,
      lookUpsPerAnswer: { min: 0, max: 2 },
    },
  },
}));

function toWorker({ does = "", answers = `new Response(null, ${INIT})`, isAsync = false }: Step): string {
  return `let keep;
const SETTLED = Promise.resolve();
const MESSAGE = "m".repeat(400);
let KEPT;
export default {
  ${isAsync ? "async " : ""}fetch(request, env, ctx) {
    KEPT ??= new Headers(${JSON.stringify(REDIRECT_HEADERS)});
    ${does}
    return ${answers};
  },
};
export const read = { fetch: () => new Response(String(keep)) };
`;
}
