import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { editEnvironment, parseEnvironments } from "../../src/deploy/environments.ts";
import { deployConfigPath, forEnvironment } from "../../src/deploy/for-environment.ts";
import { readWorkerConfigs } from "../../src/deploy/worker-config.ts";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { aConfig, PRODUCTION, STAGING, THREE } from "./a-deployment.ts";

const NAMES = THREE.map(({ name }) => name);
const placement = { environment: STAGING, workerNames: NAMES, kvIds: new Map<string, string>() };

describe("the environments of a repository", () => {
  it("are read with what differs between them", () => {
    const text = `{ "b": { "suffix": "-b" }, "a": { "suffix": "", "domains": ["go.example"], "rateLimitOffset": 7 } }`;
    expect(parseEnvironments(text)).toEqual([
      { name: "b", suffix: "-b", domains: [], rateLimitOffset: 0, vars: {} },
      { name: "a", suffix: "", domains: ["go.example"], rateLimitOffset: 7, vars: {} },
    ]);
  });

  it.each([
    ["two that would deploy over each other", `{ "a": { "suffix": "" }, "b": { "suffix": "" } }`, "a and b"],
    ["no suffix", `{ "a": {} }`, "suffix of a"],
    ["a suffix that no name can end in", `{ "a": { "suffix": "_A" } }`, "suffix of a"],
    ["an unknown key", `{ "a": { "suffix": "", "domain": [] } }`, `"domain"`],
    ["an offset that is not whole", `{ "a": { "suffix": "", "rateLimitOffset": 0.5 } }`, "rateLimitOffset"],
    ["no JSON", `{\n "a" }`, "line 2"],
  ])("are refused with %s", (_why, text, words) => {
    expect(() => parseEnvironments(text)).toThrow(words);
  });
});

it("a host and variables are written into the file, whose comments and other environments stay", () => {
  const text = readFileSync(inWorkspace("environments.jsonc"), "utf8");
  const vars = { api: { APP_ORIGIN: "https://app.example" } };
  const edited = editEnvironment(text, "staging", { domains: ["go.example"], vars });
  const [staging, production] = parseEnvironments(edited);
  expect(staging).toMatchObject({ name: "staging", domains: ["go.example"], vars });
  expect(production).toEqual(parseEnvironments(text)[1]);
  expect(edited.match(/^ *\/\/.*/gm)).toEqual(text.match(/^ *\/\/.*/gm));
});

describe("a configuration for an environment", () => {
  it("gives every name of ours the suffix, and no other", () => {
    const keys = {
      services: [
        { binding: "API", service: "hopline-api" },
        { binding: "ELSE", service: "their-worker" },
      ],
      durable_objects: {
        bindings: [
          { name: "FEED", class_name: "ChangeFeed", script_name: "hopline-api" },
          { name: "OWN", class_name: "Own" },
        ],
      },
      queues: {
        producers: [{ binding: "CLICKS_0", queue: "hopline-clicks-0" }],
        consumers: [{ queue: "hopline-clicks-1", dead_letter_queue: "hopline-clicks-dead" }],
      },
    };
    const misses = { name: "MISSES", namespace_id: "1001", simple: { limit: 100, period: 60 } };
    expect(forEnvironment(aConfig("producer", { ...keys, ratelimits: [misses] }), placement)).toEqual({
      ...JSON.parse(JSON.stringify(keys).replaceAll(/"(hopline-[a-z0-9-]+)"/g, '"$1-staging"')),
      name: "hopline-producer-staging",
      main: "../../../producer/index.js",
      no_bundle: true,
      find_additional_modules: true,
      rules: [{ type: "ESModule", globs: ["*.js"] }],
      compatibility_date: "2026-10-20",
      ratelimits: [{ ...misses, namespace_id: "2001" }],
    });
  });

  it("points at the bundle and at assets from where it is written", () => {
    expect(deployConfigPath("api", "staging")).toBe("dist/deploy/staging/api/wrangler.json");
    const written = forEnvironment(
      aConfig("api", { assets: { directory: "public", binding: "A" } }),
      placement,
    );
    expect(written["main"]).toBe("../../../api/index.js");
    expect(written["assets"]).toEqual({ directory: "../../../../workers/api/public", binding: "A" });
  });

  it("binds the namespace of the environment, one for all Workers", () => {
    const kvIds = new Map([["hopline-links-staging", "abc"]]);
    const written = THREE.map((config) => forEnvironment(config, { ...placement, kvIds })["kv_namespaces"]);
    const links = { binding: "LINKS", id: "abc" };
    expect(written).toEqual([[links, { binding: "SPILL" }], [{ binding: "SPILL" }], [links]]);
  });

  it("takes the environment's variables and host names", () => {
    const environment = {
      ...PRODUCTION,
      domains: ["go.example"],
      vars: { producer: { LINGER: "5" }, api: { LINGER: "6" } },
    };
    const config = aConfig("producer", { vars: { LINGER: "1", KEPT: "2" } });
    expect(forEnvironment(config, { ...placement, environment })).toMatchObject({
      name: "hopline-producer",
      vars: { LINGER: "5", KEPT: "2" },
      routes: [{ pattern: "go.example", custom_domain: true }],
    });
    expect(forEnvironment(aConfig("api"), { ...placement, environment })).not.toHaveProperty("routes");
  });

  it.each(["r2_buckets", "routes", "env"])("refuses %s, which two environments would share", (key) => {
    expect(() => forEnvironment(aConfig("api", { [key]: [] }), placement)).toThrow(
      `workers/api/wrangler.jsonc has "${key}"`,
    );
  });
});

it("the real configurations become those of every real environment, each name once", async () => {
  const environments = parseEnvironments(readFileSync(inWorkspace("environments.jsonc"), "utf8"));
  const configs = await readWorkerConfigs();
  const workerNames = configs.map(({ name }) => name);
  const names = environments.flatMap((environment) =>
    configs.map((config) => forEnvironment(config, { environment, workerNames, kvIds: new Map() })["name"]),
  );
  expect(environments.map(({ name }) => name)).toEqual(["staging", "production"]);
  expect(new Set(names).size).toBe(configs.length * environments.length);
});

describe("the Workers of this repository", () => {
  it("share five cron triggers with both environments, which is what a free account has", async () => {
    // https://developers.cloudflare.com/workers/platform/limits/: cron triggers per account.
    const crons = (await readWorkerConfigs()).flatMap(({ raw }) => {
      const { triggers } = raw as { readonly triggers?: { readonly crons?: readonly string[] } };
      return triggers?.crons ?? [];
    });
    expect(crons.length).toBeGreaterThan(0);
    expect(2 * crons.length).toBeLessThanOrEqual(5);
  });

  it.each([STAGING, PRODUCTION])(
    "call what people chose the public way only, in $name",
    async (environment) => {
      const written = await writtenFor("api", environment);
      expect(written["compatibility_flags"]).toContain("global_fetch_strictly_public");
    },
  );

  it.each(["producer", "dashboard"])("leave no old version of the %s public", async (name) => {
    expect(await writtenFor(name, PRODUCTION)).toMatchObject({ preview_urls: false });
  });
});

async function writtenFor(name: string, environment: typeof PRODUCTION) {
  const configs = await readWorkerConfigs();
  const config = configs.find(({ source }) => source.name === name);
  if (config === undefined) {
    throw new Error(`no Worker ${name}`);
  }
  return forEnvironment(config, { ...placement, environment });
}
