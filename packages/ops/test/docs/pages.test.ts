/** The documents beside the code: what they list is there, and what is there they list. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { MAX_SEGMENT_CLICKS } from "@hopline/core/click/segment";
import { MAX_DESTINATION_LENGTH } from "@hopline/core/link/destination-url";
import { MAX_SLUG_LENGTH } from "@hopline/core/link/link-address";
import { MAX_RULES, MAX_VARIANTS } from "@hopline/core/rules/rule";
import { PRODUCER_START_UP_BUDGET_BYTES } from "@hopline/testkit/workspace/bundle-budget";
import { objectAt, parseJsonObject } from "../../src/deploy/json-object.ts";
import { readWorkerConfigs } from "../../src/deploy/worker-config.ts";
import { inWorkspace, WORKERS, WORKSPACE_ROOT } from "@hopline/testkit/workspace/workspace";

const read = (path: string) => readFileSync(inWorkspace(path), "utf8");
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1] ?? "");
const listed = (...patterns: readonly string[]): readonly string[] =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...patterns], {
    cwd: WORKSPACE_ROOT,
    encoding: "utf8",
  })
    .split("\n")
    .filter((path) => path !== "");
const guides = readdirSync(inWorkspace("docs")).filter((name) => name.endsWith(".md"));
const pages = listed("*.md").filter((path) => !/\/(?:test|results)\//.test(path));
const scripts = Object.keys(objectAt(parseJsonObject(read("package.json"), "package.json"), "scripts"));

/** pnpm's own words; everything else after `pnpm` is a script of ours. */
const PNPM_COMMANDS = ["exec", "install"];
/** pnpm has commands of these names itself, or may get them. */
const NEED_RUN = ["deploy", "provision", "doctor", "rollout", "cost", "lines", "teardown"];

describe.each(pages)("%s", (path) => {
  const page = read(path);

  it("names only commands that exist, with `run` where pnpm has one of the same name", () => {
    const commands = matches(page, /\bpnpm(?:@12)? (?:run )?([a-z][a-z-]*)/g);
    expect(commands.filter((name) => !PNPM_COMMANDS.includes(name) && !scripts.includes(name))).toEqual([]);
    const direct = matches(page, /\bpnpm(?:@12)? ([a-z][a-z-]*)/g);
    expect(direct.filter((name) => NEED_RUN.includes(name))).toEqual([]);
  });
});

describe("README.md", () => {
  const page = read("README.md");

  it("is short, and starts with a clone", () => {
    expect(page.trimEnd().split("\n").length).toBeLessThanOrEqual(100);
    expect(/```sh\n(.*)\n/.exec(page)?.[1]).toBe("git clone <repository> hopline");
  });

  it("lists every guide", () => {
    expect(guides.filter((name) => !page.includes(`](docs/${name})`))).toEqual([]);
  });

  it("shows labels that `pnpm dev` prints", () => {
    const labels = matches(read("docs/images/dev.svg"), /<tspan class="label">([^<]+)</g);
    const source = readdirSync(inWorkspace("packages/ops/src/dev")).map((name) =>
      read(`packages/ops/src/dev/${name}`),
    );
    expect(labels.length).toBeGreaterThan(2);
    expect(labels.filter((label) => !source.join("\n").includes(label))).toEqual([]);
  });
});

describe("docs/commands.md", () => {
  it("has a line for every script, and a script for every line", () => {
    const lines = matches(read("docs/commands.md"), /^- `pnpm (?:run )?([a-z:-]+)[^`]*`:/gm);
    expect(lines.toSorted()).toEqual(scripts.toSorted());
  });
});

it("packages/core/README.md names every golden file", () => {
  const page = read("packages/core/README.md");
  const golden = readdirSync(inWorkspace("packages/core/test/golden"));
  expect(golden.filter((name) => !page.includes(name))).toEqual([]);
});

it("migrations/README.md names every table of the database", () => {
  const [page = ""] = read("migrations/README.md").split("\n## Triggers");
  const files = readdirSync(inWorkspace("migrations")).filter((name) => name.endsWith(".sql"));
  const sql = files.map((name) => read(`migrations/${name}`));
  const tables = matches(sql.join("\n"), /CREATE (?:UNLOGGED )?TABLE ([a-z_]+)/g);
  expect(tables.length).toBeGreaterThan(10);
  expect(tables.filter((table) => !page.includes(`\`${table}\``))).toEqual([]);
});

