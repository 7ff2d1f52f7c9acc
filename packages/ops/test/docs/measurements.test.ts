/** The figures in README.md and docs/measurements.md are those of the recorded results. */
import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { readFigures } from "../../src/cost/read-figures.ts";
import { objectAt, parseJsonObject } from "../../src/deploy/json-object.ts";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";

/** The rows of the redirect bench, with the names of its targets. */
const TARGETS = {
  "constant 302": "constant",
  "isolate hit, click captured": "isolate-hit",
  "KV hit, click captured": "kv-hit",
  "smart link, 10 rules": "smart-link",
  "negative hit (404 page)": "negative-hit",
};

const read = (path: string) => readFileSync(inWorkspace(path), "utf8");
const readme = read("README.md").replaceAll(/\s+/g, " ");
const page = read("docs/measurements.md");

const figures = readFigures();
const figure = (name: string, digits: number) => (figures.get(name) ?? Number.NaN).toFixed(digits);
const thousands = (value: number) => Math.round(value).toLocaleString("en-US");

const cellsOf = (row: string) =>
  row
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());

describe("docs/measurements.md", () => {
  it.each(Object.entries(TARGETS))("says what was recorded of: %s", (label, target) => {
    const row = page.split("\n").find((line) => line.startsWith(`| ${label} `)) ?? "";
    expect(cellsOf(row)).toEqual([
      label,
      figure(`redirect.${target}.cpu`, 1),
      figure(`redirect.${target}.cpu-ratio`, 2),
      thousands(figures.get(`redirect.${target}.requests-per-second`) ?? Number.NaN),
    ]);
  });

  it("says what was recorded of the cache", () => {
    for (const share of [2, 10, 25]) {
      expect(page).toContain(`${figure(`cache.web07.${share}-percent.hit-rate`, 2)} %`);
    }
  });
});

describe("README.md", () => {
  it("says what was recorded of a redirect's CPU and of inserted clicks", () => {
    const isolateHit = "redirect.isolate-hit";
    expect(readme).toContain(`takes ${figure(`${isolateHit}.cpu`, 1)} µs of CPU with its click captured`);
    expect(readme).toContain(`${figure(`${isolateHit}.cpu-ratio`, 2)} times a Worker`);
    expect(readme).toContain(`(${figure("redirect.constant.cpu", 1)} µs)`);
    expect(readme).toContain(`${thousands(Number(figure("ingest.clicks-per-second", 0)))} clicks a second`);
  });
});

it.each([
  ["README.md", readme],
  ["docs/measurements.md", page.replaceAll(/\s+/g, " ")],
])("%s tells the recorded load run as it was", (_, text) => {
  const run = parseJsonObject(read("load-tests/results/2026-11-21-redirect-2500.json"), "run");
  const stored = objectAt(run, "stored");
  const counts = [run["redirects"], stored["events"], stored["rolledUp"], stored["inserted"]];
  expect(new Set(counts).size).toBe(1);
  expect(text).toMatch(
    new RegExp(`${thousands(Number(run["redirects"]))} redirects = events = .*rollups = ledger`),
  );
  expect(text).toContain(`p95 ${Number(objectAt(run, "latency")["p95Ms"]).toFixed(1)} ms`);
});
