/** The real commands and the real wrangler, against an account that holds nothing. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";

import { afterAll, beforeAll, expect, it } from "vitest";

import { createScratchDatabase, type ScratchDatabase } from "@hopline/testkit/postgres/scratch-database";
import { inWorkspace, WORKSPACE_ROOT } from "@hopline/testkit/workspace/workspace";
import { type FakeCloudflare, startFakeCloudflare } from "../fixtures/fake-cloudflare.ts";

/** A bound against hanging: wrangler starts some thirty times, on a machine that may be busy with other tests. */
const BOUND_MS = 600_000;

let cloudflare: FakeCloudflare;
let database: ScratchDatabase;

beforeAll(async () => {
  cloudflare = await startFakeCloudflare();
  database = await createScratchDatabase(process.env["DATABASE_URL"] ?? "");
});
afterAll(async () => {
  await cloudflare.close();
  await database.drop();
});

function run(line: string, given: Readonly<Record<string, string>> = {}): Promise<[number, string]> {
  const [command = "", ...flags] = line.split(" ");
  const script = inWorkspace(`packages/ops/src/commands/${command}.ts`);
  const child = spawn(process.execPath, [script, ...flags], {
    cwd: WORKSPACE_ROOT,
    env: {
      ...process.env,
      CLOUDFLARE_API_BASE_URL: cloudflare.baseUrl,
      CLOUDFLARE_API_TOKEN: "token",
      CLOUDFLARE_ACCOUNT_ID: "account",
      DATABASE_URL: database.url,
      ...given,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
  return new Promise((resolve) => child.once("close", (code) => resolve([code ?? 1, output])));
}

const secrets = {
  SEAL_KEY: randomBytes(32).toString("base64"),
  VISITOR_SECRET: randomBytes(32).toString("base64"),
  METRICS_TOKEN: randomBytes(32).toString("base64"),
};

it(
  "refuses to deploy, says what is missing, and changes nothing",
  async () => {
    const [exitCode, output] = await run("deploy");
    expect(output).toMatch(
      /^✗ staging lacks KV namespace hopline-links-staging; .*pnpm run provision --env staging/,
    );
    expect(exitCode).toBe(1);
    expect(cloudflare.workers.size).toBe(0);
  },
  BOUND_MS,
);

it(
  "provisions it, finds everything there the second time, and deploys in an order that the account takes",
  async () => {
    const [exitCode, output] = await run("provision", secrets);
    expect(output).toContain("staging has everything it needs.");
    expect(exitCode).toBe(0);
    const made = [cloudflare.kv.length, cloudflare.queues.length];
    expect(cloudflare.workers.get("hopline-consumer-staging")?.secrets.get("SEAL_KEY")).toBe(
      secrets.SEAL_KEY,
    );
    for (const secret of [...Object.values(secrets), database.url]) {
      expect(output).not.toContain(secret);
    }

    expect(await run("provision")).toEqual([0, expect.not.stringContaining("✓")]);
    expect([cloudflare.kv.length, cloudflare.queues.length]).toEqual(made);

    const [deployCode, deployOutput] = await run("deploy");
    expect(deployOutput).toContain("staging is deployed.");
    expect(deployCode).toBe(0);
    expect(cloudflare.deployed).toEqual([
      "hopline-api-staging",
      "hopline-consumer-staging",
      "hopline-producer-staging",
    ]);
    expect(cloudflare.unknown).toEqual([]);
    const consumed = cloudflare.queues.filter(({ consumers }) => consumers.length === 1);
    expect(consumed).toHaveLength(cloudflare.queues.length);
    const links = cloudflare.kv.find(({ title }) => title === "hopline-links-staging");
    for (const worker of ["hopline-producer-staging", "hopline-api-staging"]) {
      expect(cloudflare.workers.get(worker)?.metadata).toMatchObject({
        bindings: expect.arrayContaining([{ name: "LINKS", type: "kv_namespace", namespace_id: links?.id }]),
      });
    }
  },
  BOUND_MS,
);

it(
  "deploys the next release with who reads a format before who writes it",
  async () => {
    const before = cloudflare.deployed.length;
    const [exitCode, output] = await run("deploy");
    expect(output).toContain("Order: consumer, producer, api (who reads before who writes).");
    expect(exitCode).toBe(0);
    expect(cloudflare.deployed.slice(before)).toEqual([
      "hopline-consumer-staging",
      "hopline-producer-staging",
      "hopline-api-staging",
    ]);
  },
  BOUND_MS,
);

it(
  "gives a new producer a tenth of the visitors, tells who answers, and goes back",
  async () => {
    const producer = cloudflare.workers.get("hopline-producer-staging");
    const shares = () => producer?.deployments.at(-1)?.map(({ percentage }) => percentage);
    const answering = producer?.deployments.at(-1)?.[0]?.version_id;

    const [, output] = await run("deploy --percent 10");
    expect(output).toContain("Next: pnpm run rollout --env staging --percent 100, or --back.");
    expect(output).toContain("Then pnpm run deploy --env staging --worker api.");
    expect(cloudflare.deployed.at(-1)).toBe("hopline-producer-staging");
    const [doctorCode, findings] = await run("doctor");
    expect(findings).toMatch(/! versions +hopline-producer-staging: a rollout is under way: 10 % .*, 90 % /);
    expect(doctorCode).toBe(0);
    expect(shares()?.toSorted()).toEqual([10, 90]);

    const [, list] = await run("rollout --list");
    expect(list).toMatch(/^\S{36} .* 10 %\n\S{36} .* 90 %\n/);

    await run("rollout --back");
    expect(producer?.deployments.at(-1)).toEqual([{ version_id: answering, percentage: 100 }]);
    expect(cloudflare.unknown).toEqual([]);
  },
  BOUND_MS,
);

it(
  "takes the API back by itself, and deploys it by itself",
  async () => {
    const api = cloudflare.workers.get("hopline-api-staging");
    const [newest, before] = [api?.deployments.at(-1), api?.deployments.at(-2)];
    expect((await run("rollout --worker api --back"))[0]).toBe(0);
    expect(before).not.toEqual(newest);
    expect(api?.deployments.at(-1)).toEqual(before);

    const count = cloudflare.deployed.length;
    expect(await run("deploy --worker api")).toEqual([0, expect.stringContaining("Only api;")]);
    expect(cloudflare.deployed.slice(count)).toEqual(["hopline-api-staging"]);
    expect(cloudflare.unknown).toEqual([]);
  },
  BOUND_MS,
);
