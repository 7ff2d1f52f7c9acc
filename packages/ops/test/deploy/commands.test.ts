/** The commands from an account that holds nothing to a rollout and back, with all but wrangler as it is. */
import { existsSync, readFileSync } from "node:fs";

import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";

import { createScratchDatabase, type ScratchDatabase } from "@hopline/testkit/postgres/scratch-database";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { readCommit } from "../../src/deploy/commit.ts";
import type * as environments from "../../src/deploy/environments.ts";
import { deployConfigPath } from "../../src/deploy/for-environment.ts";
import { withClient } from "../../src/operate/direct-sql.ts";
import { type Stage, startStage } from "../fixtures/stage.ts";

/** A bound against hanging: wrangler starts three times, on a machine that may be busy with other tests. */
const BOUND_MS = 120_000;
const key = (byte: number) => Buffer.alloc(32, byte).toString("base64");
const SECRETS = {
  SEAL_KEY: key(1),
  VISITOR_SECRET: key(2),
  METRICS_TOKEN: key(3),
  AUTH_SECRET: key(4),
  WEBHOOK_SEAL_KEY: key(5),
};

/** The variables of the environments, in place of those in environments.jsonc. */
const given = vi.hoisted(() => ({ vars: {} }));
vi.mock("../../src/deploy/environments.ts", async (importOriginal) => {
  const original = await importOriginal<typeof environments>();
  return {
    ...original,
    readEnvironment: async (name: string) => ({ ...(await original.readEnvironment(name)), ...given }),
  };
});

let database: ScratchDatabase;

beforeAll(async () => {
  database = await createScratchDatabase(process.env["DATABASE_URL"] ?? "");
});
afterAll(async () => {
  await database.drop();
});
beforeEach(() => {
  Object.entries({ ...SECRETS, DATABASE_URL: database.url }).forEach(([name, value]) =>
    vi.stubEnv(name, value),
  );
});

/** An account that has the Workers of the release before. */
async function startDeployed(): Promise<Stage> {
  const stage = await startStage();
  await stage.run("provision");
  expect(await stage.run("deploy")).toEqual([0, expect.stringContaining("staging is deployed.")]);
  stage.started.length = 0;
  stage.cloudflare.deployed.length = 0;
  return stage;
}

const nameOf = (worker: string) => `hopline-${worker}-staging`;
const READERS_FIRST = ["consumer", "producer", "api", "dashboard"].map(nameOf);
const sharesOf = ({ cloudflare }: Stage, worker: string) =>
  cloudflare
    .worker(nameOf(worker))
    .deployments.at(-1)
    ?.map(({ percentage }) => percentage);

