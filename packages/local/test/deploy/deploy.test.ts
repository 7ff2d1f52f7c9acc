import { readFileSync, rmSync } from "node:fs";

import { afterAll, describe, expect, it } from "vitest";

import { deploy } from "../../src/deploy/deploy.ts";
import { deployConfigPath } from "../../src/deploy/for-environment.ts";
import { createProgress } from "../../src/console/progress.ts";
import { inWorkspace } from "../../src/workspace/workspace.ts";
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
  } = {},
) {
  const { shares = [{ version_id: "old", percentage: 100 }], failsAt = "never" } = options;
  const lines: string[] = [];
  const runWrangler = async (wranglerArguments: readonly string[]) => {
    const line = wranglerArguments.join(" ").replaceAll(inWorkspace(""), "");
    lines.push(line);
    if (line.includes(failsAt)) {
      return { exitCode: 1, output: "✘ [ERROR] no such thing" };
    }
    const output = line.startsWith("deployments list")
      ? JSON.stringify([{ created_on: "2026-11-20", versions: shares }], null, 2)
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
        isDryRun: options.isDryRun ?? false,
        tag: "abc1234",
      },
      { runWrangler, progress: createProgress({ write: () => undefined }, () => 0) },
    );
  return { run, lines };
}

const configOf = (worker: string) =>
  inWorkspace(deployConfigPath(worker, ENVIRONMENT.name)).replace(inWorkspace(""), "");
const deployed = (worker: string) => `deploy --config ${configOf(worker)} --tag abc1234`;

afterAll(() => rmSync(inWorkspace(`dist/deploy/${ENVIRONMENT.name}`), { recursive: true, force: true }));

describe("a deployment", () => {
  it("deploys each Worker from the configuration written for it, tagged with the commit", async () => {
    const stage = aStage();
    await stage.run();
    expect(stage.lines).toEqual([deployed("api"), deployed("consumer"), deployed("producer")]);
    expect(
      JSON.parse(readFileSync(inWorkspace(deployConfigPath("api", ENVIRONMENT.name)), "utf8")),
    ).toMatchObject({
      name: "hopline-api-test",
      kv_namespaces: [{ binding: "LINKS", id: "id of links" }],
    });
  });

  it("ends at the first Worker that fails, and names it", async () => {
    const stage = aStage({ failsAt: "consumer" });
    await expect(stage.run()).rejects.toThrow("hopline-consumer-test was not deployed: no such thing");
    expect(stage.lines).toEqual([deployed("api"), deployed("consumer")]);
  });

  it("uploads nothing in a dry run, whole or by shares", async () => {
    for (const percent of [100, 10]) {
      const stage = aStage({ isDryRun: true, percent });
      await stage.run();
      expect(stage.lines).toHaveLength(3);
      expect(stage.lines.filter((line) => !line.includes("--dry-run"))).toEqual([]);
    }
  });

  it("gives the new producer its share beside the old one, after the other Workers", async () => {
    const stage = aStage({ percent: 10 });
    await stage.run();
    expect(stage.lines).toEqual([
      deployed("api"),
      deployed("consumer"),
      "deployments list --json --name hopline-producer-test",
      "versions list --json --name hopline-producer-test",
      `versions upload --config ${configOf("producer")} --tag abc1234`,
      `versions deploy ${NEW}@10% old@90% --yes --name hopline-producer-test`,
    ]);
  });

  it("uploads no third version while two answer", async () => {
    const shares = [
      { version_id: "old", percentage: 90 },
      { version_id: "new", percentage: 10 },
    ];
    const stage = aStage({ percent: 10, shares });
    await expect(stage.run()).rejects.toThrow("hopline-producer-test: a rollout is under way");
    expect(stage.lines.filter((line) => line.startsWith("versions upload"))).toEqual([]);
  });
});
