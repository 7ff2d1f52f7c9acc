/** How long each endpoint of the analytics takes over the clicks of `fill-clicks.ts`, through the application itself. */
import type { ApiApp } from "@hopline/api/app";
import { toPublicId } from "@hopline/api/http/entity-id";
import { DAYS, linkIdOf, START_MS } from "./fill-clicks.ts";

export type Timing = {
  readonly name: string;
  /** The bar it is held to, in milliseconds. */
  readonly barMs: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  /** A request that was refused has no time. */
  readonly status: number;
};

/** As a list where a name stands several times. */
type Parameters = Readonly<Record<string, string | readonly string[]>>;

type Case = {
  readonly name: string;
  readonly barMs: number;
  readonly path: string;
  readonly parameters: Parameters;
  readonly body?: object;
};

const BAR_MS = 300;
const FILTERED_BAR_MS = 1_500;
const HOT = { link: toPublicId("lnk", linkIdOf(0)) };
/** The one with three million clicks among forty-nine others. */
const LINKS = { link: Array.from({ length: 50 }, (_, place) => toPublicId("lnk", linkIdOf(place * 97))) };
/** Just below what has its days counted ahead. */
const MIDDLING = { link: toPublicId("lnk", linkIdOf(7)) };
const COLD = { link: toPublicId("lnk", linkIdOf(2_500)) };
const TWO_FILTERS = { ...HOT, country: "DE", device: "phone" };

/** The whole of it, in a zone whose days are no UTC days. */
const RANGE = {
  from: new Date(START_MS).toISOString(),
  to: new Date(START_MS + (DAYS + 1) * 86_400_000).toISOString(),
  timeZone: "Asia/Kathmandu",
};
const DATES = { from: "2026-07-02", to: "2026-09-27", timeZone: "Asia/Kathmandu" };

const CASES: readonly Case[] = [
  ...[
    ["workspace", {}, BAR_MS] as const,
    ["domain", { domain: "bench.example" }, BAR_MS] as const,
    ["tag", { tag: "tag-7" }, BAR_MS] as const,
    ["tag of the link of 3 million", { tag: "tag-1" }, BAR_MS] as const,
    ["50 links", LINKS, BAR_MS] as const,
    ["one country", { country: "DE" }, BAR_MS] as const,
    ["rare country", { country: "NP" }, BAR_MS] as const,
    ["cold link", COLD, BAR_MS] as const,
    ["middling link", MIDDLING, BAR_MS] as const,
    ["link of 3 million", HOT, BAR_MS] as const,
    ["link of 3 million, two filters", TWO_FILTERS, FILTERED_BAR_MS] as const,
  ].flatMap(([scope, filters, barMs]) => [
    { name: `totals, ${scope}`, barMs, path: "totals", parameters: { ...RANGE, ...filters } },
    { name: `timeseries, ${scope}`, barMs, path: "timeseries", parameters: { ...DATES, ...filters } },
    { name: `compare, ${scope}`, barMs, path: "compare", parameters: { ...DATES, ...filters } },
    { name: `breakdown by link, ${scope}`, barMs, ...by("link", filters) },
    { name: `breakdown by country, ${scope}`, barMs, ...by("country", filters) },
    { name: `breakdown by referrer, ${scope}`, barMs, ...by("referrer", filters) },
    {
      name: `values of city, ${scope}`,
      barMs,
      path: "values",
      parameters: { ...DATES, ...filters, dimension: "city", search: "city 1" },
    },
    { name: `events, ${scope}`, barMs, path: "events", parameters: { ...RANGE, ...filters } },
  ]),
  { name: "breakdown by destination, workspace", barMs: BAR_MS, ...by("destination", {}) },
  { name: "breakdown by tag, workspace", barMs: BAR_MS, ...by("tag", {}) },
  ...[
    ["workspace", {}] as const,
    ["link of 3 million", HOT] as const,
    ["one country", { country: "DE" }] as const,
  ].flatMap(([scope, filters]) => [
    visitorsOf("totals", RANGE, { scope, filters }),
    visitorsOf("timeseries", DATES, { scope, filters }),
    visitorsOf("compare", DATES, { scope, filters }),
  ]),
  // Inside a link or a country this one is counted from the events, and refused over so many.
  visitorsOf("breakdown", { ...DATES, dimension: "country" }, { scope: "workspace", filters: {} }),
  firstScreen("workspace", {}),
  firstScreen("tag", { tag: { is: ["tag-7"] } }),
  firstScreen("one country", { country: { is: ["DE"] } }),
  firstScreen("middling link", { link: { is: [MIDDLING.link] } }),
  firstScreen("link of 3 million", { link: { is: [HOT.link] } }),
];

function by(dimension: string, filters: Parameters) {
  return { path: "breakdown", parameters: { ...DATES, ...filters, dimension } };
}

type Scoped = { readonly scope: string; readonly filters: Parameters };

function visitorsOf(path: string, parameters: Parameters, { scope, filters }: Scoped): Case {
  const name = `${path} with visitors, ${scope}`;
  return { name, barMs: BAR_MS, path, parameters: { ...parameters, ...filters, visitors: "true" } };
}

function firstScreen(scope: string, filters: object): Case {
  const lists = ["link", "referrer", "country", "browser"];
  const body = { ...DATES, filters, lists, facets: ["class", "device"] };
  return { name: `first screen, ${scope}`, barMs: BAR_MS, path: "query", parameters: {}, body };
}

export type TimingOptions = {
  readonly key: string;
  readonly rounds: number;
  /** Only cases with this text in their name. */
  readonly only: string;
  readonly onCase: (timing: Timing) => void;
};

export async function timeEndpoints(app: ApiApp, options: TimingOptions): Promise<readonly Timing[]> {
  const timings: Timing[] = [];
  for (const one of CASES.filter(({ name }) => name.includes(options.only))) {
    const timing = await timeCase(app, one, options);
    options.onCase(timing);
    timings.push(timing);
  }
  return timings;
}

async function timeCase(
  app: ApiApp,
  { name, barMs, path, parameters, body }: Case,
  { key, rounds }: { readonly key: string; readonly rounds: number },
): Promise<Timing> {
  const tookMs: number[] = [];
  let status = 200;
  // The first is not counted, and one refusal is enough.
  for (let round = 0; round <= rounds && status === 200; round += 1) {
    const startedAtMs = performance.now();
    const response = await app.request(`/api/v1/analytics/${path}?${toQuery(parameters)}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    await response.text();
    status = response.status;
    if (round > 0) {
      tookMs.push(performance.now() - startedAtMs);
    }
  }
  const sorted = tookMs.toSorted((a, b) => a - b);
  // The nearest rank: of 20 times the 19th.
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? NaN;
  return { name, barMs, status, medianMs: at(0.5), p95Ms: at(0.95) };
}

function toQuery(parameters: Parameters): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, one] satisfies [string, string]),
  );
  return new URLSearchParams(pairs).toString();
}
