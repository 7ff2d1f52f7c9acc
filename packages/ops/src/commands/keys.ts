/**
 * `pnpm keys create`: an API key for a workspace, shown once. It writes to the database that DATABASE_URL names, for
 * the very first key and for a workspace whose keys are lost; the API creates further ones.
 */
import { UsageFailure } from "@hopline/testkit/console/failure";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { defineCommand } from "citty";

import { createKey, KEY_SCOPES } from "../operate/create-key.ts";
import { readDatabaseUrl } from "../operate/direct-sql.ts";

export const example = 'DATABASE_URL=… pnpm keys create --workspace "Marketing" --domain go.example.com';

export default defineCommand({
  meta: { name: "pnpm keys", description: "Creates API keys in the database, the very first one included" },
  subCommands: {
    create: defineCommand({
      meta: { name: "create", description: "Creates an API key and shows it once" },
      args: {
        workspace: { type: "string", required: true, description: "Its name; created when there is none" },
        domain: { type: "string", description: "A short domain to add to the workspace" },
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
        const { workspace, name } = args;
        const domain: string | undefined = args.domain;
        const request = { workspace, name, scopes, domain: domain ?? null };
        const created = await createKey(readDatabaseUrl(), request);
        const progress = consoleProgress();
        progress.line(
          `${created.isNewWorkspace ? "New workspace" : "Workspace"} ${created.workspaceId} "${workspace}".`,
        );
        progress.line("The key, shown only this once:");
        progress.line(created.key);
      },
    }),
  },
});
