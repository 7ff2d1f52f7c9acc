/** The pages at the top of the repository beside the code: the files, commands and results they name are there. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { objectAt, objectsAt, parseJsonObject } from "../../src/deploy/json-object.ts";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";

const PAGES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"] as const;

/** pnpm's own words; everything else after `pnpm` is a script of ours. */
const PNPM_COMMANDS = ["exec", "install"];

/** The README's rows of the bench, with what it calls them. */
const TARGETS = {
  "constant 302": "constant",
  "isolate hit, click captured": "isolate-hit",
  "KV hit, click captured": "kv-hit",
  "smart link, 10 rules": "smart-link",
  "negative hit (404 page)": "negative-hit",
};

const read = (path: string) => readFileSync(inWorkspace(path), "utf8");
const scripts = Object.keys(objectAt(parseJsonObject(read("package.json"), "package.json"), "scripts"));

/** `pnpm run deploy`, because `pnpm deploy` is pnpm's own. */
const NEED_RUN = ["deploy", "provision", "doctor", "rollout", "cost"];

const cellsOf = (row: string) =>
  row
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());

const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1] ?? "");

describe.each(PAGES)("%s", (path) => {
  const page = read(path);

  it("names only commands that there are", () => {
    const commands = matches(page, /\bpnpm(?:@12)? (?:run )?([a-z][a-z-]*)/g);
    expect(commands.filter((name) => !PNPM_COMMANDS.includes(name) && !scripts.includes(name))).toEqual([]);
  });

  it("says `run` where pnpm has a command of the same name", () => {
    expect(matches(page, /\bpnpm(?:@12)? ([a-z][a-z-]*)/g).filter((name) => NEED_RUN.includes(name))).toEqual(
      [],
    );
  });

  it("leads to pages that there are", () => {
    const links = matches(page, /\]\(([^)#]+)[^)]*\)/g).filter((link) => !link.startsWith("https://"));
    expect(links.filter((link) => !existsSync(inWorkspace(link)))).toEqual([]);
  });

  it("names only files and folders that there are", () => {
    const named = matches(
      page,
      /`((?:packages|workers|docs|\.github|\.ci|migrations|load-tests|test)\/[\w./-]*|[\w.-]+\.(?:jsonc|yaml|md))`/g,
    );
    expect(named.filter((file) => !existsSync(inWorkspace(file)))).toEqual([]);
  });
});

describe("README.md", () => {
  const page = read("README.md");

  it("has a row for every script, and a script for every row", () => {
    const rows = matches(page, /^\| `pnpm (?:run )?([a-z-]+)[^|]*\|/gm);
    expect(rows.toSorted()).toEqual(scripts.toSorted());
  });

  it("tells the recorded load run as it was", () => {
    const run = parseJsonObject(read("load-tests/results/2026-11-21-redirect-2500.json"), "run");
    expect(page).toContain(`${Number(run["redirects"]).toLocaleString("en-US")} redirects = events`);
    expect(page).toContain(`p95 ${Number(objectAt(run, "latency")["p95Ms"]).toFixed(1)} ms`);
  });

  it("says in figures what the recorded results say", () => {
    // What was measured later, on later code, replaces what was measured before: a new run is recorded as a new file.
    const figures = new Map(
      readdirSync(inWorkspace("load-tests/results"))
        .filter((name) => /-bench[\w-]*\.json$/.test(name))
        .map((name) => parseJsonObject(read(`load-tests/results/${name}`), name))
        .toSorted((one, other) => String(one["date"]).localeCompare(String(other["date"])))
        .flatMap((run) => objectsAt(run, "figures"))
        .map(({ name, value }) => [name, Number(value)] as const),
    );
    const said = (name: string, digits: number) => (figures.get(name) ?? Number.NaN).toFixed(digits);
    for (const [label, target] of Object.entries(TARGETS)) {
      const row = page.split("\n").find((line) => line.startsWith(`| ${label} `)) ?? "";
      expect(cellsOf(row)).toEqual([
        label,
        said(`redirect.${target}.cpu`, 1),
        said(`redirect.${target}.cpu-ratio`, 2),
        Math.round(Number(said(`redirect.${target}.requests-per-second`, 3))).toLocaleString("en-US"),
      ]);
    }
    for (const share of [2, 10, 25]) {
      expect(page).toContain(said(`cache.web07.${share}-percent.hit-rate`, 2));
    }
  });
});

describe("ARCHITECTURE.md", () => {
  const page = read("ARCHITECTURE.md");

  it("names every golden file", () => {
    const folder = join("packages", "core", "test", "golden");
    const missing = readdirSync(inWorkspace(folder)).filter((name) => !page.includes(name));
    expect(missing).toEqual([]);
  });

  it("names every table of the database", () => {
    const sql = readdirSync(inWorkspace("migrations")).map((name) => read(`migrations/${name}`));
    const tables = matches(sql.join("\n"), /CREATE (?:UNLOGGED )?TABLE IF NOT EXISTS ([a-z_]+)/g);
    expect(tables.length).toBeGreaterThan(10);
    expect(tables.filter((table) => !page.includes(`\`${table}\``))).toEqual([]);
  });
});
