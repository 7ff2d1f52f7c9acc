/** Where environments.jsonc and `.secrets` are: at the root, or in the folder that a rehearsal gives its deployment. */
import { resolve } from "node:path";

import { WORKSPACE_ROOT } from "@hopline/testkit/workspace/workspace";

export const DEPLOYMENT_VARIABLE = "HOPLINE_DEPLOYMENT_DIRECTORY";

export function inDeployment(path: string): string {
  return resolve(process.env[DEPLOYMENT_VARIABLE] || WORKSPACE_ROOT, path);
}
