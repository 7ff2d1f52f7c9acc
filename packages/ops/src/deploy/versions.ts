/** The versions of a deployed Worker, through wrangler: which answer, and how that is changed. */
import { summariseWranglerError } from "@hopline/testkit/workspace/build-workers";
import { Failure } from "@hopline/testkit/console/failure";
import { readJsonList, type RunWrangler } from "./account.ts";
import type { JsonObject } from "./json-object.ts";
import { type Rollout, type Share, toRollout, toVersionSpecs } from "./plan-rollout.ts";

export type Versions = {
  read(): Promise<{ readonly rollout: Rollout; readonly versions: readonly JsonObject[] }>;
  share(shares: readonly Share[]): Promise<void>;
};

const VERSION_ID = /Worker Version ID: ([0-9a-f-]{36})/;

/** `worker` is the deployed name. Both calls reject with a `Failure` that carries wrangler's message. */
export function createVersions(worker: string, runWrangler: RunWrangler): Versions {
  const expect = async (wranglerArguments: readonly string[]): Promise<string> => {
    const { exitCode, output } = await runWrangler([...wranglerArguments, "--name", worker]);
    if (exitCode !== 0) {
      throw new Failure(
        `wrangler ${wranglerArguments.slice(0, 2).join(" ")} of ${worker} failed: ${summariseWranglerError(output)}`,
      );
    }
    return output;
  };
  return {
    async read() {
      const deployments = readJsonList(await expect(["deployments", "list", "--json"]));
      const versions = readJsonList(await expect(["versions", "list", "--json"]));
      return { rollout: toRollout(deployments, versions), versions };
    },
    async share(shares) {
      await expect(["versions", "deploy", ...toVersionSpecs(shares), "--yes"]);
    },
  };
}

/** The id in what `wrangler versions upload` prints; a `Failure` where there is none. */
export function readVersionId(output: string): string {
  const versionId = VERSION_ID.exec(output)?.[1];
  if (versionId === undefined) {
    throw new Failure(`wrangler did not say which version it uploaded: ${output}`);
  }
  return versionId;
}