it.each([
  ["Segment", `${MAX_SEGMENT_CLICKS} clicks`],
  [
    "Destination, slug",
    `${MAX_DESTINATION_LENGTH.toLocaleString("en-US")} characters, ${MAX_SLUG_LENGTH} characters`,
  ],
  ["Rules, variants of a link", `${MAX_RULES}, ${MAX_VARIANTS}`],
])("packages/core/README.md says what the code says of: %s", (name, limit) => {
  const row = read("packages/core/README.md")
    .split("\n")
    .find((line) => line.startsWith(`| ${name} `));
  expect(row).toContain(limit);
});

it("workers/producer/README.md says what its start-up may weigh", () => {
  const limit = `${PRODUCER_START_UP_BUDGET_BYTES / 1024} KB minified`;
  expect(read("workers/producer/README.md").replaceAll(/\s+/g, " ")).toContain(limit);
});

describe("what a reader has to get through", () => {
  const bytesOf = (path: string) => statSync(inWorkspace(path)).size;

  it("is 20 KB of architecture", () => {
    expect(bytesOf("ARCHITECTURE.md")).toBeLessThanOrEqual(20 * 1_024);
  });

  // What is generated (docs/grafana) and pictures are not read.
  it("is 110 KB in docs/ altogether", () => {
    const read = readdirSync(inWorkspace("docs"), { withFileTypes: true }).filter((entry) => entry.isFile());
    const sizes = read.map(({ name }) => bytesOf(`docs/${name}`));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(110 * 1_024);
  });

  // migrations/README.md is a list of all tables and triggers, for looking up.
  it("is 4 KB in a room", () => {
    const rooms = listed(":(glob)*/**/README.md").filter(
      (path) => path !== "migrations/README.md" && !path.includes("/test/"),
    );
    expect(rooms.length).toBeGreaterThan(15);
    expect(rooms.filter((path) => bytesOf(path) > 4 * 1_024)).toEqual([]);
  });
});

it("docs/capacity-and-cost.md counts with the CLICK_LINGER_MS of the configuration", async () => {
  const page = read("docs/capacity-and-cost.md");
  const producer = (await readWorkerConfigs()).find(({ source }) => source.name === "producer");
  const lingerMs = Number(objectAt(producer?.raw ?? {}, "vars")["CLICK_LINGER_MS"]).toLocaleString("en-US");
  expect(page).toContain(`\`CLICK_LINGER_MS\` (${lingerMs} as shipped)`);
  expect(page).toContain(`| segments, ${lingerMs} ms (as shipped) `);
});

describe("docs/observability.md", () => {
  const page = read("docs/observability.md");
  // The dashboard only passes requests on, and logs nothing.
  const workers = WORKERS.map(({ name }) => name).filter((name) => name !== "dashboard");

  it.each(workers)("lists every log event of the %s, and no other", (worker) => {
    const heading = `### ${worker === "api" ? "API" : worker.replace(/^./, (first) => first.toUpperCase())}\n`;
    const [section = ""] = (page.split(heading)[1] ?? "").split("\n### ");
    const listed = matches(section, /^- `([a-z_]+\.[a-z_]+)` /gm);
    const logged = matches(read(`workers/${worker}/src/log.ts`), /readonly event: "([^"]+)"/g);
    expect(logged.length).toBeGreaterThan(0);
    expect(listed.toSorted()).toEqual(logged.toSorted());
  });

  it.each(["head_sampling_rate", "logs.invocation_logs", "redact_query_string"])(
    "says what %s is in each Worker",
    async (setting) => {
      const configs = await readWorkerConfigs();
      const values = ["producer", "consumer", "api"].map((worker) => {
        const config = configs.find(({ source }) => source.name === worker);
        const settings = objectAt(config?.raw ?? {}, "observability");
        const value = setting.startsWith("logs.")
          ? objectAt(settings, "logs")[setting.slice("logs.".length)]
          : settings[setting];
        return value === undefined ? "-" : String(value);
      });
      const row = page.split("\n").find((line) => line.startsWith(`| \`${setting}\``)) ?? "";
      expect(
        row
          .split("|")
          .slice(2, 5)
          .map((cell) => cell.trim()),
      ).toEqual(values);
    },
  );
});
