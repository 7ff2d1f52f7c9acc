/**
 * `pnpm keys create`: an API key for a workspace, shown once. It writes to the database of a deployment, which `--env` names, or of
 * DATABASE_URL, for the very first key and for a workspace whose keys are lost; the API creates further ones.
 */
import { UsageFailure } from "@hopline/testkit/console/failure";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { defineCommand } from "citty";

import { readEnvironment } from "../deploy/environments.ts";
import { readDatabaseUrlOf } from "../deploy/secrets.ts";
import { createKey, KEY_SCOPES, type WantedWorkspace, WORKSPACE_ID } from "../operate/create-key.ts";
import { readDatabaseUrl } from "../operate/direct-sql.ts";

export const example = 'DATABASE_URL=… pnpm keys create --new-workspace "Marketing" --domain go.example.com';

export default defineCommand({
  meta: { name: "pnpm keys", description: "Creates API keys in the database, the very first one included" },
  subCommands: {
    create: defineCommand({
      meta: { name: "create", description: "Creates an API key and shows it once" },
      args: {
        env: {
          type: "string",
          description: "An environment of environments.jsonc, whose database this machine knows",
        },
        workspace: { type: "string", description: "The id of an existing workspace, ws_…" },
        "new-workspace": { type: "string", description: "The name of a workspace to create" },
        domain: { type: "string", description: "A short domain to add to the workspace, without proof" },
        name: { type: "string", default: "First key", description: "What the key is called" },
        scopes: {
          type: "string",
          default: "admin",
          description: `Any of ${KEY_SCOPES.join(", ")}, separated by commas`,
        },
      },
      async run({ args }) {
        const scopes = args.scopes.split(",");
        const unknown = scopes.find((scope) => !KEY_SCOPES.some((known) => known === scope));
        if (unknown !== undefined) {
          throw new UsageFailure(`There is no scope "${unknown}": choose from ${KEY_SCOPES.join(", ")}.`);
        }
        const workspace = readWorkspace(args.workspace, args["new-workspace"]);
        const domain: string | undefined = args.domain;
        const request = { workspace, name: args.name, scopes, domain: domain ?? null };
        const databaseUrl =
          args.env === undefined
            ? readDatabaseUrl()
            : await readDatabaseUrlOf((await readEnvironment(args.env)).name);
        const progress = consoleProgress();
        const created = await createKey(databaseUrl, request, (key) => {
          progress.line("The key, shown only this once; it works as soon as its workspace is named below:");
          progress.line(key);
        });
        const { id, name } = created.workspace;
        progress.line(`${"newName" in workspace ? "New workspace" : "Workspace"} ${id} "${name}".`);
      },
    }),
  },
});

/** Names can be changed by a workspace's admin, and two workspaces may have the same: an existing one is named by its id. */
function readWorkspace(id: string | undefined, newName: string | undefined): WantedWorkspace {
  if ((id === undefined) === (newName === undefined)) {
    throw new UsageFailure("Give --workspace with the id of one, or --new-workspace with a name.");
  }
  if (id === undefined) {
    return { newName: newName ?? "" };
  }
  if (!WORKSPACE_ID.test(id)) {
    throw new UsageFailure(`"${id}" is not a workspace's id, ws_…: use --new-workspace to create one.`);
  }
  return { id };
}
