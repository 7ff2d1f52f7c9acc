/** The pages of docs/ beside the code: what they name is there, and what there is they name. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { describe, expect, it } from "vitest";

import { objectAt, parseJsonObject } from "../../src/deploy/json-object.ts";
import { readWorkerConfigs } from "../../src/deploy/worker-config.ts";
import { inWorkspace, WORKERS } from "@hopline/testkit/workspace/workspace";

const read = (path: string) => readFileSync(inWorkspace(path), "utf8");
const pages = readdirSync(inWorkspace("docs"))
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`);
const scripts = Object.keys(objectAt(parseJsonObject(read("package.json"), "package.json"), "scripts"));

describe("docs/observability.md", () => {
  const page = read("docs/observability.md");
  const workers = WORKERS.map(({ name }) => name);

  it.each(workers)("lists every log event of the %s, and no other", (worker) => {
    const heading = `### ${worker === "api" ? "API" : worker.replace(/^./, (first) => first.toUpperCase())}\n`;
    const [section = ""] = (page.split(heading)[1] ?? "").split("\n### ");
    const listed = [...section.matchAll(/^\| `([a-z_]+\.[a-z_]+)` /gm)].map((match) => match[1] ?? "");
    const code = read(`workers/${worker}/src/log.ts`);
    const logged = [...code.matchAll(/readonly event: "([^"]+)"/g)].map((match) => match[1] ?? "");
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

describe.each(pages)("%s", (path) => {
  const page = read(path);

  it("names only commands that there are", () => {
    const commands = [...page.matchAll(/\bpnpm (?:run )?([a-z-]+)/g)].map((match) => match[1] ?? "");
    expect(commands.filter((name) => name !== "exec" && !scripts.includes(name))).toEqual([]);
  });

  it("leads to pages that there are", () => {
    const links = [...page.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map((match) => match[1] ?? "");
    const missing = links.filter(
      (link) => !link.startsWith("https://") && !existsSync(inWorkspace(join(dirname(path), link))),
    );
    expect(missing).toEqual([]);
  });

  it("names only files that there are", () => {
    const named = [...page.matchAll(/`((?:packages|workers|\.github|migrations|load-tests)\/[\w./-]+)`/g)];
    expect(named.map((match) => match[1] ?? "").filter((file) => !existsSync(inWorkspace(file)))).toEqual([]);
  });
});
