import { readFileSync, rmSync, statSync } from "node:fs";

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { createProgress } from "@hopline/testkit/console/progress";
import { inWorkspace, WORKERS } from "@hopline/testkit/workspace/workspace";
import { connectAccount } from "../../src/deploy/account.ts";
import {
  describePlan,
  EMPTY_ACCOUNT,
  listWantedResources,
  planProvision,
  planSecrets,
} from "../../src/deploy/plan-provision.ts";
import { provision, readProvisioning } from "../../src/deploy/provision.ts";
import { secretsPath } from "../../src/deploy/secrets.ts";
import { parseWorkerConfig } from "../../src/deploy/worker-config.ts";
import { planShards } from "../../src/workspace/plan-shards.ts";
import type { FakeAccount } from "../../../rehearsal/src/account-state.ts";
import { openFakeAccount } from "../fixtures/open-fake-account.ts";
import { runs } from "../../../core/test/runs.ts";
import { PRODUCTION, STAGING, THREE } from "./a-deployment.ts";

const wanted = listWantedResources(THREE, STAGING);
const complete = {
  hasSubdomain: true,
  kvIds: new Map(wanted.kvTitles.map((title) => [title, "id"])),
  queues: wanted.queues,
  secrets: wanted.secrets,
};

describe("what an account lacks", () => {
  it("is everything, once, where the account is empty", () => {
    expect(describePlan(planProvision(wanted, EMPTY_ACCOUNT, STAGING))).toEqual([
      "the account's subdomain of workers.dev",
      "KV namespace hopline-links-staging",
      "KV namespace hopline-spill-staging",
      "queue hopline-clicks-0-staging",
      "queue hopline-clicks-dead-staging",
      "secrets DATABASE_URL, SEAL_KEY of hopline-producer-staging",
      "secrets DATABASE_URL, SEAL_KEY, VISITOR_SECRET of hopline-consumer-staging",
      "secret DATABASE_URL of hopline-api-staging",
    ]);
  });

  it("is not what another environment has", () => {
    const plan = planProvision(listWantedResources(THREE, PRODUCTION), complete, PRODUCTION);
    expect(describePlan(plan)).toHaveLength(7);
  });

  it("is exactly the part that is not there, whatever is", () => {
    fc.assert(
      fc.property(fc.subarray([...wanted.queues]), fc.subarray([...wanted.kvTitles]), (queues, titles) => {
        const existing = { ...complete, queues, kvIds: new Map(titles.map((title) => [title, "id"])) };
        const plan = planProvision(wanted, existing, STAGING);
        expect([...plan.queues, ...queues].toSorted()).toEqual(wanted.queues.toSorted());
        expect([...plan.kvTitles, ...titles].toSorted()).toEqual(wanted.kvTitles.toSorted());
      }),
      runs(),
    );
  });

  it("is never a reason to remove a queue: only our own that fell out of use are named", () => {
    const queues = [...wanted.queues, "hopline-clicks-7-staging", "hopline-clicks-7", "other"];
    const plan = planProvision(wanted, { ...complete, queues }, STAGING);
    expect([plan.leftOverQueues, describePlan(plan)]).toEqual([["hopline-clicks-7-staging"], []]);
  });

  it.each([1, 2, 9])("follows `pnpm shards %i`", (count) => {
    const read = (path: string) => readFileSync(inWorkspace(path), "utf8");
    const planned = planShards(
      { producer: read("wrangler.jsonc"), consumer: read("workers/consumer/wrangler.jsonc") },
      count,
    );
    const texts = planned.ok ? planned.value : { producer: "", consumer: "" };
    const configs = WORKERS.filter(({ name }) => name !== "api").map((source) =>
      parseWorkerConfig(source, source.name === "producer" ? texts.producer : texts.consumer),
    );
    const { queues } = listWantedResources(configs, STAGING);
    expect(queues.filter((queue) => /-\d+-staging$/.test(queue))).toHaveLength(count);
  });
});

describe("the value of a missing secret", () => {
  const some = {
    ...complete,
    secrets: new Map([["hopline-producer-staging", ["DATABASE_URL", "SEAL_KEY"]]]),
  };

  it.each([
    [
      "generated or, where it has a meaning, asked for",
      EMPTY_ACCOUNT,
      [],
      "SEAL_KEY VISITOR_SECRET",
      "DATABASE_URL",
    ],
    ["used where it is known", EMPTY_ACCOUNT, ["SEAL_KEY", "DATABASE_URL"], "VISITOR_SECRET", ""],
    ["asked for where another Worker has one", some, [], "VISITOR_SECRET", "DATABASE_URL SEAL_KEY"],
  ])("is %s", (_how, existing, known, toGenerate, toAsk) => {
    const plan = planSecrets(planProvision(wanted, existing, STAGING), existing, new Set(known));
    expect([plan.toGenerate.join(" "), plan.toAsk.join(" ")]).toEqual([toGenerate, toAsk]);
  });
});

