/**
 * `pnpm start`: from an empty account to a first click that is counted. Asks for what it lacks; everything else is done by the other
 * commands, in their order. What was done before, be it by a run that broke off, is left as it is.
 */
import { defineCommand, runCommand } from "citty";

import { accountArg, connectAccount } from "../deploy/account.ts";
import { envArg, readEnvironment } from "../deploy/environments.ts";
import { findPlace } from "../deploy/find-place.ts";
import { variablesOf } from "../deploy/for-environment.ts";
import { secretsPath } from "../deploy/secrets.ts";
import { applyAnswers, gatherAnswers, NO_HOST } from "../deploy/start-answers.ts";
import { createTools, type Tools } from "../deploy/tools.ts";
import { readWorkerConfigs } from "../deploy/worker-config.ts";
import { ensureFirstAccount } from "../operate/first-account.ts";
import { ensureFirstKey } from "../operate/first-key.ts";
import { proveFirstLink } from "../operate/first-link.ts";
import { Failure } from "@hopline/testkit/console/failure";
import deploy from "./deploy.ts";
import provision from "./provision.ts";

export const example = "pnpm start --host go.example.com --email ada@example.com";
export const exitCodes = {
  0: "a first click is counted",
  1: "something is missing, or failed: run it again",
};

export default defineCommand({
  meta: {
    name: "pnpm start",
    description: "From an empty Cloudflare account to a first counted click; asks for what it lacks",
  },
  args: {
    env: envArg,
    account: accountArg,
    host: {
      type: "string",
      description: `The host of the links, in a zone of the account; "${NO_HOST}" for one of Cloudflare's`,
    },
    "app-host": {
      type: "string",
      description: "Where people sign in, in a zone of the account; by default one of Cloudflare's",
    },
    email: { type: "string", description: "Of the first owner" },
    subdomain: { type: "string", description: "In a new account: the name for <name>.workers.dev" },
    plan: {
      type: "enum",
      options: ["free", "paid"],
      description:
        "Of Workers: on Free, jobs stay within its limits. Free, unless environments.jsonc says otherwise",
    },
    "take-over": {
      type: "boolean",
      default: false,
      description: "Switch hosts over that lead elsewhere today",
    },
  },
  async run({ args, data }) {
    const tools: Tools = { ...(data ?? createTools()), isStart: true };
    const { progress } = tools;
    const answers = await gatherAnswers(await readEnvironment(args.env), args, tools);
    const environment = await applyAnswers(args.env, answers, tools);
    const common = ["--env", args.env, "--account", answers.account];
    const subdomain = answers.subdomain === null ? [] : ["--subdomain", answers.subdomain];
    const takeOver = args["take-over"] ? ["--take-over"] : [];
    await runCommand(provision, { rawArgs: [...common, ...subdomain], data: tools });
    await runCommand(deploy, { rawArgs: [...common, ...takeOver], data: tools });

    const configs = await readWorkerConfigs();
    const account = await connectAccount(tools.runWrangler, answers.account);
    const place = await findPlace(account, configs, environment);
    if (place === null) {
      throw new Failure(`The producer of ${args.env} has no host yet. Run this again.`);
    }
    const appOrigin = String(variablesOf("api", configs, environment)["APP_ORIGIN"]);
    const key = await progress.step("First key", () => ensureFirstKey(args.env, place));
    const isOwned = await progress.step("First account", () =>
      ensureFirstAccount({
        ...tools,
        environment: args.env,
        databaseUrl: place.databaseUrl,
        appOrigin,
        email: answers.email,
      }),
    );
    const link = await progress.step("First link, followed and found in the ledger", () =>
      proveFirstLink(place, key, tools),
    );
    const file = secretsPath(args.env);
    [
      `The first link: ${link}`,
      isOwned
        ? `The dashboard: ${appOrigin} (${answers.email ?? "the first owner"}, with OWNER_PASSWORD of ${file}; change it there)`
        : `The dashboard: ${appOrigin}`,
      `The first key is FIRST_API_KEY of ${file}. Keep a copy of that file in your password store.`,
      "environments.jsonc names the hosts now: commit it.",
    ].forEach((line) => progress.line(line));
  },
});
