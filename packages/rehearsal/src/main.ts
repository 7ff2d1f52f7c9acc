/**
 * `pnpm rehearse [--full]`: the commands that deploy, on a made-up account. With `--account ID` on that real one, and never because a
 * token is set.
 */
import { defineCommand } from "citty";

import { createTools } from "@hopline/ops/deploy/tools";
import { readDatabaseUrl } from "@hopline/ops/operate/direct-sql";
import { runCommandLine } from "@hopline/testkit/console/command-line";
import { rehearseAccount } from "./rehearse-account.ts";

const command = defineCommand({
  meta: {
    name: "pnpm rehearse",
    description: "Rehearses a deployment on a real account, and removes it again",
  },
  args: {
    account: {
      type: "string",
      required: true,
      description: "The id of the Cloudflare account; without it, everything happens on a made-up one",
    },
  },
  run: ({ args }) => rehearseAccount(args.account, readDatabaseUrl(), createTools()),
});

if (process.argv.some((argument) => /^--account\b/.test(argument))) {
  await runCommandLine({ default: command, example: "DATABASE_URL=… pnpm rehearse --account ID" });
} else {
  process.argv.push("--rehearse");
  await import("@hopline/testkit/test-run/run-tests");
}
