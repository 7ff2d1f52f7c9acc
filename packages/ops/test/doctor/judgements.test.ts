import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { readWorkerConfigs, type WorkerConfig } from "../../src/deploy/worker-config.ts";
import { planProvision, EMPTY_ACCOUNT, listWantedResources } from "../../src/deploy/plan-provision.ts";
import { describeFinding, type Finding } from "../../src/doctor/finding.ts";
import { judgeAccount } from "../../src/doctor/judge-account.ts";
import { judgeConfiguration } from "../../src/doctor/judge-configuration.ts";
import { type DatabaseFacts, judgeDatabase } from "../../src/doctor/judge-database.ts";
import { judgeSecrets } from "../../src/doctor/judge-secrets.ts";
import { judgeVariables } from "../../src/doctor/judge-variables.ts";
import { judgeVersions, readWorkerds, type ToolVersions } from "../../src/doctor/judge-versions.ts";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { aConfig, PRODUCTION, STAGING, THREE } from "../deploy/a-deployment.ts";

/** The lines of what is not in order. */
const troubles = (findings: readonly Finding[]) =>
  findings.filter(({ level }) => level !== "ok").map(describeFinding);

describe("of the configurations, the doctor", () => {
  it("has nothing to say where they fit together", () => {
    const fitting = [
      ...THREE.filter(({ source }) => source.name !== "consumer"),
      aConfig("consumer", {
        queues: { consumers: [{ queue: "hopline-clicks-0" }, { queue: "hopline-clicks-dead" }] },
      }),
    ];
    expect(troubles(judgeConfiguration(fitting, STAGING))).toEqual([]);
  });

  it("has nothing to say about the real ones, for any environment", async () => {
    const configs = await readWorkerConfigs();
    expect(troubles([STAGING, PRODUCTION].flatMap((env) => judgeConfiguration(configs, env)))).toEqual([]);
  });

  const producer = (...queues: readonly string[]) =>
    aConfig("producer", { queues: { producers: queues.map((queue) => ({ binding: "C", queue })) } });
  const consumer = (...queues: readonly string[]) =>
    aConfig("consumer", { queues: { consumers: queues.map((queue) => ({ queue })) } });

  it.each([
    [
      "clicks that nobody would read",
      [producer("hopline-clicks-0", "hopline-clicks-1"), consumer("hopline-clicks-0")],
      /^✗ shards .*nothing reads hopline-clicks-1.*pnpm shards N/,
    ],
    [
      "a shard that nobody sends to",
      [producer("hopline-clicks-0"), consumer("hopline-clicks-0", "hopline-clicks-1")],
      /^! shards .*nothing sends to hopline-clicks-1/,
    ],
    ["dead letters that nobody reads", [...THREE.slice(1), producer("hopline-clicks-0")], /^! .*four days/],
    [
      "different compatibility dates",
      [aConfig("api"), aConfig("producer", { compatibility_date: "2026-10-21" })],
      /^✗ .*2026-10-20, 2026-10-21/,
    ],
    [
      "a call to a Worker that is none of ours",
      [aConfig("producer", { services: [{ binding: "API", service: "hopline-apy" }] })],
      /^✗ .*calls hopline-apy/,
    ],
    ["a binding two environments would share", [aConfig("api", { d1_databases: [] })], /^✗ .*"d1_databases"/],
  ])("names %s", (_what, configs, line) => {
    expect(troubles(judgeConfiguration(configs, STAGING))).toEqual([expect.stringMatching(line)]);
  });
});

describe("of the variables, the doctor", () => {
  const api = (APP_SCHEMES: string) => [aConfig("api", { vars: { APP_SCHEMES } })];
  const lines = (configs: readonly WorkerConfig[], environment = STAGING) =>
    judgeVariables(configs, environment).map(describeFinding);

  it.each([
    ["", /^✓ .*: links may lead to http, https\.$/],
    ["myapp, Spotify", /^✓ .*: links may lead to http, https, myapp, spotify\.$/],
    ["myapp,javascript", /^✗ .*APP_SCHEMES: "javascript" can never be allowed.*the API does not start/],
    ["myapp://", /^✗ .*"myapp:\/\/" is not a scheme/],
  ])("says of APP_SCHEMES %j what it allows, or what is wrong with it", (text, line) => {
    expect(lines(api(text))).toEqual([expect.stringMatching(line)]);
  });

  it("looks at the environment's own first", () => {
    const environment = { ...STAGING, vars: { api: { APP_SCHEMES: "data" } } };
    expect(lines(api("myapp"), environment)).toEqual([
      expect.stringMatching(/^✗ .*environments\.jsonc, staging: APP_SCHEMES: "data"/),
    ]);
  });

  it("has nothing to say about the real ones", async () => {
    const configs = await readWorkerConfigs();
    expect(troubles([STAGING, PRODUCTION].flatMap((env) => judgeVariables(configs, env)))).toEqual([]);
  });
});

