import { describe, expect, it } from "vitest";

import type { Account } from "../../src/deploy/account.ts";
import { listWantedResources, planProvision } from "../../src/deploy/plan-provision.ts";
import { provision, readExisting } from "../../src/deploy/provision.ts";
import { createProgress } from "@hopline/testkit/console/progress";
import { STAGING, THREE } from "./a-deployment.ts";

const wanted = listWantedResources(THREE, STAGING);

function aStage(options: { readonly given?: Record<string, string>; readonly answer?: string | null } = {}) {
  const kv = new Map<string, string>();
  const queues: string[] = [];
  const workers = new Map<string, Map<string, string>>();
  const filed = new Map<string, string>();
  let printed = "";
  let limit = Infinity;
  const account: Account = {
    listKvNamespaces: () => Promise.resolve(kv),
    createKvNamespace: async (title) => void kv.set(title, `id of ${title}`),
    listQueues: () => Promise.resolve(queues),
    createQueue: async (name) => {
      if (queues.length >= limit) {
        throw new Error("the network is gone");
      }
      queues.push(name);
    },
    listSecrets: async (worker) => {
      const secrets = workers.get(worker);
      return secrets === undefined ? null : [...secrets.keys()];
    },
    putSecrets: async (worker, values) => {
      workers.set(worker, new Map([...(workers.get(worker) ?? []), ...values]));
    },
  };
  const { given = {}, answer = "postgresql://typed" } = options;
  const deps = {
    account,
    given,
    ask: answer === null ? null : () => Promise.resolve(answer),
    progress: createProgress({ write: (text) => (printed += text) }, () => 0),
    secretFile: {
      path: ".secrets/staging.json",
      read: () => Promise.resolve(filed),
      write: async (values: ReadonlyMap<string, string>) =>
        values.forEach((value, name) => filed.set(name, value)),
    },
  };
  const run = async () => {
    const existing = await readExisting(account, wanted);
    await provision(planProvision(wanted, existing, STAGING), existing, deps);
  };
  return {
    run,
    account,
    kv,
    queues,
    workers,
    filed,
    read: () => printed,
    breakAfter: (count: number) => (limit = count),
  };
}

describe("provisioning", () => {
  it("makes everything once, however often it runs", async () => {
    const stage = aStage();
    await stage.run();
    const after = [[...stage.kv], [...stage.queues], structuredClone(stage.workers)];
    await stage.run();
    expect([[...stage.kv], [...stage.queues], stage.workers]).toEqual(after);
    expect(stage.queues).toEqual(wanted.queues);
  });

  it("gives Workers that share a secret the same one: 32 random bytes, kept on disk and never printed", async () => {
    const stage = aStage();
    await stage.run();
    const sealKey = stage.workers.get("hopline-producer-staging")?.get("SEAL_KEY") ?? "";
    expect(Buffer.from(sealKey, "base64")).toHaveLength(32);
    expect(stage.workers.get("hopline-consumer-staging")?.get("SEAL_KEY")).toBe(sealKey);
    expect(stage.filed.get("SEAL_KEY")).toBe(sealKey);
    expect(stage.read()).not.toContain(sealKey);
    expect(stage.read()).not.toContain("postgresql://typed");
  });

  it("uses the kept secret for a Worker that comes later", async () => {
    const stage = aStage();
    await stage.run();
    stage.workers.delete("hopline-consumer-staging");
    await stage.run();
    expect(stage.workers.get("hopline-consumer-staging")?.get("SEAL_KEY")).toBe(stage.filed.get("SEAL_KEY"));
  });

  it("takes what is handed over before what is kept", async () => {
    const stage = aStage({ given: { SEAL_KEY: "handed over" } });
    stage.filed.set("SEAL_KEY", "kept");
    await stage.run();
    expect(stage.workers.get("hopline-consumer-staging")?.get("SEAL_KEY")).toBe("handed over");
  });

  it.each([
    ["nobody can be asked", null, "Nobody can be asked here for DATABASE_URL, SEAL_KEY, VISITOR_SECRET"],
    ["nothing is typed", "", "DATABASE_URL is needed: nothing was made."],
  ])("makes nothing at all where %s", async (_why, answer, words) => {
    const stage = aStage({ answer });
    await expect(stage.run()).rejects.toThrow(words);
    expect([stage.kv.size, stage.queues.length, stage.workers.size, stage.filed.size]).toEqual([0, 0, 0, 0]);
  });

  it("goes on where a run broke off", async () => {
    const stage = aStage();
    stage.breakAfter(1);
    await expect(stage.run()).rejects.toThrow("the network is gone");
    expect(stage.queues).toHaveLength(1);
    stage.breakAfter(Infinity);
    await stage.run();
    expect(stage.queues).toEqual(wanted.queues);
    expect(stage.kv.size).toBe(2);
  });
});
