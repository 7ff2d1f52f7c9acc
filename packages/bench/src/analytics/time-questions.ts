/** How long each question of the analytics takes over the clicks of `fill-clicks.ts`, through the application itself. */
import os from "node:os";

import type { ApiApp } from "@hopline/api/app";
import { toPublicId } from "@hopline/api/http/entity-id";
import { createCpuMeter } from "../cpu-meter.ts";
import type { Timing } from "./analytics-report.ts";
import { DAYS, linkIdOf, START_MS } from "./fill-clicks.ts";

/** A list where a name is repeated. */
export type Parameters = Readonly<Record<string, string | readonly string[]>>;

/** `barMs`: the p95 it is held to. */
export type Question = {
  readonly name: string;
  readonly barMs: number;
  readonly path: string;
  readonly parameters: Parameters;
};

const BAR_MS = 300;
/** The limit of the API: with more than one filter, an answer comes within it or not at all. */
const FILTERED_BAR_MS = 4_000;
const HOT = { link: toPublicId("lnk", linkIdOf(0)) };
/** The one with three million clicks among forty-nine others. */
const LINKS = { link: Array.from({ length: 50 }, (_, place) => toPublicId("lnk", linkIdOf(place * 97))) };
/** Just below the size at which a link's days are pre-aggregated. */
const MIDDLING = { link: toPublicId("lnk", linkIdOf(7)) };
const COLD = { link: toPublicId("lnk", linkIdOf(2_500)) };
const ONE_COUNTRY = { country: "DE" };

/** All clicks, in a time zone whose days are not UTC's. */
const RANGE = {
  from: new Date(START_MS).toISOString(),
  to: new Date(START_MS + (DAYS + 1) * 86_400_000).toISOString(),
  timeZone: "Asia/Kathmandu",
};
const dateOf = (day: number): string => new Date(START_MS + day * 86_400_000).toISOString().slice(0, 10);
const DATES = { from: dateOf(1), to: dateOf(DAYS - 2), timeZone: "Asia/Kathmandu" };

const SCOPES: Readonly<Record<string, Parameters>> = {
  workspace: {},
  domain: { domain: "bench.example" },
  tag: { tag: "tag-7" },
  "tag of the link of 3 million": { tag: "tag-1" },
  "50 links": LINKS,
  "one country": ONE_COUNTRY,
  "rare country": { country: "NP" },
  "cold link": COLD,
  "middling link": MIDDLING,
  "link of 3 million": HOT,
  "link of 3 million, two filters": { ...HOT, country: "DE", device: "phone" },
};

export const FIRST_SCREEN: Parameters = {
  lists: ["link", "referrer", "country", "browser"],
  facets: ["class", "device"],
};

export const QUESTIONS: readonly Question[] = [
  ...Object.entries(SCOPES).flatMap(([scope, filters]) => {
    const barMs = "device" in filters ? FILTERED_BAR_MS : BAR_MS;
    return [
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
    ];
  }),
  { name: "breakdown by destination, workspace", barMs: BAR_MS, ...by("destination", {}) },
  { name: "breakdown by tag, workspace", barMs: BAR_MS, ...by("tag", {}) },
  { name: "breakdown by variant, workspace", barMs: BAR_MS, ...by("variant", {}) },
  { name: "breakdown by variant, link of 3 million", barMs: BAR_MS, ...by("variant", HOT) },
  { name: "totals, one variant", barMs: BAR_MS, path: "totals", parameters: { ...RANGE, variant: "a" } },
  ...["link", "referrer", "country", "variant"].map((dimension) => ({
    name: `lines by ${dimension}, workspace`,
    barMs: BAR_MS,
    path: "lines",
    parameters: { ...DATES, dimension },
  })),
  ...Object.entries({ workspace: {}, "link of 3 million": HOT, "one country": ONE_COUNTRY }).flatMap(
    ([scope, filters]) => [
      visitorsOf("totals", RANGE, { scope, filters }),
      visitorsOf("timeseries", DATES, { scope, filters }),
      visitorsOf("compare", DATES, { scope, filters }),
    ],
  ),
  // Of one link or one country this is counted from the events, and refused for so many.
  visitorsOf("breakdown", { ...DATES, dimension: "country" }, { scope: "workspace", filters: {} }),
  overview("workspace", {}),
  overview("tag", { tag: "tag-7" }),
  overview("one country", ONE_COUNTRY),
  overview("middling link", MIDDLING),
  overview("link of 3 million", HOT),
];