describe("of the tools, the doctor", () => {
  const fine: ToolVersions = {
    node: "24.21.0",
    wrangler: "4.156.2",
    workerds: ["1.20261102.1"],
    compatibilityDate: "2026-11-09",
  };

  it("has nothing to say where there is one workerd and a date it takes", () => {
    expect(troubles(judgeVersions(fine))).toEqual([]);
  });

  it.each([
    ["an old Node", { node: "20.20.2" }, /^✗ versions +Node: 20\.20\.2 is older than 24/],
    ["two workerds", { workerds: ["1.20261102.1", "1.20261117.1"] }, /^✗ .*2 versions of workerd/],
    ["a date past the workerd's own", { compatibilityDate: "2026-11-10" }, /^✗ .*Use 2026-11-09 at most/],
  ])("names %s", (_what, difference, line) => {
    expect(troubles(judgeVersions({ ...fine, ...difference }))).toEqual([expect.stringMatching(line)]);
  });

  it("finds one workerd in the lock file", () => {
    expect(readWorkerds(readFileSync(inWorkspace("pnpm-lock.yaml"), "utf8"))).toHaveLength(1);
    expect(
      readWorkerds("  workerd@1.20261102.1:\n  workerd@1.20261117.1:\n  workerd@1.20261102.1:\n"),
    ).toEqual(["1.20261102.1", "1.20261117.1"]);
  });
});

describe("of a database, the doctor", () => {
  const migrations = [1, 2].map((version) => ({
    version,
    name: "x",
    fileName: `000${version}_x.sql`,
    sql: "",
    checksum: `sum ${version}`,
  }));
  const fine: DatabaseFacts = {
    where: "db.example:5432/hopline",
    capabilities: { serverVersion: "17.2", timescale: { version: "2.17.1", license: "apache" } },
    applied: new Map([
      [1, "sum 1"],
      [2, "sum 2"],
    ]),
    isHypertable: true,
  };

  it("has nothing to say where all is applied to a server that will do", () => {
    expect(troubles(judgeDatabase(fine, migrations))).toEqual([]);
  });

  it.each<[string, Partial<DatabaseFacts>, RegExp]>([
    [
      "what is not applied",
      { applied: new Map([[1, "sum 1"]]) },
      /^✗ schema .*not applied: 0002_x\.sql.*pnpm migrate/,
    ],
    ["an empty database", { applied: new Map(), isHypertable: false }, /^✗ .*0001_x\.sql, 0002_x\.sql/],
    [
      "what was changed afterwards",
      { applied: new Map([...fine.applied, [2, "other"]]) },
      /^✗ .*changed after they were applied: 0002_x\.sql/,
    ],
    [
      "a database that is ahead",
      { applied: new Map([...fine.applied, [3, "sum 3"]]) },
      /^✗ .*migration 3.*ends at 2/,
    ],
    [
      "an old server",
      { capabilities: { ...fine.capabilities, serverVersion: "14.9" } },
      /^✗ database .*Postgres 14\.9 is too old/,
    ],
    [
      "a server without TimescaleDB",
      { capabilities: { serverVersion: "17.2", timescale: null }, isHypertable: false },
      /^! database .*without TimescaleDB/,
    ],
    ["an extension that came too late", { isHypertable: false }, /^! database .*made before it/],
  ])("names %s", (_what, difference, line) => {
    expect(troubles(judgeDatabase({ ...fine, ...difference }, migrations))).toEqual([
      expect.stringMatching(line),
    ]);
  });
});

describe("of the secrets at hand, the doctor", () => {
  const key = Buffer.alloc(32, 7).toString("base64");

  it("has nothing to say where they have their form", () => {
    const values = new Map([
      ["DATABASE_URL", "postgresql://user:pass@db.example/hopline"],
      ["SEAL_KEY", key],
    ]);
    expect(troubles(judgeSecrets(["DATABASE_URL", "SEAL_KEY"], values))).toEqual([]);
  });

  it.each([
    ["SEAL_KEY", Buffer.alloc(16, 7).toString("base64"), /^✗ .*not base64 of 32 bytes/],
    ["SEAL_KEY", "not base64 !", /^✗ .*not base64 of 32 bytes/],
    ["DATABASE_URL", "mysql://user:hunter2@db.example/x", /^✗ .*not a Postgres address/],
  ])("names a wrong %s, without repeating it", (name, value, line) => {
    const lines = troubles(judgeSecrets([name], new Map([[name, value]])));
    expect(lines).toEqual([expect.stringMatching(line)]);
    expect(lines.join()).not.toContain(value);
  });

  it("says which it could not look at", () => {
    expect(troubles(judgeSecrets(["SEAL_KEY", "DATABASE_URL"], new Map()))).toEqual([
      expect.stringMatching(/^\? secrets .*SEAL_KEY, DATABASE_URL not at hand/),
    ]);
  });
});

describe("of the account, the doctor", () => {
  it("names each thing that is missing and the command that makes it", () => {
    const plan = planProvision(listWantedResources(THREE, STAGING), EMPTY_ACCOUNT, STAGING);
    const lines = troubles(judgeAccount(plan, "staging"));
    expect(lines).toHaveLength(7);
    expect(lines[0]).toMatch(
      /^✗ account .*hopline-links-staging missing\. Run `pnpm run provision --env staging`/,
    );
  });

  it("takes a left-over queue for no error", () => {
    const nothing = { kvTitles: [], queues: [], secrets: new Map(), leftOverQueues: ["hopline-clicks-9"] };
    expect(judgeAccount(nothing, "staging").map(({ level }) => level)).toEqual(["ok", "warning"]);
  });
});
