import { describe, expect, it } from "vitest";

import { readDeployedWorker } from "../../src/deploy/deployed-worker.ts";

const SECRET = { type: "secret_text", name: "DATABASE_URL" };
const KV = { type: "kv_namespace", name: "LINKS" };

type FakeVersion = {
  readonly percentage: number;
  readonly tag?: string;
  readonly bindings: readonly object[];
  readonly exported?: readonly string[];
};

/** A wrangler that knows one Worker, whose newest deployment has these versions. */
function readOf(versions: Readonly<Record<string, FakeVersion>>) {
  return readDeployedWorker("hopline-api", async ([command = "", verb = "", id = ""]) => {
    const version = versions[id];
    const output =
      `${command} ${verb}` === "deployments list"
        ? [
            { created_on: "2026-11-20", versions: [{ version_id: "older", percentage: 100 }] },
            {
              created_on: "2026-11-21",
              versions: Object.entries(versions).map(([version_id, { percentage }]) => ({
                version_id,
                percentage,
              })),
            },
          ]
        : {
            annotations: { "workers/tag": version?.tag },
            resources: {
              bindings: version?.bindings,
              script: { named_handlers: (version?.exported ?? []).map((name) => ({ name })) },
            },
          };
    return { exitCode: 0, output: `a notice\n${JSON.stringify(output, null, 2)}\n` };
  });
}

describe("what is deployed of a Worker", () => {
  it("are the versions that answer, with their commits, and what it offers", async () => {
    const exported = ["ChangeFeed", "UsedUpLinks"];
    expect(
      await readOf({ a: { percentage: 100, tag: "abc1234", bindings: [SECRET, KV], exported } }),
    ).toEqual({
      answering: [{ versionId: "a", percent: 100, tag: "abc1234" }],
      offers: new Set(exported),
    });
  });

  it("offers, while two versions answer, what both have", async () => {
    const worker = await readOf({
      a: { percentage: 10, bindings: [KV], exported: ["ChangeFeed", "UsedUpLinks"] },
      b: { percentage: 90, bindings: [KV], exported: ["ChangeFeed"] },
    });
    expect(worker?.offers).toEqual(new Set(["ChangeFeed"]));
    expect(worker?.answering.map(({ percent, tag }) => [percent, tag])).toEqual([
      [10, null],
      [90, null],
    ]);
  });

  it("is nothing where setting secrets has made a draft", async () => {
    expect(await readOf({ a: { percentage: 100, bindings: [SECRET] } })).toBeNull();
  });

  it.each(['Worker "hopline-api" not found.', "This Worker does not exist on your account. [code: 10007]"])(
    "is nothing where wrangler says: %s",
    async (output) => {
      expect(await readDeployedWorker("hopline-api", async () => ({ exitCode: 1, output }))).toBeNull();
    },
  );

  it("is not taken for nothing where the account cannot be asked", async () => {
    const run = async () => ({ exitCode: 1, output: "✘ [ERROR] Not logged in." });
    await expect(readDeployedWorker("hopline-api", run)).rejects.toThrow(
      "Looking at hopline-api failed: Not logged in",
    );
  });
});