it(
  "with wrangler itself, an empty account gets everything, in an order that it takes, then a share of a new producer",
  async () => {
    // Each Worker once, and both of wrangler's commands: a start takes seconds.
    const byWrangler = [/^deploy .*\/api\//, /^deploy .*\/consumer\//];
    const { cloudflare, run } = await startStage((line) => byWrangler.some((pattern) => pattern.test(line)));
    const [exitCode, output] = await run("provision");
    expect([exitCode, output]).toEqual([0, expect.stringContaining("staging has everything it needs.")]);
    expect(cloudflare.workers.get(nameOf("consumer"))?.secrets.get("SEAL_KEY")).toBe(SECRETS.SEAL_KEY);
    for (const secret of [...Object.values(SECRETS), database.url, "secret-token"]) {
      expect(output).not.toContain(secret);
    }
    expect((await run("deploy"))[1]).toContain("(a Worker comes after those it binds)");
    expect(cloudflare.unknown).toEqual([]);
    expect(cloudflare.deployed).toEqual(["api", "consumer", "dashboard", "producer"].map(nameOf));
    expect(cloudflare.queues.filter(({ consumers }) => consumers.length !== 1)).toEqual([]);
    byWrangler.splice(0, 2, /^versions upload .*\/producer\//);
    expect((await run("deploy --percent 10"))[0]).toBe(0);
    expect(cloudflare.unknown).toEqual([]);
    const links = cloudflare.kv.find(({ title }) => title === "hopline-links-staging");
    const binding = { name: "LINKS", type: "kv_namespace", namespace_id: links?.id };
    for (const worker of ["producer", "api"]) {
      expect(cloudflare.worker(nameOf(worker)).versions.at(-1)?.bindings).toContainEqual(binding);
    }
  },
  BOUND_MS,
);

describe("an empty account", () => {
  it("is refused by deploy, which says what is missing and changes nothing", async () => {
    const { cloudflare, run } = await startStage();
    const missing = /^✗ staging lacks KV namespace hopline-links-staging; .*pnpm run provision --env staging/;
    expect(await run("deploy")).toEqual([1, expect.stringMatching(missing)]);
    expect(cloudflare.workers.size).toBe(0);
  });

  it("has everything after one run of provision; a second one makes nothing", async () => {
    const { cloudflare, run } = await startStage();
    await run("provision");
    const made = structuredClone([cloudflare.kv, cloudflare.queues, cloudflare.workers]);
    expect(await run("provision")).toEqual([0, expect.not.stringContaining("✓")]);
    expect([cloudflare.kv, cloudflare.queues, cloudflare.workers]).toEqual(made);
  });

  it("needs a database: the migrations come before the Workers", async () => {
    const { cloudflare, run } = await startStage();
    await run("provision");
    vi.stubEnv("DATABASE_URL", "");
    expect(await run("deploy")).toEqual([1, expect.stringContaining("DATABASE_URL is not set")]);
    expect(cloudflare.deployed).toEqual([]);
  });
});

describe("the next release", () => {
  it("deploys readers before writers, each from the configuration generated for it, tagged with the commit", async () => {
    const { cloudflare, run, started } = await startDeployed();
    expect((await run("deploy"))[1]).toContain(
      "Order: consumer, producer, api, dashboard (readers before writers).",
    );
    expect(cloudflare.deployed).toEqual(READERS_FIRST);
    const tag = await readCommit();
    expect(started[2]).toBe(`deploy --config ${deployConfigPath("api", "staging")} --tag ${tag}`);
    const written = JSON.parse(readFileSync(inWorkspace(deployConfigPath("api", "staging")), "utf8"));
    const id = cloudflare.kv.find(({ title }) => title === "hopline-links-staging")?.id;
    expect(written).toMatchObject({ name: nameOf("api"), account_id: "account", kv_namespaces: [{ id }] });
  });

  it("ends at the first Worker that fails, and names it", async () => {
    const { cloudflare, run } = await startDeployed();
    cloudflare.faults.push({ request: `PUT /workers/scripts/${nameOf("producer")}`, status: 400 });
    expect(await run("deploy")).toEqual([
      1,
      expect.stringContaining("✗ hopline-producer-staging was not deployed: refused with 400"),
    ]);
    expect(cloudflare.deployed).toEqual([nameOf("consumer")]);
  });

  it("can be one Worker", async () => {
    const { cloudflare, run } = await startDeployed();
    expect(await run("deploy --worker api")).toEqual([0, expect.stringContaining("Only api;")]);
    expect(cloudflare.deployed).toEqual([nameOf("api")]);
  });

  it(
    "ends with a set-up link where people can sign in, until somebody has an account",
    async () => {
      given.vars = { api: { APP_ORIGIN: "https://app.example.com" } };
      onTestFinished(() => void (given.vars = {}));
      const { run } = await startStage();
      await run("provision");
      const link = /to become the owner: https:\/\/app\.example\.com\/set-up\?token=[\w-]{32}\n/;
      expect((await run("deploy"))[1]).toMatch(link);
      await withClient(database.url, (client) =>
        client.query(
          "INSERT INTO people (id, name, email) VALUES (gen_random_uuid(), 'Ada', 'ada@example.com')",
        ),
      );
      expect((await run("deploy --worker api"))[1]).not.toContain("set-up");
    },
    BOUND_MS,
  );

  it.each(["deploy --dry-run", "deploy --dry-run --percent 10"])(
    "uploads nothing with %s, asks no account, and says both orders",
    async (line) => {
      const { run, started } = await startStage();
      vi.stubEnv("CLOUDFLARE_API_BASE_URL", "http://127.0.0.1:1/client/v4");
      const order =
        "Order: consumer, producer, api, dashboard; in an empty account: api, consumer, dashboard, producer.";
      const [code, output] = await run(line);
      expect([code, output]).toEqual([0, expect.stringContaining(order)]);
      // A clean clone has no bundles yet, nor the web app, without which wrangler refuses the dashboard.
      expect(output).toContain("Bundle of the dashboard");
      expect(existsSync(inWorkspace("dist/web/index.html"))).toBe(true);
      expect(started).toHaveLength(4);
      expect(started.filter((command) => !command.includes("--dry-run"))).toEqual([]);
    },
  );
});

describe("a rollout", () => {
  it("gives a new producer a tenth of the visitors, leaves the API to its end, and goes back", async () => {
    const stage = await startDeployed();
    const { cloudflare, run } = stage;
    const producer = cloudflare.workers.get(nameOf("producer"));
    const before = producer?.deployments.at(-1);
    const [, output] = await run("deploy --percent 10");
    expect(output).toContain("Waits until the rollout is complete: api, dashboard.");
    expect(output).toContain("Next: pnpm run rollout --env staging --percent 100, or --back.");
    expect(output).toContain("Then pnpm run deploy --env staging --worker api.");
    expect(cloudflare.deployed).toEqual([nameOf("consumer"), nameOf("producer")]);
    expect(sharesOf(stage, "producer")).toEqual([10, 90]);
    expect(producer?.settings).toMatchObject({ observability: { enabled: true, redact_query_string: true } });

    const [doctorCode, findings] = await run("doctor");
    expect(findings).toMatch(/✓ schema .*: all \d+ migrations are applied/);
    // On TimescaleDB, click_events is a hypertable.
    expect(findings.includes("click_events is one table")).toBe(findings.includes("without TimescaleDB"));
    expect(findings).toMatch(
      /! versions +hopline-producer-staging: a rollout is in progress: 10 % .*, 90 % /,
    );
    expect(doctorCode).toBe(0);
    expect((await run("rollout --list"))[1]).toMatch(/^\S{36} .* 10 %\n\S{36} .* 90 %\n/);

    await run("rollout --percent 50");
    expect(sharesOf(stage, "producer")).toEqual([50, 50]);
    await run("rollout --back");
    expect(producer?.deployments.at(-1)).toEqual(before);
    expect(cloudflare.unknown).toEqual([]);
  });

  it("uploads no third version while two answer", async () => {
    const { run, started } = await startDeployed();
    await run("deploy --percent 10");
    started.length = 0;
    expect(await run("deploy --percent 20")).toEqual([
      1,
      expect.stringContaining("hopline-producer-staging: a rollout is in progress"),
    ]);
    expect(started.filter((command) => command.startsWith("versions"))).toEqual([]);
  });

  it("takes the API back alone", async () => {
    const { cloudflare, run } = await startDeployed();
    await run("deploy");
    const deployments = cloudflare.workers.get(nameOf("api"))?.deployments;
    const [before, newest] = deployments?.slice(-2) ?? [];
    expect(before).not.toEqual(newest);
    expect((await run("rollout --worker api --back"))[0]).toBe(0);
    expect(deployments?.at(-1)).toEqual(before);
  });

  it.each(["rollout", "rollout --back --list", "deploy --worker api --percent 10"])(
    "is refused for %s, which says too little or too much",
    async (line) => {
      const { run } = await startStage();
      expect(await run(line)).toEqual([1, expect.stringMatching(/^✗ Give /)]);
    },
  );
});

describe("the doctor", () => {
  it("ends well without a database and a login, and says what it could not check", async () => {
    const { run } = await startStage();
    vi.stubEnv("DATABASE_URL", "");
    vi.stubEnv("CLOUDFLARE_API_TOKEN", "");
    const [exitCode, output] = await run("doctor");
    expect(output).toMatch(/\? schema +database: not checked/);
    expect(output).toMatch(/\? account +account: Not logged in to Cloudflare: set CLOUDFLARE_API_TOKEN/);
    expect(output).toContain("staging: 0 errors");
    expect(exitCode).toBe(0);
  });

  it("fails for a database without the schema, and prints JSON on request", async () => {
    const { run } = await startStage();
    const empty = await createScratchDatabase(process.env["DATABASE_URL"] ?? "");
    onTestFinished(() => empty.drop());
    vi.stubEnv("DATABASE_URL", empty.url);
    const [exitCode, output] = await run("doctor --json --env production");
    expect(exitCode).toBe(1);
    expect(JSON.parse(output)).toMatchObject({
      environment: "production",
      findings: expect.arrayContaining([expect.objectContaining({ level: "error", area: "schema" })]),
    });
  });
});
