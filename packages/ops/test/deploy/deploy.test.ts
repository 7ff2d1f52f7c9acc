import { readFileSync, rmSync } from "node:fs";

import { afterAll, describe, expect, it } from "vitest";

import { deploy } from "../../src/deploy/deploy.ts";
import { deployConfigPath } from "../../src/deploy/for-environment.ts";
import { createProgress } from "@hopline/testkit/console/progress";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { STAGING, THREE } from "./a-deployment.ts";

const ENVIRONMENT = { ...STAGING, name: "test-of-deploy", suffix: "-test" };
const NEW = "11111111-2222-4333-8444-555555555555";

/** A wrangler that notes what it is told, and a rollout that stands where the test puts it. */
function aStage(
  options: {
    readonly shares?: readonly { readonly version_id: string; readonly percentage: number }[];
    readonly failsAt?: string;
    readonly percent?: number;
    readonly isDryRun?: boolean;
    readonly only?: string;
    /** Nothing of ours is deployed yet. */
    readonly isEmpty?: boolean;
  } = {},
) {
  const { shares = [{ version_id: "old", percentage: 100 }], failsAt = "never", isEmpty = false } = options;
  const lines: string[] = [];
  let told = "";
  const runWrangler = async (wranglerArguments: readonly string[]) => {
    const line = wranglerArguments.join(" ").replaceAll(inWorkspace(""), "");
    lines.push(line);
    if (line.includes(failsAt)) {
      return { exitCode: 1, output: "✘ [ERROR] no such thing" };
    }
    if (line.startsWith("versions view")) {
      const resources = {
        bindings: [{ type: "kv_namespace" }],
        script: { named_handlers: [{ name: "UsedUpLinks" }] },
      };
      return { exitCode: 0, output: JSON.stringify({ resources }, null, 2) };
    }
    const output = line.startsWith("deployments list")
      ? JSON.stringify([{ created_on: "2026-11-20", versions: isEmpty ? [] : shares }], null, 2)
      : line.startsWith("versions list")
        ? "[]"
        : `Worker Version ID: ${NEW}`;
    return { exitCode: 0, output };
  };
  const run = () =>
    deploy(
      {
        configs: THREE,
        environment: ENVIRONMENT,
        kvIds: new Map([["hopline-links-test", "id of links"]]),
        percent: options.percent ?? 100,
        only: options.only ?? null,
        isDryRun: options.isDryRun ?? false,
        tag: "abc1234",
      },
      { runWrangler, progress: createProgress({ write: (text) => (told += text) }, () => 0) },
    );
  return {
    run,
    /** What wrangler was told, but for the questions of what is deployed. */
    changes: () => lines.filter((line) => !/^(deployments list|versions (list|view)) /.test(line)),
    told: () => told,
  };
}

const configOf = (worker: string) =>
  inWorkspace(deployConfigPath(worker, ENVIRONMENT.name)).replace(inWorkspace(""), "");
const deployed = (worker: string) => `deploy --config ${configOf(worker)} --tag abc1234`;

afterAll(() => rmSync(inWorkspace(`dist/deploy/${ENVIRONMENT.name}`), { recursive: true, force: true }));

describe("a deployment", () => {
  it("deploys each Worker from the configuration written for it, tagged with the commit", async () => {
    const stage = aStage();
    await stage.run();
    expect(stage.changes()).toEqual([deployed("consumer"), deployed("producer"), deployed("api")]);
    expect(
      JSON.parse(readFileSync(inWorkspace(deployConfigPath("api", ENVIRONMENT.name)), "utf8")),
    ).toMatchObject({
      name: "hopline-api-test",
      kv_namespaces: [{ binding: "LINKS", id: "id of links" }],
    });
  });

  it("says its order before it begins, and why", async () => {
    const later = aStage();
    await later.run();
    expect(later.told()).toContain("Order: consumer, producer, api (who reads before who writes).");
    const first = aStage({ isEmpty: true });
    await first.run();
    expect(first.told()).toContain("Order: api, consumer, producer (who is bound before who binds it).");
    expect(first.changes()).toEqual([deployed("api"), deployed("consumer"), deployed("producer")]);
  });

  it("ends at the first Worker that fails, and names it", async () => {
    const stage = aStage({ failsAt: configOf("producer") });
    await expect(stage.run()).rejects.toThrow("hopline-producer-test was not deployed: no such thing");
    expect(stage.changes()).toEqual([deployed("consumer"), deployed("producer")]);
  });

  it("uploads nothing in a dry run, whole or by shares, and tells both orders", async () => {
    for (const percent of [100, 10]) {
      const stage = aStage({ isDryRun: true, percent });
      await stage.run();
      expect(stage.changes()).toHaveLength(3);
      expect(stage.changes().filter((line) => !line.includes("--dry-run"))).toEqual([]);
      expect(stage.told()).toContain(
        "Order: consumer, producer, api; in an account that has none of them: api, consumer, producer.",
      );
    }
  });

  it("gives the new producer its share beside the old one, and leaves the API to who reads it", async () => {
    const stage = aStage({ percent: 10 });
    const { waiting } = await stage.run();
    expect(stage.changes()).toEqual([
      deployed("consumer"),
      `versions upload --config ${configOf("producer")} --tag abc1234`,
      `versions deploy ${NEW}@10% old@90% --yes --name hopline-producer-test`,
    ]);
    expect(waiting.map(({ source }) => source.name)).toEqual(["api"]);
    expect(stage.told()).toContain("Until every visitor meets the new producer: not api.");
  });

  it("deploys one Worker where one is asked for", async () => {
    const stage = aStage({ only: "api" });
    await stage.run();
    expect(stage.changes()).toEqual([deployed("api")]);
  });

  it("uploads no third version while two answer", async () => {
    const shares = [
      { version_id: "old", percentage: 90 },
      { version_id: "new", percentage: 10 },
    ];
    const stage = aStage({ percent: 10, shares });
    await expect(stage.run()).rejects.toThrow("hopline-producer-test: a rollout is under way");
    expect(stage.changes().filter((line) => line.startsWith("versions upload"))).toEqual([]);
  });
});
