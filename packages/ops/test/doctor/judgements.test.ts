/** What the doctor says about each thing that may be wrong: the mark, what it is, and what to do. */
import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { EMPTY_ACCOUNT, listWantedResources, planProvision } from "../../src/deploy/plan-provision.ts";
import type { AnsweringVersion } from "../../src/deploy/versions.ts";
import { readWorkerConfigs, type WorkerConfig } from "../../src/deploy/worker-config.ts";
import { describeFinding, type Finding } from "../../src/doctor/finding.ts";
import {
  judgeAccount,
  judgeCustomHostnames,
  judgeDeployed,
  judgeHosts,
} from "../../src/doctor/judge-account.ts";
import { judgeAlerts, readAlerts } from "../../src/doctor/judge-alerts.ts";
import { judgeConfiguration } from "../../src/doctor/judge-configuration.ts";
import { type DatabaseFacts, judgeDatabase } from "../../src/doctor/judge-database.ts";
import { judgeSecrets, judgeTools, readWorkerds, type ToolVersions } from "../../src/doctor/judge-machine.ts";
import { aConfig, PRODUCTION, STAGING, THREE } from "../deploy/a-deployment.ts";

/** The lines about what is not in order. */
const troubles = (findings: readonly Finding[]) =>
  findings.filter(({ level }) => level !== "ok").map(describeFinding);

const configured = (...configs: readonly WorkerConfig[]) => judgeConfiguration(configs, STAGING);
const producer = (...queues: readonly string[]) =>
  aConfig("producer", { queues: { producers: queues.map((queue) => ({ binding: "C", queue })) } });
const consumer = (...queues: readonly string[]) =>
  aConfig("consumer", { queues: { consumers: queues.map((queue) => ({ queue })) } });
const allowing = (APP_SCHEMES: string, environment = STAGING) =>
  judgeConfiguration([aConfig("api", { vars: { APP_SCHEMES } })], environment);
const FITTING = [THREE[0], THREE[2], consumer("hopline-clicks-0", "hopline-clicks-dead")].flatMap(
  (config) => config ?? [],
);

const tools = (difference: Partial<ToolVersions> = {}) =>
  judgeTools({
    node: "24.21.0",
    wrangler: "4.156.2",
    workerds: ["1.20261102.1"],
    compatibilityDate: "2026-11-09",
    ...difference,
  });

const migrations = [1, 2].map((version) => ({
  version,
  name: "x",
  fileName: `000${version}_x.sql`,
  sql: "",
  checksum: `sum ${version}`,
}));
const APPLIED: readonly (readonly [number, string])[] = [
  [1, "sum 1"],
  [2, "sum 2"],
];
const SERVER = { serverVersion: "17.2", timescale: { version: "2.17.1", license: "apache" } } as const;
const database = (difference: Partial<DatabaseFacts> = {}) =>
  judgeDatabase(
    {
      where: "db.example",
      capabilities: SERVER,
      applied: new Map(APPLIED),
      isHypertable: true,
      unprovedHosts: [],
      losingHosts: [],
      backlog: [],
      kvWrites: null,
      ...difference,
    },
    migrations,
  );

const secret = (name: string, value: string) => judgeSecrets([name], new Map([[name, value]]));

/** A Worker without versions is not deployed. */
function deployed(
  workers: Readonly<Record<string, readonly Partial<AnsweringVersion>[]>>,
  commit: string | null = "abc",
) {
  const found = Object.entries(workers).map(([name, versions]) => {
    const answering = versions.map((version) => ({ versionId: "v", percent: 100, tag: "abc", ...version }));
    return [name, versions.length === 0 ? null : { answering, offers: new Set<string>() }] as const;
  });
  return judgeDeployed({ environment: "staging", commit, workers: new Map(found) });
}
const expectContent = (findings: readonly Finding[], line: RegExp) => {
  expect(troubles(findings)).toEqual([]);
  expect(findings.map(describeFinding)).toContainEqual(expect.stringMatching(line));
};
const expectTrouble = (findings: readonly Finding[], line: RegExp) =>
  expect(troubles(findings)).toEqual([expect.stringMatching(line)]);

