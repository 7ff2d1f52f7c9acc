/** The figures in docs/measurements.md and README.md are those of the recorded runs, and each gate has one. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { GATES } from "../src/gates.ts";
import { describeBar, formatValue } from "../src/judge.ts";
import { RESULTS } from "../src/result-file.ts";
import { renderShards } from "../src/shards.ts";

const read = (path: string) => readFileSync(inWorkspace(path), "utf8");
const oneLine = (text: string) => text.replaceAll(/\s+/g, " ");
const page = read("docs/measurements.md");
const readme = oneLine(read("README.md"));

type Run = {
  readonly date: string;
  readonly figures: readonly { readonly name: string; readonly value: number }[];
};

/** Of each figure in a JSON file the one measured last. */
const recorded = new Map(
  readdirSync(inWorkspace(RESULTS))
    .filter((name) => /-bench[\w-]*\.json$/.test(name))
    .map((name) => ({ name, run: JSON.parse(read(join(RESULTS, name))) as Run }))
    .toSorted((one, other) => one.run.date.localeCompare(other.run.date))
    .flatMap(({ name, run }) =>
      run.figures.map((figure) => [figure.name, { ...figure, file: name }] as const),
    ),
);

/** The files that the tables refer to. */
const links = new Map(
  [...page.matchAll(/^\[([\w-]+)\]: \.\.\/load-tests\/results\/([\w.-]+)$/gm)].map(
    ([, name, file]) => [name, file ?? ""] as const,
  ),
);

const rows = page
  .split("\n")
  .filter((line) => /^\| .*(?:\]\[[\w-]+\]|not recorded)/.test(line))
  .map((line) => {
    const cells = line.split("|").map((cell) => cell.trim());
    const file = links.get(/\]\[([\w-]+)\]/.exec(line)?.[1]) ?? "";
    return {
      title: cells[1] ?? "",
      newest: cells[2] ?? "",
      bar: cells[3] ?? "",
      section: cells[4] ?? "",
      file,
    };
  });

describe("docs/measurements.md", () => {
  it("names a recorded run in each row", () => {
    const files = readdirSync(inWorkspace(RESULTS));
    expect(rows.length).toBeGreaterThan(30);
    expect(rows.filter(({ file, newest }) => !files.includes(file) && newest !== "not recorded")).toEqual([]);
  });

  it.each(GATES)("has the bar and the newest figure of: $title", (gate) => {
    const row = rows.find(({ title }) => title === gate.title);
    expect(row).toMatchObject({ bar: describeBar(gate), section: `\`--only ${gate.section}\`` });
    const json = recorded.get(gate.figure);
    const isOlder = json === undefined || json.file.slice(0, 10) < (row?.file.slice(0, 10) ?? "");
    if (!isOlder) {
      expect(row).toMatchObject({ newest: formatValue(json.value, gate.unit), file: json.file });
    }
  });

  it.each(rows.filter(({ file }) => file.endsWith(".md")))("says what was printed of: $title", (row) => {
    const printed = oneLine(read(join(RESULTS, row.file)));
    const numbers = row.newest.match(/\d[\d,.]*\d|\d/g) ?? [];
    expect(numbers.length).toBeGreaterThan(0);
    expect(numbers.filter((number) => !printed.includes(number))).toEqual([]);
  });

  it("says what the recorded load run found", () => {
    expect(page).toContain(`| ${describeLoadRun()} |`);
  });
});

describe("README.md", () => {
  it("says what docs/measurements.md says", () => {
    const newest = (title: string) => {
      const row = rows.find((one) => one.title === title);
      return row?.newest.replace(/ x$/, "") ?? "not measured";
    };
    expect(readme).toContain(`${newest("CPU: isolate hit over a Worker that reads its facts")} times`);
    expect(readme).toContain(`${newest("CPU of an isolate hit over a constant 302")} times`);
    const inserted = recorded.get("ingest.clicks-per-second")?.value ?? Number.NaN;
    expect(readme).toContain(`${inserted.toLocaleString("en-US")} clicks a second`);
    expect(readme).toContain(describeLoadRun());
    const held = recorded.get("ingest.sustained.clicks-per-second")?.value ?? Number.NaN;
    const cpu = recorded.get("ingest.sustained.cpu-per-click")?.value ?? Number.NaN;
    expect(readme).toContain(`${Math.round(held).toLocaleString("en-US")} of 15,000 clicks a second`);
    expect(readme).toContain(`${Math.round(cpu)} µs of CPU each`);
  });
});

function describeLoadRun(): string {
  const { redirects, stored } = JSON.parse(read(join(RESULTS, "2026-11-21-redirect-2500.json"))) as {
    readonly redirects: number;
    readonly stored: { readonly events: number; readonly rolledUp: number; readonly inserted: number };
  };
  expect(new Set([redirects, stored.events, stored.rolledUp, stored.inserted]).size).toBe(1);
  return `${redirects.toLocaleString("en-US")} redirects = events = rollups = ledger`;
}

it("a million clicks a second by shards: the table of the bench's page is the one that is computed", () => {
  expect(read("packages/bench/README.md")).toContain(renderShards());
});
