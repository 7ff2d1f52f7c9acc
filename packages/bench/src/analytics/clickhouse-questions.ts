/** What is asked of ClickHouse: every dimension, up to three filters beside the class, several zones, visitors, compare. */
import { toPublicId } from "@hopline/api/http/entity-id";
import { DIMENSIONS } from "@hopline/analytics/dimension";

import { linkIdOf, START_MS } from "./fill-clicks.ts";
import { FIRST_SCREEN, type Parameters, type Question } from "./time-questions.ts";

const DAY_MS = 86_400_000;
const HOT = { link: toPublicId("lnk", linkIdOf(0)) };
const THREE = { country: ["DE", "CH"], "device.not": "phone", browser: "Chrome" };

const SCOPES: Readonly<Record<string, Parameters>> = {
  "no filter": {},
  "one filter": { country: "DE" },
  "two filters": { country: "DE", device: "phone" },
  "three filters": THREE,
  "a tag and two filters": { tag: "tag-7", country: "US", os: "iOS" },
  "the link of three in ten clicks, two filters": { ...HOT, country: "DE", device: "phone" },
  "all classes, three filters": { ...THREE, class: "all" },
};

/** @param barMs what each is held to. */
export function questionsOver(days: number, barMs: number): readonly Question[] {
  const dateOf = (day: number) => new Date(START_MS + day * DAY_MS).toISOString().slice(0, 10);
  const range = (timeZone: string) => ({ from: dateOf(0), to: dateOf(days - 1), timeZone });
  /** With the half before it. */
  const half = { from: dateOf(Math.floor(days / 2)), to: dateOf(days - 1), timeZone: "Europe/Berlin" };
  const question = (name: string, path: string, parameters: Parameters): Question => {
    return { name, barMs, path, parameters };
  };
  const today = { period: "today", timeZone: "UTC" };
  return [
    {
      ...question("today: first screen", "overview", { ...today, ...FIRST_SCREEN, visitors: "true" }),
      barMs: 300,
    },
    {
      ...question("today: by city, three filters", "breakdown", { ...today, ...THREE, dimension: "city" }),
      barMs: 200,
    },
    { ...question("today: visitors", "totals", { ...today, visitors: "true" }), barMs: 300 },
    ...Object.entries(SCOPES).flatMap(([scope, filters]) => [
      question(`totals, ${scope}`, "totals", { ...range("UTC"), ...filters }),
      question(`days of Kathmandu, ${scope}`, "timeseries", { ...range("Asia/Kathmandu"), ...filters }),
      question(`compare with visitors, ${scope}`, "compare", { ...half, ...filters, visitors: "true" }),
      question(`totals with visitors, ${scope}`, "totals", { ...range("UTC"), ...filters, visitors: "true" }),
      question(`days of New York with visitors, ${scope}`, "timeseries", {
        ...range("America/New_York"),
        ...filters,
        visitors: "true",
      }),
      question(`newest clicks, ${scope}`, "events", { ...range("UTC"), ...filters }),
    ]),
    // Its bar is twice that of a question: it asks for two totals, a series, and six lists.
    ...["no filter", "one filter", "three filters"].map((scope) => ({
      ...question(`first screen, ${scope}`, "overview", {
        ...range("UTC"),
        ...SCOPES[scope],
        ...FIRST_SCREEN,
      }),
      barMs: 2 * barMs,
    })),
    ...DIMENSIONS.flatMap((dimension) => {
      const ofDimension = { ...range("Asia/Kathmandu"), dimension };
      return [
        question(`by ${dimension}, no filter`, "breakdown", ofDimension),
        question(`by ${dimension}, three filters`, "breakdown", { ...ofDimension, ...THREE }),
        question(`lines by ${dimension}, three filters`, "lines", { ...ofDimension, ...THREE }),
      ];
    }),
    question("by referrer with visitors, two filters", "breakdown", {
      ...range("UTC"),
      ...SCOPES["two filters"],
      dimension: "referrer",
      visitors: "true",
    }),
    question("cities with a text in their name, three filters", "values", {
      ...range("UTC"),
      ...THREE,
      dimension: "city",
      search: "city 1",
    }),
  ];
}
