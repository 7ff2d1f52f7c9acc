/**
 * `pnpm run deploy`: migrations, then the Workers in the order that the account and the formats ask for. With --percent
 * the new producer answers that share of the visitors beside the old one, and the API waits.
 */
import { defineCommand } from "citty";

import { Failure, UsageFailure } from "@hopline/testkit/console/failure";
import type { Progress } from "@hopline/testkit/console/progress";
import { readWholeNumber } from "@hopline/testkit/console/read-whole-number";
import { migrate } from "@hopline/testkit/postgres/migrate";
import { readMigrations } from "@hopline/testkit/postgres/migration-files";
import { inWorkspace, WORKERS } from "@hopline/testkit/workspace/workspace";
import { type Account, accountArg, connectAccount } from "../deploy/account.ts";
import { readCommit } from "../deploy/commit.ts";
import { deploy } from "../deploy/deploy.ts";
import { envArg, type Environment, readEnvironment } from "../deploy/environments.ts";
import { describePlan } from "../deploy/plan-provision.ts";
import { readProvisioning } from "../deploy/provision.ts";
import { variablesOf } from "../deploy/for-environment.ts";
import { findPlace } from "../deploy/find-place.ts";
import { readSecrets } from "../deploy/secrets.ts";
import { createTools, type Tools } from "../deploy/tools.ts";
import { migrateGivenClickHouse } from "../operate/clickhouse.ts";
import { createSetUpLink } from "../operate/set-up-link.ts";
import { readWorkerConfigs, type WorkerConfig } from "../deploy/worker-config.ts";

const MIGRATIONS_DIRECTORY = inWorkspace("migrations");

export const example = "pnpm run deploy --env production --percent 10";

export default defineCommand({
  meta: {
    name: "pnpm run deploy",
    description: "Applies migrations, then deploys the Workers in the order that is safe",
  },
  args: {
    env: envArg,
    account: accountArg,
    percent: { type: "string", default: "100", description: "The new producer's share of the traffic" },
    worker: {
      type: "enum",
      options: WORKERS.map(({ name }) => name),
      description: "Deploy only this Worker",
    },
    "take-over": {
      type: "boolean",
      default: false,
      description: "Switch hosts over that lead elsewhere today: other Workers' hosts, existing DNS records",
    },
    "dry-run": { type: "boolean", default: false, description: "Bundle and check, offline; upload nothing" },
  },
  async run({ args, data }) {
    const tools: Tools = data ?? createTools();
    const { progress, runWrangler } = tools;
    const percent = readWholeNumber(args.percent, { name: "--percent", min: 1, max: 100 });
    const isDryRun = args["dry-run"];
    const only = args.worker ?? null;
    if (only !== null && percent < 100) {
      throw new UsageFailure(
        "Give --worker or --percent, not both: only the producer is rolled out by shares.",
      );
    }
    const environment = await readEnvironment(args.env);
    const configs = await readWorkerConfigs();
    const account = isDryRun ? null : await connectAccount(runWrangler, args.account);
    const kvIds = account === null ? new Map() : await findNamespaces(account, configs, environment);
    await runMigrations(environment, isDryRun, progress);
    const tag = await readCommit();
    const options = { account, configs, environment, kvIds, only, percent, tag };
    const place = account === null ? null : await findPlace(account, configs, environment);
    const plan = await deploy({ ...tools, ...options, canTakeOver: args["take-over"], place });
    if (isDryRun) {
      progress.line(
        `Dry run of ${environment.name}: the account and the database were not read, and nothing was changed.`,
      );
      return;
    }
    progress.line(`${environment.name} is deployed${plan.waiting.length === 0 ? "" : ", in part"}.`);
    if (tools.isStart !== true) {
      await printSetUpLink(configs, environment, progress);
    }
    if (plan.percent < 100) {
      const then = plan.waiting.map(
        ({ source }) => ` Then pnpm run deploy --env ${environment.name} --worker ${source.name}.`,
      );
      progress.line(
        `Next: pnpm run rollout --env ${environment.name} --percent 100, or --back.${then.join("")}`,
      );
    }
  },
});

/** Ids of the namespaces; a `Failure` when anything is missing, before the first change. */
async function findNamespaces(
  account: Account,
  configs: readonly WorkerConfig[],
  environment: Environment,
): Promise<ReadonlyMap<string, string>> {
  const { existing, plan } = await readProvisioning(account, configs, environment);
  const missing = describePlan(plan);
  if (missing.length > 0) {
    throw new Failure(
      `${environment.name} lacks ${missing.join("; ")}. Run \`pnpm run provision --env ${environment.name}\`.`,
    );
  }
  return existing.kvIds;
}

/** Where people can sign in and there is no account yet. */
async function printSetUpLink(
  configs: readonly WorkerConfig[],
  environment: Environment,
  progress: Progress,
): Promise<void> {
  const appOrigin = variablesOf("api", configs, environment)["APP_ORIGIN"];
  const databaseUrl = (await readSecrets(environment.name, ["DATABASE_URL"])).get("DATABASE_URL");
  if (typeof appOrigin !== "string" || appOrigin === "" || databaseUrl === undefined) {
    return;
  }
  const link = await createSetUpLink(databaseUrl, appOrigin);
  if (link !== null) {
    progress.line(`There is no account yet. Open this within a day to become the owner: ${link}`);
  }
}

async function runMigrations(environment: Environment, isDryRun: boolean, progress: Progress): Promise<void> {
  if (isDryRun) {
    const count = readMigrations(MIGRATIONS_DIRECTORY).length;
    progress.line(`  Migrations: ${count} in the checkout; a real run applies those the database lacks.`);
    return;
  }
  const secrets = await readSecrets(environment.name, ["DATABASE_URL", "CLICKHOUSE_URL"]);
  const databaseUrl = secrets.get("DATABASE_URL");
  if (databaseUrl === undefined) {
    throw new Failure("DATABASE_URL is not set: the migrations come before the Workers.");
  }
  const onProgress = (line: string) => progress.line(`    ${line}`);
  await progress.step("Migrations", async () => {
    await migrate(databaseUrl, { directory: MIGRATIONS_DIRECTORY, onProgress });
    await migrateGivenClickHouse(secrets.get("CLICKHOUSE_URL") ?? "", onProgress);
  });
}