describe("of the configurations, the doctor", () => {
  it("is content where they fit together", async () => {
    expectContent(configured(...FITTING), /^✓ configuration all Workers: compatibility date/);
    const configs = await readWorkerConfigs();
    const findings = [STAGING, PRODUCTION].flatMap((environment) => judgeConfiguration(configs, environment));
    expectContent(findings, /^✓ shards /);
  });

  it("names shards and dead letters without a reader or a sender", () => {
    const [first, second] = ["hopline-clicks-0", "hopline-clicks-1"] as const;
    expectTrouble(
      configured(producer(first, second), consumer(first)),
      /^✗ shards .*nothing reads hopline-clicks-1.*pnpm shards N/,
    );
    expectTrouble(
      configured(producer(first), consumer(first, second)),
      /^! shards .*nothing sends to hopline-clicks-1/,
    );
    expectTrouble(configured(...THREE), /^! .*four days/);
  });

  it("names what does not fit together or would be shared by two environments", () => {
    const older = aConfig("producer", { compatibility_date: "2026-10-19" });
    expectTrouble(configured(aConfig("api"), older), /^✗ .*2026-10-19, 2026-10-20/);
    const wrong = { services: [{ binding: "API", service: "hopline-apy" }] };
    expectTrouble(configured(aConfig("producer", wrong)), /^✗ .*calls hopline-apy/);
    expectTrouble(configured(aConfig("api", { d1_databases: [] })), /^✗ .*"d1_databases"/);
  });

  it("says which app schemes links may lead to, or what is wrong with them", () => {
    expectContent(allowing(""), /: links may lead to http, https\.$/);
    expectContent(allowing("myapp, Spotify"), /: links may lead to http, https, myapp, spotify\.$/);
    expectTrouble(
      allowing("myapp,javascript"),
      /^✗ .*"javascript" can never be allowed.*the API does not start/,
    );
    expectTrouble(allowing("myapp://"), /^✗ .*"myapp:\/\/" is not a scheme/);
    const own = { ...STAGING, vars: { api: { APP_SCHEMES: "data" } } };
    expectTrouble(allowing("myapp", own), /^✗ .*environments\.jsonc, staging: APP_SCHEMES: "data"/);
  });
});

describe("of this machine, the doctor", () => {
  it("names tools that are too old or do not agree", () => {
    expectContent(tools(), /^✓ versions +Node: 24\.21\.0\.$/);
    expectTrouble(tools({ node: "20.20.2" }), /^✗ versions +Node: 20\.20\.2 is older than 24/);
    expectTrouble(tools({ workerds: ["1.20261102.1", "1.20261117.1"] }), /^✗ .*2 versions of workerd/);
    expectTrouble(tools({ compatibilityDate: "2026-11-10" }), /^✗ .*Use 2026-11-09 at most/);
  });

  it("finds one workerd in the lock file, and would find two", () => {
    expect(readWorkerds(readFileSync(inWorkspace("pnpm-lock.yaml"), "utf8"))).toHaveLength(1);
    const lockFile = "  workerd@1.20261102.1:\n  workerd@1.20261117.1:\n  workerd@1.20261102.1:\n";
    expect(readWorkerds(lockFile)).toEqual(["1.20261102.1", "1.20261117.1"]);
  });

  it("names secrets of a wrong form, without repeating them, and those it does not know", () => {
    expectContent(secret("SEAL_KEY", Buffer.alloc(32, 7).toString("base64")), /^✓ secrets +SEAL_KEY/);
    expectContent(secret("DATABASE_URL", "postgresql://u:p@db.example/x"), /^✓ secrets +DATABASE_URL/);
    expectTrouble(secret("SEAL_KEY", Buffer.alloc(16, 7).toString("base64")), /^✗ .*not base64 of 32 bytes/);
    expectContent(secret("AUTH_SECRET", `${"n".repeat(32)},${"o".repeat(32)}`), /^✓ secrets +AUTH_SECRET/);
    expectTrouble(secret("AUTH_SECRET", `${"n".repeat(32)},short`), /^✗ (?!.*short,).*shorter than 32/);
    const [now, before] = [7, 8].map((byte) => Buffer.alloc(32, byte).toString("base64"));
    expectContent(secret("WEBHOOK_SEAL_KEY", `${now},${before}`), /^✓ secrets +WEBHOOK_SEAL_KEY/);
    expectTrouble(secret("WEBHOOK_SEAL_KEY", `${now},short`), /^✗ .*not base64 of 32 bytes/);
    expectTrouble(secret("SEAL_KEY", "not base64 !"), /^✗ (?!.*base64 !).*not base64 of 32 bytes/);
    const other = secret("DATABASE_URL", "mysql://u:hunter2@db.example/x");
    expectTrouble(other, /^✗ (?!.*hunter2).*not a Postgres address/);
    expectTrouble(judgeSecrets(["SEAL_KEY", "A"], new Map()), /^\? secrets .*SEAL_KEY, A not set/);
  });
});

