/**
 * `pnpm run doctor [--env staging|production] [--json]`: what is missing or out of step, one line a finding, exit code 1
 * when something is wrong. Changes nothing. What cannot be reached from here is said, and is no error.
 */
import { readFile } from "node:fs/promises";

import { createAccount, type RunWrangler } from "../deploy/account.ts";
import { readCommit } from "../deploy/commit.ts";
import { readDeployedWorker } from "../deploy/deployed-worker.ts";
import { DEFAULT_ENVIRONMENT, type Environment, readEnvironment } from "../deploy/environments.ts";
import { listWantedResources, planProvision } from "../deploy/plan-provision.ts";
import { readExisting } from "../deploy/provision.ts";
import { createSecretFile } from "../deploy/secret-file.ts";
import { readWorkerConfigs, type WorkerConfig } from "../deploy/worker-config.ts";
import { describeFinding, type Finding, unseen } from "../doctor/finding.ts";
import { judgeAccount } from "../doctor/judge-account.ts";
import { judgeConfiguration } from "../doctor/judge-configuration.ts";
import { judgeDeployed } from "../doctor/judge-deployed.ts";
import { judgeDatabase } from "../doctor/judge-database.ts";
import { judgeSecrets } from "../doctor/judge-secrets.ts";
import { judgeVariables } from "../doctor/judge-variables.ts";
import { judgeVersions, readWorkerds } from "../doctor/judge-versions.ts";
import { readDatabase } from "../doctor/read-database.ts";
import { Failure } from "@hopline/testkit/console/failure";
import { readMigrations } from "@hopline/testkit/postgres/migration-files";
import { consoleProgress, runCommand } from "@hopline/testkit/console/progress";
import { readFlags, rejectPositionals } from "@hopline/testkit/console/read-flags";
import { runTool } from "@hopline/testkit/console/run-tool";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";

const USAGE = "pnpm run doctor [--env staging|production] [--json]";

const LOG_IN = "Set CLOUDFLARE_API_TOKEN or run `pnpm exec wrangler login`.";

const runWrangler: RunWrangler = (wranglerArguments, input) => runTool("wrangler", wranglerArguments, input);

await runCommand(async () => {
  const { values, positionals } = readFlags(
    {
      env: { type: "string", default: DEFAULT_ENVIRONMENT },
      json: { type: "boolean", default: false },
    },
    USAGE,
  );
  rejectPositionals(positionals, USAGE);
  const environment = await readEnvironment(values.env);
  const configs = await readWorkerConfigs();
  const required = [...new Set(configs.flatMap(({ secrets }) => secrets))];
  const secrets = await gatherSecrets(environment, required);
  const account = await examineAccount(configs, environment);
  const findings = [
    ...(await examineTools(configs)),
    ...judgeConfiguration(configs, environment),
    ...judgeVariables(configs, environment),
    ...judgeSecrets(required, secrets),
    ...(await examineDatabase(secrets.get("DATABASE_URL"))),
    ...account,
    // What could not be reached once is not asked for three times more.
    ...(account.some(({ level }) => level === "unknown") ? [] : await examineDeployed(configs, environment)),
  ];
  tell(findings, environment, values.json);
  return findings.some(({ level }) => level === "error") ? 1 : 0;
});

async function gatherSecrets(
  environment: Environment,
  required: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const kept = await createSecretFile(environment.name).read();
  return new Map(
    required.flatMap((name): [string, string][] => {
      const value = process.env[name] ?? kept.get(name) ?? "";
      return value === "" ? [] : [[name, value]];
    }),
  );
}

async function examineTools(configs: readonly WorkerConfig[]): Promise<readonly Finding[]> {
  const lockFile = await readFile(inWorkspace("pnpm-lock.yaml"), "utf8");
  const { output } = await runTool("wrangler", ["--version"]);
  const dates = configs.map(({ compatibilityDate }) => compatibilityDate);
  return judgeVersions({
    node: process.versions.node,
    wrangler: output.split("\n").at(-1) ?? "",
    workerds: readWorkerds(lockFile),
    compatibilityDate: dates.toSorted().at(-1) ?? "",
  });
}

async function examineDatabase(databaseUrl: string | undefined): Promise<readonly Finding[]> {
  if (databaseUrl === undefined) {
    return [unseen("schema", "database", "not looked at", "Set DATABASE_URL to have it checked.")];
  }
  const migrations = readMigrations(inWorkspace("migrations"));
  return orUnseen("database", "Check DATABASE_URL and the network.", async () =>
    judgeDatabase(await readDatabase(databaseUrl), migrations),
  );
}

async function examineAccount(
  configs: readonly WorkerConfig[],
  environment: Environment,
): Promise<readonly Finding[]> {
  const wanted = listWantedResources(configs, environment);
  const account = createAccount(runWrangler);
  return orUnseen("account", LOG_IN, async () =>
    judgeAccount(planProvision(wanted, await readExisting(account, wanted), environment), environment.name),
  );
}

async function examineDeployed(
  configs: readonly WorkerConfig[],
  environment: Environment,
): Promise<readonly Finding[]> {
  return orUnseen("versions", LOG_IN, async () => {
    const read = async ({ name }: WorkerConfig) => {
      const deployedName = name + environment.suffix;
      return [deployedName, await readDeployedWorker(deployedName, runWrangler)] as const;
    };
    const [commit, ...workers] = await Promise.all([readCommit(), ...configs.map(read)]);
    return judgeDeployed({ environment: environment.name, commit, workers: new Map(workers) });
  });
}

/** What could not be reached is one finding, not the end of the examination. */
async function orUnseen(
  area: Finding["area"],
  todo: string,
  examine: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await examine();
  } catch (error) {
    if (!(error instanceof Failure)) {
      throw error;
    }
    const [firstLine = ""] = error.message.split("\n");
    return [unseen(area, area, firstLine.replace(/\.$/, ""), todo)];
  }
}

function tell(findings: readonly Finding[], environment: Environment, isJson: boolean): void {
  const progress = consoleProgress();
  if (isJson) {
    progress.line(JSON.stringify({ environment: environment.name, findings }, null, 2));
    return;
  }
  for (const finding of findings) {
    progress.line(describeFinding(finding));
  }
  const count = (level: Finding["level"]) => findings.filter((finding) => finding.level === level).length;
  progress.line(
    `${environment.name}: ${count("error")} errors, ${count("warning")} warnings, ${count("unknown")} not looked at.`,
  );
}
