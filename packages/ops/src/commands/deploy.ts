/**
 * `pnpm run deploy [--env staging|production] [--percent N | --worker W] [--dry-run]`: migrations, then the Workers in
 * the order that the account and the formats ask for. With --percent the new producer answers that share of the visitors
 * beside the old one, and the API waits; with --worker one Worker is deployed.
 */
import { createAccount, type RunWrangler } from "../deploy/account.ts";
import { readCommit } from "../deploy/commit.ts";
import { deploy } from "../deploy/deploy.ts";
import { DEFAULT_ENVIRONMENT, type Environment, readEnvironment } from "../deploy/environments.ts";
import { describePlan, isProvisioned, listWantedResources, planProvision } from "../deploy/plan-provision.ts";
import { readExisting } from "../deploy/provision.ts";
import { createSecretFile } from "../deploy/secret-file.ts";
import { readWorkerConfigs, type WorkerConfig } from "../deploy/worker-config.ts";
import { Failure } from "@hopline/testkit/console/failure";
import { migrate } from "@hopline/testkit/postgres/migrate";
import { readMigrations } from "@hopline/testkit/postgres/migration-files";
import { consoleProgress, type Progress, runCommand } from "@hopline/testkit/console/progress";
import { readFlags, readWholeNumber, rejectPositionals } from "@hopline/testkit/console/read-flags";
import { runTool } from "@hopline/testkit/console/run-tool";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";

const USAGE =
  "pnpm run deploy [--env staging|production] [--percent N | --worker producer|consumer|api] [--dry-run]";
const MIGRATIONS_DIRECTORY = inWorkspace("migrations");

await runCommand(async () => {
  const { values, positionals } = readFlags(
    {
      env: { type: "string", default: DEFAULT_ENVIRONMENT },
      percent: { type: "string", default: "100" },
      worker: { type: "string" },
      "dry-run": { type: "boolean", default: false },
    },
    USAGE,
  );
  rejectPositionals(positionals, USAGE);
  const percent = readWholeNumber(values.percent, { name: "--percent", min: 1, max: 100 });
  const isDryRun = values["dry-run"];
  const progress = consoleProgress();
  const environment = await readEnvironment(values.env);
  const configs = await readWorkerConfigs();
  const only = values.worker ?? null;
  if (only !== null && (percent < 100 || !configs.some(({ source }) => source.name === only))) {
    throw new Failure(`--worker takes one Worker, and no --percent beside it. Usage: ${USAGE}`);
  }
  const runWrangler: RunWrangler = (wranglerArguments, input) =>
    runTool("wrangler", wranglerArguments, input);

  const kvIds = isDryRun ? new Map() : await findNamespaces(configs, environment, runWrangler);
  await runMigrations(environment, isDryRun, progress);
  const tag = await readCommit();
  const options = { configs, only, environment, kvIds, percent, isDryRun, tag };
  const { waiting } = await deploy(options, { runWrangler, progress });
  progress.line(
    isDryRun
      ? `Dry run of ${environment.name}: the account and the database were not looked at, and nothing was changed.`
      : `${environment.name} is deployed${waiting.length === 0 ? "" : ", in part"}.`,
  );
  if (percent < 100 && !isDryRun) {
    const then = waiting.map(
      ({ source }) => ` Then pnpm run deploy --env ${environment.name} --worker ${source.name}.`,
    );
    progress.line(
      `Next: pnpm run rollout --env ${environment.name} --percent 100, or --back.${then.join("")}`,
    );
  }
  return 0;
});

/** Ids of the namespaces; a `Failure` when the account lacks anything, before the first change. */
async function findNamespaces(
  configs: readonly WorkerConfig[],
  environment: Environment,
  runWrangler: RunWrangler,
): Promise<ReadonlyMap<string, string>> {
  const wanted = listWantedResources(configs, environment);
  const existing = await readExisting(createAccount(runWrangler), wanted);
  const plan = planProvision(wanted, existing, environment);
  if (!isProvisioned(plan)) {
    throw new Failure(
      `${environment.name} lacks ${describePlan(plan).join("; ")}. Run \`pnpm run provision --env ${environment.name}\`.`,
    );
  }
  return existing.kvIds;
}

async function runMigrations(environment: Environment, isDryRun: boolean, progress: Progress): Promise<void> {
  if (isDryRun) {
    const count = readMigrations(MIGRATIONS_DIRECTORY).length;
    progress.line(`  Migrations: ${count} in the checkout; a real run applies those the database lacks.`);
    return;
  }
  const kept = await createSecretFile(environment.name).read();
  const databaseUrl = process.env["DATABASE_URL"] ?? kept.get("DATABASE_URL") ?? "";
  if (databaseUrl === "") {
    throw new Failure("DATABASE_URL is not set: the migrations come before the Workers.");
  }
  await progress.step("Migrations", () =>
    migrate(databaseUrl, {
      directory: MIGRATIONS_DIRECTORY,
      onProgress: (line) => progress.line(`    ${line}`),
    }),
  );
}