describe("of a database, the doctor", () => {
  it("names migrations that are missing, changed or unknown here", () => {
    expectContent(database(), /^✓ schema +db\.example: all 2 migrations are applied\.$/);
    const none = database({ applied: new Map(), isHypertable: false });
    expectTrouble(none, /^✗ .*not applied: 0001_x\.sql, 0002_x\.sql.*pnpm migrate/);
    expectTrouble(database({ applied: new Map([[1, "sum 1"]]) }), /^✗ schema .*not applied: 0002_x\.sql/);
    const changed = database({ applied: new Map([...APPLIED, [2, "other"]]) });
    expectTrouble(changed, /^✗ .*changed after they were applied: 0002_x\.sql/);
    expectTrouble(database({ applied: new Map([...APPLIED, [3, "sum 3"]]) }), /^✗ .*migration 3.*ends at 2/);
  });

  it("names a server that is too old, and one table in place of chunks", () => {
    const old = database({ capabilities: { ...SERVER, serverVersion: "14.9" } });
    expectTrouble(old, /^✗ database .*Postgres 14\.9 is too old/);
    const plain = database({ capabilities: { ...SERVER, timescale: null }, isHypertable: false });
    expectTrouble(plain, /^! database .*without TimescaleDB/);
    expectTrouble(database({ isHypertable: false }), /^! database .*made before it/);
  });

  it("shows what waits in each kind of work: progress while it is young, and what fails when it is old", () => {
    const one = { kind: "publish-import", waiting: 12_000, oldestSeconds: 31.4, failing: 0, lastError: null };
    expectContent(
      database({ backlog: [one] }),
      /^✓ work +db\.example: publish-import: 12000 waiting, the oldest for 31 s, 0 failing\.$/,
    );
    const old = {
      ...one,
      kind: "publish",
      waiting: 3,
      oldestSeconds: 700,
      failing: 3,
      lastError: "TypeError",
    };
    expectTrouble(
      database({ backlog: [old] }),
      /^! work .*publish: 3 waiting, the oldest for 700 s, 3 failing, mostly with TypeError/,
    );
    expect(database({ backlog: [{ ...one, waiting: 0 }] })).toEqual(database());
    expectContent(database({ kvWrites: 512 }), /^✓ work +db\.example: today 512 writes to KV\.$/);
    expectTrouble(
      database({ kvWrites: 1_001 }),
      /^! work .*today 1001 writes to KV: Workers Free takes 1000/,
    );
  });
});

describe("of hosts, the doctor", () => {
  it("lists those that are not proved, for review, and those that are losing their proof", () => {
    const unproved = database({ unprovedHosts: ["go.example.com (ws_01)", "www.google.com (ws_02)"] });
    expectTrouble(unproved, /^! database .*not proved: go\.example\.com \(ws_01\), www.*docs\/domains\.md/);
    const many = Array.from({ length: 23 }, (_, index) => `go${index}.example.com (ws_01)`);
    expectTrouble(
      database({ losingHosts: many }),
      /^! database .*record is gone: .*go19\S+ \(ws_01\) and 3 more\. Tell/,
    );
  });
});

