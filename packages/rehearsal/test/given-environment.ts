/** What environments.jsonc says of staging in a test: in a folder of its own, beside the secrets that commands keep. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { DEPLOYMENT_VARIABLE } from "@hopline/ops/deploy/deployment-directory";
import { changeEnvironment, type EnvironmentChange } from "@hopline/ops/deploy/environments";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";

/** Commands of this process use it until it is closed. */
export async function openDeployment() {
  const folder = await mkdtemp(join(tmpdir(), "hopline-deployment-"));
  await writeFile(
    join(folder, "environments.jsonc"),
    await readFile(inWorkspace("environments.jsonc"), "utf8"),
  );
  process.env[DEPLOYMENT_VARIABLE] = folder;
  return {
    give: async (change: EnvironmentChange): Promise<void> => {
      await changeEnvironment("staging", change);
    },
    readSecrets: async (): Promise<Readonly<Record<string, string>>> =>
      JSON.parse(await readFile(join(folder, ".secrets/staging.json"), "utf8")) as Record<string, string>,
    readReport: (): Promise<string> => readFile(join(folder, "dist/measured-staging.md"), "utf8"),
    close: async (): Promise<void> => {
      delete process.env[DEPLOYMENT_VARIABLE];
      await rm(folder, { recursive: true });
      await rm(inWorkspace(join("dist/deploy", basename(folder))), { recursive: true, force: true });
    },
  };
}
