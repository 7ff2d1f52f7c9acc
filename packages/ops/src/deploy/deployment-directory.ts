/** Where environments.jsonc and `.secrets` are: at the root, or in the folder that a rehearsal gives its deployment. */
import { basename, resolve } from "node:path";

import { WORKSPACE_ROOT } from "@hopline/testkit/workspace/workspace";

export const DEPLOYMENT_VARIABLE = "HOPLINE_DEPLOYMENT_DIRECTORY";

export function inDeployment(path: string): string {
  return resolve(process.env[DEPLOYMENT_VARIABLE] || WORKSPACE_ROOT, path);
}

/** Where the generated configurations of an environment go, relative to the root: a rehearsal's apart from all others'. */
export function generatedFolder(environment: string): string {
  const own = process.env[DEPLOYMENT_VARIABLE] ?? "";
  return own === "" ? `dist/deploy/${environment}` : `dist/deploy/${basename(own)}/${environment}`;
}
