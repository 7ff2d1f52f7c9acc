/**
 * `pnpm keys create`: an API key for a workspace, printed once. Over DATABASE_URL, for the first key of all and for a
 * workspace whose keys are lost; further ones are made by the API.
 */
import { createKey, KEY_SCOPES } from "../operate/create-key.ts";
import { Failure } from "@hopline/testkit/console/failure";
import { consoleProgress, runCommand } from "@hopline/testkit/console/progress";
import { readFlags } from "@hopline/testkit/console/read-flags";

const USAGE =
  'DATABASE_URL=… pnpm keys create --workspace "Marketing" [--domain go.example.com] [--name "First key"] [--scopes admin]';

await runCommand(async () => {
  const { positionals, values } = readFlags(
    {
      workspace: { type: "string" },
      domain: { type: "string" },
      name: { type: "string", default: "First key" },
      scopes: { type: "string", default: "admin" },
    },
    USAGE,
  );
  if (positionals.length !== 1 || positionals[0] !== "create" || !values.workspace) {
    throw new Failure(`Say which workspace the key is for. Usage: ${USAGE}`);
  }
  const scopes = values.scopes.split(",");
  const unknown = scopes.filter((scope) => !KEY_SCOPES.some((known) => known === scope));
  if (unknown.length > 0) {
    throw new Failure(`There is no scope "${unknown[0]}": choose from ${KEY_SCOPES.join(", ")}.`);
  }
  const databaseUrl = process.env["DATABASE_URL"] ?? "";
  if (databaseUrl === "") {
    throw new Failure(`DATABASE_URL is not set. Usage: ${USAGE}`);
  }
  const { workspace, name, domain = null } = values;
  const created = await createKey(databaseUrl, { workspace, name, scopes, domain });
  const progress = consoleProgress();
  progress.line(
    `${created.isNewWorkspace ? "New workspace" : "Workspace"} ${created.workspaceId} "${workspace}".`,
  );
  progress.line("The key, shown this once:");
  progress.line(created.key);
  return 0;
});