/** Of the running day, in zones whose days begin at other quarters of an hour. */
export const QUESTIONS_OF_TODAY: readonly Question[] = ["UTC", "Europe/Zurich", "Asia/Kathmandu"].flatMap(
  (timeZone) => {
    const today = { period: "today", timeZone };
    const named = (name: string) => `today in ${timeZone}: ${name}`;
    const screen = { ...FIRST_SCREEN, visitors: "true" };
    return [
      { name: named("first screen"), barMs: 500, path: "overview", parameters: { ...today, ...screen } },
      {
        name: named("first screen of 30 days"),
        barMs: 500,
        path: "overview",
        parameters: { ...today, period: "last30Days", ...screen },
      },
      ...["workspace", "link of 3 million", "one country", "tag"].flatMap((scope) =>
        ["link", "referrer", "country", "city"].map((dimension) => ({
          name: named(`breakdown by ${dimension}, ${scope}`),
          barMs: 400,
          path: "breakdown",
          parameters: { ...today, ...SCOPES[scope], dimension },
        })),
      ),
      ...["workspace", "link of 3 million", "one country"].map((scope) => ({
        name: named(`visitors, ${scope}`),
        barMs: 300,
        path: "totals",
        parameters: { ...today, ...SCOPES[scope], visitors: "true" },
      })),
    ];
  },
);

function by(dimension: string, filters: Parameters) {
  return { path: "breakdown", parameters: { ...DATES, ...filters, dimension } };
}

type Scoped = { readonly scope: string; readonly filters: Parameters };

function visitorsOf(path: string, parameters: Parameters, { scope, filters }: Scoped): Question {
  const name = `${path} with visitors, ${scope}`;
  return { name, barMs: BAR_MS, path, parameters: { ...parameters, ...filters, visitors: "true" } };
}

function overview(scope: string, filters: Parameters): Question {
  const parameters = { ...DATES, ...filters, ...FIRST_SCREEN };
  return { name: `first screen, ${scope}`, barMs: BAR_MS, path: "overview", parameters };
}

export type TimingOptions = {
  readonly key: string;
  readonly questions: readonly Question[];
  readonly rounds: number;
  /** Only questions with this text in their name. */
  readonly only: string;
  readonly say: (status: string) => void;
};

export async function timeQuestions(
  app: ApiApp,
  { key, questions, rounds, only, say }: TimingOptions,
): Promise<readonly Timing[]> {
  const timings: Timing[] = [];
  for (const question of questions.filter(({ name }) => name.includes(only))) {
    say(question.name);
    const tookMs: number[] = [];
    let status = 200;
    const meter = createCpuMeter();
    const beganAtMs = performance.now();
    // The first is not counted, and one refusal is enough.
    for (let round = 0; round <= rounds && status === 200; round += 1) {
      const startedAtMs = performance.now();
      status = await ask(app, key, question);
      if (round > 0) {
        tookMs.push(performance.now() - startedAtMs);
      }
    }
    const { ours } = meter.read();
    const cpuMs =
      ours === null ? null : (ours * (performance.now() - beganAtMs) * os.cpus().length) / (rounds + 1);
    timings.push({ name: question.name, barMs: question.barMs, tookMs, cpuMs, status });
  }
  return timings;
}

async function ask(app: ApiApp, key: string, { path, parameters }: Question): Promise<number> {
  const response = await app.request(`/api/v1/analytics/${path}?${toQuery(parameters)}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  await response.text();
  return response.status;
}

function toQuery(parameters: Parameters): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, one] satisfies [string, string]),
  );
  return new URLSearchParams(pairs).toString();
}
