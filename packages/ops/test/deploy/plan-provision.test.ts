import { readFileSync } from "node:fs";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  describePlan,
  EMPTY_ACCOUNT,
  isProvisioned,
  listWantedResources,
  planProvision,
} from "../../src/deploy/plan-provision.ts";
import { planSecrets } from "../../src/deploy/plan-secrets.ts";
import { parseWorkerConfig } from "../../src/deploy/worker-config.ts";
import { planShards } from "../../src/workspace/plan-shards.ts";
import { inWorkspace, WORKERS } from "@hopline/testkit/workspace/workspace";
import { PRODUCTION, STAGING, THREE } from "./a-deployment.ts";
import { runs } from "../../../core/test/runs.ts";

const wanted = listWantedResources(THREE, STAGING);
const complete = {
  kvIds: new Map(wanted.kvTitles.map((title) => [title, "id"])),
  queues: wanted.queues,
  secrets: wanted.secrets,
};

describe("what an account lacks", () => {
  it("is everything, once, where the account is empty", () => {
    expect(describePlan(planProvision(wanted, EMPTY_ACCOUNT, STAGING))).toEqual([
      "KV namespace hopline-links-staging",
      "KV namespace hopline-spill-staging",
      "queue hopline-clicks-0-staging",
      "queue hopline-clicks-dead-staging",
      "secrets DATABASE_URL, SEAL_KEY of hopline-producer-staging",
      "secrets DATABASE_URL, SEAL_KEY, VISITOR_SECRET of hopline-consumer-staging",
      "secret DATABASE_URL of hopline-api-staging",
    ]);
  });

  it("is nothing where all of it is there", () => {
    expect(isProvisioned(planProvision(wanted, complete, STAGING))).toBe(true);
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

  it("never means to remove a queue: one that fell out of use is named, and those of others are not", () => {
    const queues = [...wanted.queues, "hopline-clicks-7-staging", "hopline-clicks-7", "other"];
    const plan = planProvision(wanted, { ...complete, queues }, STAGING);
    expect(plan.leftOverQueues).toEqual(["hopline-clicks-7-staging"]);
    expect(isProvisioned(plan)).toBe(true);
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
    const shards = listWantedResources(configs, STAGING).queues.filter((queue) =>
      /-\d+-staging$/.test(queue),
    );
    expect(shards).toHaveLength(count);
  });
});

describe("the value of a missing secret", () => {
  const plan = planProvision(wanted, EMPTY_ACCOUNT, STAGING);

  it("is made where it is any random bytes, and asked for where it means something", () => {
    expect(planSecrets(plan, EMPTY_ACCOUNT, new Set())).toEqual({
      toGenerate: ["SEAL_KEY", "VISITOR_SECRET"],
      toAsk: ["DATABASE_URL"],
    });
  });

  it("is taken where it is at hand", () => {
    expect(planSecrets(plan, EMPTY_ACCOUNT, new Set(["SEAL_KEY", "DATABASE_URL"]))).toEqual({
      toGenerate: ["VISITOR_SECRET"],
      toAsk: [],
    });
  });

  it("is asked for, not made anew, where another Worker has one that cannot be read back", () => {
    const existing = {
      ...complete,
      secrets: new Map([["hopline-producer-staging", ["DATABASE_URL", "SEAL_KEY"]]]),
    };
    expect(planSecrets(planProvision(wanted, existing, STAGING), existing, new Set())).toEqual({
      toGenerate: ["VISITOR_SECRET"],
      toAsk: ["DATABASE_URL", "SEAL_KEY"],
    });
  });
});