describe("of the account, the doctor", () => {
  it("names each thing that is missing and the command that makes it", () => {
    const plan = planProvision(listWantedResources(THREE, STAGING), EMPTY_ACCOUNT, STAGING);
    const lines = troubles(judgeAccount(plan, "staging"));
    expect(lines).toHaveLength(8);
    expect(lines[0]).toMatch(/^✗ account .*subdomain of workers\.dev missing\./);
    expect(lines[1]).toMatch(
      /^✗ account .*hopline-links-staging missing\. Run `pnpm run provision --env staging`/,
    );
  });

  it("warns of a left-over queue", () => {
    const nothing = { lacksSubdomain: false, kvTitles: [], queues: [], secrets: new Map() };
    expectContent(judgeAccount({ ...nothing, leftOverQueues: [] }, "staging"), /^✓ account/);
    const leftOver = judgeAccount({ ...nothing, leftOverQueues: ["hopline-clicks-9"] }, "staging");
    expectTrouble(leftOver, /^! account .*hopline-clicks-9 is no longer/);
  });

  it("names hosts that are not attached, that lead elsewhere, and that left environments.jsonc", () => {
    const wanted = new Map([
      ["producer", ["go.example.com", "new.example.com"]],
      ["api", []],
    ]);
    const attached = [
      { id: "1", host: "go.example.com", worker: "theirs" },
      { id: "2", host: "old.example.com", worker: "producer" },
      { id: "3", host: "theirs.example.com", worker: "theirs" },
    ];
    expect(troubles(judgeHosts(wanted, attached, "staging"))).toEqual([
      expect.stringMatching(
        /^✗ .*go\.example\.com leads to the Worker theirs, not to producer\. .*--take-over/,
      ),
      expect.stringMatching(/^✗ .*new\.example\.com is not attached to producer\. Run `pnpm run deploy/),
      expect.stringMatching(
        /^! .*producer answers on old\.example\.com, which is not in environments\.jsonc/,
      ),
    ]);
  });

  it("names half a configuration of custom hostnames, and a dashboard that their route would swallow", () => {
    const facts = { hasZone: true, hasToken: true, zone: "example.com", appHost: "app.example.com" };
    const judge = (change: Partial<typeof facts>) =>
      troubles(judgeCustomHostnames({ ...facts, ...change }, "staging"));
    expect(judge({ hasToken: false })[0]).toMatch(
      /^✗ .*off, because the secret CUSTOM_HOSTNAMES_TOKEN is not set/,
    );
    expect(judge({ hasZone: false })[0]).toMatch(
      /^✗ .*off, because the variable CUSTOM_HOSTNAMES_ZONE_ID is not set/,
    );
    expect(judge({})[0]).toMatch(/^! .*app\.example\.com is in example\.com, whose route \*\/\*/);
    expect(judge({ appHost: "app.example.org" })).toEqual([]);
  });

  it("names Workers that are missing", () => {
    expectTrouble(deployed({ api: [{}], producer: [] }), /^✗ versions +producer: not deployed/);
    expectTrouble(
      deployed({ api: [], producer: [] }),
      /^✗ .*staging: nothing is deployed\. Run `pnpm run deploy/,
    );
  });

  it("names other commits than the checkout's, by the version that most visitors meet", () => {
    const both = { api: [{}], producer: [{}] };
    expectContent(deployed(both), /^✓ versions +staging: the Workers are at abc, as this checkout\.$/);
    expectContent(deployed(both, null), /^✓ versions +staging: the Workers are at abc\.$/);
    expectTrouble(deployed(both, "def-dirty"), /^! .*at abc, and this checkout is at def-dirty\. Deploy/);
    const apart = deployed({ api: [{ tag: "old" }], producer: [{}] });
    expectTrouble(apart, /^! .*api is at old, producer is at abc\. .*pnpm run deploy --env staging/);
    const shares = [{ percent: 10, tag: "def" }, { percent: 90 }];
    const rollout = deployed({ api: [{}], producer: shares });
    expectTrouble(rollout, /^! .*producer: a rollout is in progress: 10 % def, 90 % abc\. .*--percent 100/);
    expect(rollout.map(describeFinding).at(-1)).toMatch(/the Workers are at abc, as this checkout\.$/);
  });

  it("cannot say the commit of a version that a changed secret made", () => {
    const untagged = deployed({ api: [{ tag: null }], producer: [{}] });
    expectTrouble(untagged, /^\? versions +api: version v does not say its commit/);
  });
});

describe("of a deployment's alerts, the doctor", () => {
  it("says what the deployment says: which rules fire, that none does, or that no operator gets alerts", async () => {
    const asked: (readonly [string, unknown])[] = [];
    const judge = async (body: string) => {
      const firing = await readAlerts("go.example.com", "token", async (url, { headers }) => {
        asked.push([url, headers]);
        return new Response(body);
      });
      return judgeAlerts("go.example.com", firing);
    };
    expectTrouble(
      await judge(`{"alerts":["DeadLettersWait"]}`),
      /^! alerts +go\.example\.com: DeadLettersWait fires: Clicks .* See docs\/run-book\.md, Dead letters\.$/,
    );
    expectContent(await judge(`{"alerts":[]}`), /: no alert rule fires\.$/);
    expectTrouble(await judge(`{"alerts":null}`), /^\? alerts .*no operator gets alerts.*Set ALERT_EMAIL/);
    expectTrouble(await judge(`{}`), /^\? alerts .*does not say/);
    expectTrouble(await judge(`not found`), /^\? alerts .*does not say/);
    expect(new Set(asked.map(String))).toEqual(
      new Set(["https://go.example.com/api/health,[object Object]"]),
    );
    expect(asked[0]?.[1]).toEqual({ authorization: "Bearer token" });
  });
});
