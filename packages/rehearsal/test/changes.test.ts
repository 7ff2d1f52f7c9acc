/**
 * What changes a deployment later, in full: more and fewer shards, and a Durable Object's class under another name.
 */
import { cp, readFile, rm, writeFile } from "node:fs/promises";

import { objectsAt, objectAt, textAt } from "@hopline/ops/deploy/json-object";
import type * as workerConfig from "@hopline/ops/deploy/worker-config";
import { planShards } from "@hopline/ops/workspace/plan-shards";
import { createScratchDatabase, type ScratchDatabase } from "@hopline/testkit/postgres/scratch-database";
import type * as buildWorkers from "@hopline/testkit/workspace/build-workers";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { IS_FULL } from "../../core/test/runs.ts";
import { FakeAccount } from "../src/account-state.ts";
import { startAccount } from "./an-account.ts";
import { openDeployment } from "./given-environment.ts";

/** A bound against hanging: dozens of starts of wrangler, on a machine that may be busy. */
vi.setConfig({ testTimeout: 1_800_000 });

type Configs = readonly workerConfig.WorkerConfig[];
/** What somebody has changed in the configurations. */
const change = vi.hoisted(() => ({ configs: null as ((configs: Configs) => Promise<Configs>) | null }));
/** Commands of this process get a database of their own in this variable. */
const SERVER_URL = process.env["DATABASE_URL"] ?? "";
/** A copy of the API's bundle, with another class. */
const COPY = "dist/rehearsal/api";

vi.mock("../../ops/src/deploy/worker-config.ts", async (importOriginal) => {
  const original = await importOriginal<typeof workerConfig>();
  const readWorkerConfigs = async () => {
    const configs = await original.readWorkerConfigs();
    return change.configs === null ? configs : change.configs(configs);
  };
  return { ...original, readWorkerConfigs };
});
vi.mock("../../testkit/src/workspace/build-workers.ts", async (importOriginal) => {
  const original = await importOriginal<typeof buildWorkers>();
  const buildWorker: typeof original.buildWorker = async (worker) =>
    worker.bundleDirectory === COPY ? undefined : original.buildWorker(worker);
  return { ...original, buildWorker };
});

describe.runIf(IS_FULL)("a deployment", () => {
  let database: ScratchDatabase;
  let stand: Awaited<ReturnType<typeof startAccount>>;
  let deployment: Awaited<ReturnType<typeof openDeployment>>;

  beforeEach(async () => {
    database = await createScratchDatabase(SERVER_URL);
    deployment = await openDeployment();
    stand = await startAccount(database.url, new FakeAccount({ plan: "paid", subdomain: "acme" }));
  });
  afterEach(async () => {
    change.configs = null;
    await stand.stop();
    await deployment.close();
    await database.drop();
    await rm(inWorkspace(COPY), { recursive: true, force: true });
  });

  /** Runs a line of a page or a workflow; resolves to what it printed. */
  async function run(line: string): Promise<string> {
    const { exitCode, output } = await stand.stage.run(line.replace(/^.*?pnpm(?:@12)? (?:run )?/, ""));
    if (exitCode !== 0) {
      throw new Error(`${line} ended with ${exitCode}:\n${output}`);
    }
    expect(stand.stage.account.wrong).toEqual([]);
    return output;
  }
  const queuesOf = (consumer: string) =>
    stand.stage.account.queues
      .filter(({ consumers }) => consumers.some(({ script }) => script === consumer))
      .map(({ queue_name }) => queue_name)
      .toSorted();

  it("gets more shards, and fewer: what is in a queue that fell out of use is still counted", async () => {
    const shards = (count: number) => async (configs: Configs) => {
      const [producer, consumer] = await Promise.all(
        ["wrangler.jsonc", "workers/consumer/wrangler.jsonc"].map((path) =>
          readFile(inWorkspace(path), "utf8"),
        ),
      );
      const planned = planShards({ producer: producer ?? "", consumer: consumer ?? "" }, count);
      const { parseWorkerConfig } = await vi.importActual<typeof workerConfig>(
        "../../ops/src/deploy/worker-config.ts",
      );
      return configs.map((config) => {
        const side = config.source.name;
        return planned.ok && (side === "producer" || side === "consumer")
          ? parseWorkerConfig(config.source, planned.value[side])
          : config;
      });
    };
    await run("provision");
    await run("deploy");
    const before = queuesOf("hopline-consumer-staging");
    change.configs = shards(6);
    await run("provision");
    await run("deploy --worker consumer");
    await run("deploy --worker producer");
    const more = queuesOf("hopline-consumer-staging");
    expect(more).toEqual([...before, "hopline-clicks-4-staging", "hopline-clicks-5-staging"].toSorted());
    change.configs = shards(2);
    expect(await run("provision")).toContain("hopline-clicks-5-staging is no longer used");
    await run("deploy --worker producer");
    await run("deploy --worker consumer");
    expect(queuesOf("hopline-consumer-staging")).toEqual(more);
  });

  it("gives its Durable Object's class another name: the API goes first, and the object stays", async () => {
    await run("provision");
    await run("deploy");
    const api = () => stand.stage.account.workers.get("hopline-api-staging");
    expect([[...(api()?.classes ?? [])], api()?.migrationTag]).toEqual([["ChangeFeed"], "v1"]);
    await cp(inWorkspace("dist/api"), inWorkspace(COPY), { recursive: true });
    const bundle = await readFile(inWorkspace(`${COPY}/index.js`), "utf8");
    await writeFile(inWorkspace(`${COPY}/index.js`), bundle.replace(/\bas ChangeFeed\b/, "as RenamedFeed"));
    change.configs = async (configs) =>
      configs.map((config) => {
        const isApi = config.source.name === "api";
        const renamed = { tag: "v2", renamed_classes: [{ from: "ChangeFeed", to: "RenamedFeed" }] };
        const bindings = objectsAt(objectAt(config.raw, "durable_objects"), "bindings").map((binding) => ({
          ...binding,
          class_name: textAt(binding, "class_name") === "ChangeFeed" ? "RenamedFeed" : binding["class_name"],
        }));
        return {
          ...config,
          callees: config.callees.map((callee) =>
            callee.entrypoint === "ChangeFeed" ? { ...callee, entrypoint: "RenamedFeed" } : callee,
          ),
          source: isApi ? { ...config.source, bundleDirectory: COPY } : config.source,
          raw: {
            ...config.raw,
            ...("durable_objects" in config.raw && { durable_objects: { bindings } }),
            ...(isApi && { migrations: [...objectsAt(config.raw, "migrations"), renamed] }),
          },
        };
      });
    expect(await run("deploy")).toMatch(/Order: api, /);
    expect([[...(api()?.classes ?? [])], api()?.migrationTag]).toEqual([["RenamedFeed"], "v2"]);
    await run("deploy --worker api");
  });
});
