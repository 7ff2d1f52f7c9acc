import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { drawPage, drawPicture, PAGE, PICTURE, readRuns } from "../run/results-page.ts";

it("the page of recorded runs and its picture say what the files say: pnpm load results", () => {
  const runs = readRuns();
  expect(runs.length).toBeGreaterThanOrEqual(3);
  expect(readFileSync(PAGE, "utf8")).toBe(drawPage(runs));
  expect(readFileSync(PICTURE, "utf8")).toBe(drawPicture(runs));
});

it("a run that did not hold is shown as such, and what a file does not say as a dash", () => {
  const [run] = readRuns();
  if (run === undefined) {
    throw new Error("there are no recorded runs");
  }
  const failed = { ...run, verdict: { isOk: false }, stored: null, commit: "0123456789abcdef" };
  expect(drawPage([failed])).toMatch(/\| 01234567 \| .* \| no   \| [\d,]+ +\| - +\|/);
  expect(drawPicture([failed])).toContain("clicks are not counted, not held");
});

it("a run is named after its target, which newer files have in their plan, and needs nothing of k6", () => {
  const [run] = readRuns();
  if (run === undefined) {
    throw new Error("there are no recorded runs");
  }
  const { target: _target, ...rest } = run;
  const unseen = { ...rest, plan: { target: "staging" }, steadyRate: null, latency: null };
  expect(drawPage([unseen])).toMatch(/\[staging\]\(.*?\) \| - +\| - +\| - +\| - +\| - +\| yes +\|/);
  expect(drawPicture([unseen])).toContain("rate not known here");
});
