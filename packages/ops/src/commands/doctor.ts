/**
 * `pnpm run doctor`: what is missing or does not fit together, one line a finding. Changes nothing. What cannot be
 * reached from here is named, and is no error.
 */
import { readFile } from "node:fs/promises";

import { readMode } from "@hopline/clickhouse/move/counting-mode";
import { defineCommand } from "citty";

import { Failure } from "@hopline/testkit/console/failure";
import { readMigrations } from "@hopline/testkit/postgres/migration-files";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { type Account, accountArg, connectAccount } from "../deploy/account.ts";
import { readCommit } from "../deploy/commit.ts";
import { envArg, type Environment, readEnvironment } from "../deploy/environments.ts";
import { parseJsonObject, textAt } from "../deploy/json-object.ts";
import { appHostOf, listWantedHosts, variablesOf } from "../deploy/for-environment.ts";
import { findZoneName, listHosts } from "../deploy/hosts.ts";
import { readProvisioning } from "../deploy/provision.ts";
import { readSecrets } from "../deploy/secrets.ts";
import { createTools, type Tools } from "../deploy/tools.ts";
import { readDeployedWorker } from "../deploy/versions.ts";
import { findFront, findPlace } from "../deploy/find-place.ts";
import type { Place } from "../deploy/prove.ts";
import { measureDeployment } from "../doctor/measure.ts";
import { writeReport } from "../doctor/write-report.ts";
import { readWorkerConfigs, type WorkerConfig } from "../deploy/worker-config.ts";
import { about, describeFinding, type Finding, type Level } from "../doctor/finding.ts";
import { judgeAlerts, readAlerts } from "../doctor/judge-alerts.ts";
import {
  type CustomHostnameFacts,
  judgeAccount,
  judgeCustomHostnames,
  judgeDeployed,
  judgeHosts,
} from "../doctor/judge-account.ts";
import { judgeConfiguration } from "../doctor/judge-configuration.ts";
import { judgeClickHouse, readClickHouse } from "../doctor/judge-clickhouse.ts";
import { judgeDatabase, readDatabase } from "../doctor/judge-database.ts";
import { judgeSecrets, judgeTools, readWorkerds } from "../doctor/judge-machine.ts";
import { readClickHouseMigrations } from "../operate/clickhouse.ts";
import { withSqlOf } from "../operate/direct-sql.ts";

const MODE_TIMEOUT_MS = 10_000;

export const example = "pnpm run doctor --env production";
export const exitCodes = { 0: "no errors; there may be warnings", 1: "something is wrong" };

export default defineCommand({
  meta: {
    name: "pnpm run doctor",
    description: "Checks configuration, secrets, database, account, deployed versions and alerts",
  },
  args: {
    env: envArg,
    account: accountArg,
    measure: {
      type: "boolean",
      default: false,
      description: "Also visit the deployment and write what only the real network shows into a file",
    },
    json: { type: "boolean", default: false, description: "Print the findings as JSON" },
  },
  async run({ args, data }) {
    const tools: Tools = data ?? createTools();
    const { progress } = tools;
    const environment = await readEnvironment(args.env);
    const configs = await readWorkerConfigs();
    const required = [...new Set(configs.flatMap(({ secrets }) => secrets))];
    const secrets = await readSecrets(environment.name, required);
    const findings = [
      ...(await examineTools(configs)),
      ...judgeConfiguration(configs, environment),
      ...judgeSecrets(required, secrets),
      ...(await examineDatabase(secrets.get("DATABASE_URL"))),
      ...(await examineClickHouse(environment, secrets.get("DATABASE_URL"))),
      ...(await examineAccount(configs, environment, { tools, accountId: args.account })),
    ];
    const count = (level: Level) => findings.filter((finding) => finding.level === level).length;
    if (args.json) {
      progress.line(JSON.stringify({ environment: environment.name, findings }, null, 2));
    } else {
      findings.forEach((finding) => progress.line(describeFinding(finding)));
      progress.line(
        `${environment.name}: ${count("error")} errors, ${count("warning")} warnings, ${count("unknown")} not checked.`,
      );
    }
    if (args.measure) {
      const account = await connectAccount(tools.runWrangler, args.account);
      await measure(await findPlace(account, configs, environment), environment, tools);
    }
    return count("error") > 0 ? 1 : 0;
  },
});

async function measure(place: Place | null, { name }: Environment, tools: Tools): Promise<void> {
  if (place === null) {
    throw new Failure(`${name} has no host, or DATABASE_URL is not set: nothing was measured.`);
  }
  const key = (await readSecrets(name, ["FIRST_API_KEY"])).get("FIRST_API_KEY") ?? null;
  const { fetch, progress, wait } = tools;
  const deps = { fetch, wait, key, nowMs: () => performance.now() };
  const measurements = await progress.during(`Measuring https://${place.host}`, () =>
    measureDeployment(place, deps),
  );
  const path = await writeReport({
    environment: name,
    host: place.host,
    commit: await readCommit(),
    date: new Date().toISOString(),
    versions: `Node ${process.versions.node}`,
    measurements,
  });
  measurements.forEach(({ name: what, measured, expected }) =>
    progress.line(`${what}: ${measured} (expected: ${expected})`),
  );
  progress.line(`${path} has it, without hosts and secrets.`);
}