describe("provisioning", () => {
  const environment = "test-of-provision";
  const file = inWorkspace(secretsPath(environment));
  let cloudflare: FakeAccount;

  beforeEach(async () => {
    cloudflare = await openFakeAccount();
    vi.stubEnv("DATABASE_URL", "");
  });
  afterEach(() => rmSync(file, { force: true }));

  /** Resolves to what was printed. `answer`: what is typed; null without a terminal. */
  async function run(answer: string | null = "postgresql://typed", isStart = false): Promise<string> {
    let printed = "";
    const account = await connectAccount(() => Promise.reject(new Error("there is a token")));
    const { existing, plan } = await readProvisioning(account, THREE, STAGING);
    await provision(plan, existing, {
      account,
      environment,
      subdomain: null,
      isStart,
      askText: null,
      ask: answer === null ? null : () => Promise.resolve(answer),
      progress: createProgress({ write: (text) => (printed += text) }, () => 0),
    });
    return printed;
  }
  const secretOf = (worker: string, name: string) =>
    cloudflare.workers
      .get(`hopline-${worker}-staging`)
      ?.versions.at(-1)
      ?.bindings.find((binding) => binding.name === name)?.["text"];

  it("generates one value for all Workers that share a secret, keeps it for its owner, and never prints it", async () => {
    const printed = await run();
    const sealKey = String(secretOf("producer", "SEAL_KEY"));
    expect(Buffer.from(sealKey, "base64")).toHaveLength(32);
    expect(secretOf("consumer", "SEAL_KEY")).toBe(sealKey);
    expect(secretOf("api", "DATABASE_URL")).toBe("postgresql://typed");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      SEAL_KEY: sealKey,
      VISITOR_SECRET: secretOf("consumer", "VISITOR_SECRET"),
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(printed).not.toContain(sealKey);
    expect(printed).not.toContain("postgresql://typed");
  });

  it("generates without a terminal for `start`, where the rest is known", async () => {
    vi.stubEnv("DATABASE_URL", "postgresql://given");
    await expect(run(null)).rejects.toThrow("There is no terminal to ask for SEAL_KEY, VISITOR_SECRET");
    await run(null, true);
    expect(JSON.parse(readFileSync(file, "utf8"))).toHaveProperty(
      "SEAL_KEY",
      secretOf("producer", "SEAL_KEY"),
    );
  });

  it("gives a Worker that comes later the kept value, or else what the environment says", async () => {
    await run();
    const sealKey = secretOf("producer", "SEAL_KEY");
    cloudflare.workers.delete("hopline-consumer-staging");
    vi.stubEnv("VISITOR_SECRET", "given");
    await run();
    expect([secretOf("consumer", "SEAL_KEY"), secretOf("consumer", "VISITOR_SECRET")]).toEqual([
      sealKey,
      "given",
    ]);
  });

  it.each([
    ["there is no terminal", null, "There is no terminal to ask for DATABASE_URL, SEAL_KEY, VISITOR_SECRET"],
    ["nothing is typed", "", "DATABASE_URL is needed: nothing was made."],
  ])("makes nothing at all where %s", async (_why, answer, words) => {
    await expect(run(answer)).rejects.toThrow(words);
    expect([cloudflare.namespaces.length, cloudflare.queues.length, cloudflare.workers.size]).toEqual([
      0, 0, 0,
    ]);
    expect(() => statSync(file)).toThrow("ENOENT");
  });

  it("continues where a run stopped", async () => {
    cloudflare.faults.push({ request: "POST /queues", answer: { status: 400, code: 0, message: "no" } });
    await expect(run()).rejects.toThrow("Creating the queue hopline-clicks-0-staging failed");
    expect([cloudflare.namespaces.length, cloudflare.queues.length]).toEqual([2, 0]);
    await run();
    expect(cloudflare.queues.map(({ queue_name }) => queue_name)).toEqual(wanted.queues);
    expect(cloudflare.namespaces).toHaveLength(2);
  });
});
