import { describe, expect, it } from "vitest";

import {
  asIfDeployed,
  type DeployedWorkers,
  NOTHING_DEPLOYED,
  planDeploy,
} from "../../src/deploy/plan-deploy.ts";
import { readWorkerConfigs, type WorkerConfig } from "../../src/deploy/worker-config.ts";
import { aConfig, THREE } from "./a-deployment.ts";

const ALL = { only: null, percent: 100 };
const namesOf = (configs: readonly WorkerConfig[]) => configs.map(({ source }) => source.name);
const orderOf = (configs: readonly WorkerConfig[], deployed: DeployedWorkers | null) =>
  namesOf(planDeploy(configs, ALL, deployed).configs);

/** All three, from a release whose API had no entrypoint but its own `fetch`. */
const BEFORE: DeployedWorkers = new Map(
  THREE.map(({ name }) => [name, { answering: [], offers: new Set<string>() }]),
);

describe("the order of a deployment", () => {
  it("puts a Worker after those it binds in an empty account, and readers before writers from then on", async () => {
    for (const configs of [THREE, THREE.toReversed()]) {
      expect(orderOf(configs, NOTHING_DEPLOYED)).toEqual(["api", "consumer", "producer"]);
      expect(orderOf(configs, asIfDeployed(configs))).toEqual(["consumer", "producer", "api"]);
    }
    const all = await readWorkerConfigs();
    expect(orderOf(all, NOTHING_DEPLOYED)).toEqual(["api", "consumer", "dashboard", "producer"]);
    expect(orderOf(all, asIfDeployed(all))).toEqual(["consumer", "producer", "api", "dashboard"]);
  });

  it("continues a first deployment that stopped in the middle", () => {
    const half = [...asIfDeployed(THREE)].filter(([name]) => name === "hopline-api");
    expect(orderOf(THREE, new Map(half))).toEqual(["consumer", "producer", "api"]);
  });

  it("puts a Worker that offers something new before those that bind it, and says what that requires", () => {
    const { configs, lines } = planDeploy(THREE, ALL, BEFORE);
    expect(namesOf(configs)).toEqual(["api", "consumer", "producer"]);
    expect(lines.join("\n")).toContain(
      "hopline-api goes before hopline-producer, which reads what it writes and binds something new of it",
    );
  });

  it("counts the class of a Durable Object as something new", () => {
    const objects = {
      bindings: [{ name: "FEED", class_name: "ChangeFeed", script_name: "hopline-api" }],
    };
    const configs = [aConfig("api"), aConfig("producer", { durable_objects: objects })];
    expect(orderOf(configs, asIfDeployed([aConfig("api"), aConfig("producer")]))).toEqual([
      "api",
      "producer",
    ]);
    expect(orderOf(configs, asIfDeployed(configs))).toEqual(["producer", "api"]);
  });

  it("is refused where each of two Workers needs the other first", () => {
    const calls = (service: string) => ({ services: [{ binding: "OTHER", service }] });
    const circle = [aConfig("api", calls("hopline-consumer")), aConfig("consumer", calls("hopline-api"))];
    expect(() => planDeploy(circle, ALL, NOTHING_DEPLOYED)).toThrow(
      "hopline-api and hopline-consumer each bind something new",
    );
  });
});

describe("a part of a deployment", () => {
  it("leaves the API to the end of a rollout of the producer", () => {
    const plan = planDeploy(THREE, { only: null, percent: 10 }, asIfDeployed(THREE));
    expect([namesOf(plan.configs), namesOf(plan.waiting)]).toEqual([["consumer", "producer"], ["api"]]);
  });

  it("is all of it where no producer is there to share with: the first run of a gradual workflow ends", () => {
    const plan = planDeploy(THREE, { only: null, percent: 10 }, NOTHING_DEPLOYED);
    expect([plan.percent, plan.configs.length, plan.waiting]).toEqual([100, 3, []]);
    expect(plan.lines.join("\n")).toContain(
      "hopline-producer is not deployed, so there is no traffic to share",
    );
  });

  it("is one Worker, where what it binds is there", () => {
    const one = (only: string, deployed: DeployedWorkers) =>
      namesOf(planDeploy(THREE, { only, percent: 100 }, deployed).configs);
    expect(one("api", NOTHING_DEPLOYED)).toEqual(["api"]);
    expect(one("producer", asIfDeployed(THREE))).toEqual(["producer"]);
    expect(() => one("producer", NOTHING_DEPLOYED)).toThrow("deploy hopline-api first");
  });
});