async function examineTools(configs: readonly WorkerConfig[]): Promise<readonly Finding[]> {
  const wrangler = await readFile(inWorkspace("node_modules/wrangler/package.json"), "utf8");
  const dates = configs.map(({ compatibilityDate }) => compatibilityDate);
  return judgeTools({
    node: process.versions.node,
    wrangler: textAt(parseJsonObject(wrangler, "wrangler's package.json"), "version") ?? "",
    workerds: readWorkerds(await readFile(inWorkspace("pnpm-lock.yaml"), "utf8")),
    compatibilityDate: dates.toSorted().at(-1) ?? "",
  });
}

async function examineDatabase(databaseUrl: string | undefined): Promise<readonly Finding[]> {
  if (databaseUrl === undefined) {
    return [about("schema", "database").unseen("not checked", "Set DATABASE_URL to have it checked.")];
  }
  const migrations = readMigrations(inWorkspace("migrations"));
  return orUnseen("database", "Check DATABASE_URL and the network.", async () =>
    judgeDatabase(await readDatabase(databaseUrl), migrations),
  );
}

/** Nothing is said of a ClickHouse that no one has configured. */
async function examineClickHouse(
  environment: Environment,
  databaseUrl: string | undefined,
): Promise<readonly Finding[]> {
  const url = (await readSecrets(environment.name, ["CLICKHOUSE_URL"])).get("CLICKHOUSE_URL");
  if (url === undefined || databaseUrl === undefined) {
    return [];
  }
  return orUnseen("clickhouse", "Check CLICKHOUSE_URL and the network.", async () => {
    const facts = await readClickHouse(url);
    const mode = await withSqlOf(databaseUrl, (runSql) => readMode(runSql, MODE_TIMEOUT_MS));
    return judgeClickHouse(facts, mode, readClickHouseMigrations());
  });
}

async function examineAccount(
  configs: readonly WorkerConfig[],
  environment: Environment,
  { tools, accountId }: { readonly tools: Tools; readonly accountId: string | undefined },
): Promise<readonly Finding[]> {
  return orUnseen("account", "The account was not checked.", async () => {
    const account = await connectAccount(tools.runWrangler, accountId);
    const { existing, plan } = await readProvisioning(account, configs, environment);
    const names = configs.map(({ name }) => name + environment.suffix);
    const workers = await Promise.all(
      names.map(async (name) => [name, await readDeployedWorker(account, name)] as const),
    );
    const facts = { environment: environment.name, commit: await readCommit(), workers: new Map(workers) };
    const hosts = await listHosts(account);
    // Before the first deployment it is enough to say that.
    const isDeployed = workers.some(([, worker]) => worker !== null);
    return [
      ...judgeAccount(plan, environment.name),
      ...judgeDeployed(facts),
      ...judgeCustomHostnames(
        await readCustomHostnames(account, configs, environment, existing.secrets),
        environment.name,
      ),
      ...(isDeployed ? judgeHosts(listWantedHosts(configs, environment), hosts, environment.name) : []),
      ...(isDeployed ? await examineAlerts(account, { configs, environment, tools }) : []),
    ];
  });
}

async function examineAlerts(
  account: Account,
  {
    configs,
    environment,
    tools,
  }: { readonly configs: readonly WorkerConfig[]; readonly environment: Environment; readonly tools: Tools },
): Promise<readonly Finding[]> {
  const front = await findFront(account, configs, environment);
  const token = (await readSecrets(environment.name, ["METRICS_TOKEN"])).get("METRICS_TOKEN");
  return front === null || token === undefined
    ? []
    : judgeAlerts(front.host, await readAlerts(front.host, token, tools.fetch));
}

async function readCustomHostnames(
  account: Account,
  configs: readonly WorkerConfig[],
  environment: Environment,
  secrets: ReadonlyMap<string, readonly string[]>,
): Promise<CustomHostnameFacts> {
  const api = configs.find(({ source }) => source.name === "api");
  const zoneId = textAt(variablesOf("api", configs, environment), "CUSTOM_HOSTNAMES_ZONE_ID") ?? "";
  const hasToken =
    secrets.get(`${api?.name}${environment.suffix}`)?.includes("CUSTOM_HOSTNAMES_TOKEN") === true;
  return {
    hasZone: zoneId !== "",
    hasToken,
    zone: zoneId === "" ? null : await findZoneName(account, zoneId),
    appHost: appHostOf(environment),
  };
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
    return [about(area, area).unseen(firstLine.replace(/\.$/, ""), todo)];
  }
}
