/** `pnpm run teardown`: removes an environment from the account. Says what it would remove, unless --yes is given. */
import { defineCommand } from "citty";

import { accountArg, connectAccount } from "../deploy/account.ts";
import { readEnvironment } from "../deploy/environments.ts";
import { describeInventory, listNames, listWaiting } from "../deploy/plan-teardown.ts";
import { readInventory, teardown } from "../deploy/teardown.ts";
import { createTools, type Tools } from "../deploy/tools.ts";
import { readWorkerConfigs } from "../deploy/worker-config.ts";

export const example = "pnpm run teardown --env staging";
export const exitCodes = { 0: "listed, or removed", 1: "clicks wait, or something could not be removed" };

export default defineCommand({
  meta: {
    name: "pnpm run teardown",
    description: "Removes an environment's hosts, Workers, queues and KV namespaces; never the database",
  },
  args: {
    env: { type: "string", required: true, description: "An environment of environments.jsonc" },
    account: accountArg,
    yes: {
      type: "boolean",
      default: false,
      description: "Remove it; without, only say what would be removed",
    },
  },
  async run({ args, data }) {
    const tools: Tools = data ?? createTools();
    const { progress } = tools;
    const environment = await readEnvironment(args.env);
    const names = listNames(await readWorkerConfigs(), environment);
    const account = await connectAccount(tools.runWrangler, args.account);
    if (args.yes) {
      await teardown(account, names, tools);
      progress.line(
        `${environment.name} is removed. What is left: its database, .secrets/${environment.name}.json, the API token, and Cloudflare's logs.`,
      );
      return;
    }
    const inventory = await progress.during("Reading the account", () => readInventory(account, names));
    const lines = describeInventory(inventory);
    progress.line(
      lines.length === 0 ? `${environment.name} has nothing in this account.` : "This would be removed:",
    );
    lines.forEach((line) => progress.line(`  ${line}`));
    const waiting = listWaiting(inventory, names);
    if (waiting.length > 0) {
      progress.line(`Not counted yet: ${waiting.join(", ")}. Queues are removed only once they are empty.`);
    }
    if (lines.length > 0) {
      progress.line("Nothing was removed. To do it, add --yes.");
    }
  },
});
