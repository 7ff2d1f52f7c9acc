/**
 * Makes in the account what a plan says is missing, and prints each thing. Idempotent: the next run finds what a run
 * that stopped in the middle has made.
 */
import { randomBytes } from "node:crypto";

import { Failure } from "@hopline/testkit/console/failure";
import {
  type Account,
  createKvNamespace,
  createQueue,
  listKvNamespaces,
  listQueues,
  listSecrets,
  putSecrets,
} from "./account.ts";
import type { Environment } from "./environments.ts";
import {
  type ExistingResources,
  listWantedResources,
  planProvision,
  planSecrets,
  type ProvisionPlan,
} from "./plan-provision.ts";
import { keepSecrets, readSecrets, secretsPath } from "./secrets.ts";
import { chooseSubdomain, readSubdomain, registerSubdomain } from "./subdomain.ts";
import type { Tools } from "./tools.ts";
import type { WorkerConfig } from "./worker-config.ts";

export type ProvisionDeps = Pick<Tools, "ask" | "askText" | "isStart" | "progress"> & {
  readonly account: Account;
  /** The environment's name. */
  readonly environment: string;
  /** The name for the account's workers.dev subdomain, if one was given. */
  readonly subdomain: string | null;
};

const SECRET_BYTES = 32;

/** What the account has, and what it lacks for these Workers in this environment. */
export async function readProvisioning(
  account: Account,
  configs: readonly WorkerConfig[],
  environment: Environment,
): Promise<{ readonly existing: ExistingResources; readonly plan: ProvisionPlan }> {
  const wanted = listWantedResources(configs, environment);
  const [subdomain, kvIds, queues, ...secrets] = await Promise.all([
    readSubdomain(account),
    listKvNamespaces(account),
    listQueues(account).then((ids) => [...ids.keys()]),
    ...[...wanted.secrets.keys()].map(
      async (worker) => [worker, await listSecrets(account, worker)] as const,
    ),
  ]);
  const found = new Map(secrets.flatMap(([worker, names]) => (names === null ? [] : [[worker, names]])));
  const existing = { hasSubdomain: subdomain !== null, kvIds, queues, secrets: found };
  return { existing, plan: planProvision(wanted, existing, environment) };
}

/** Carries out the plan. Secrets come last, and every value is known before the first thing is made. */
export async function provision(
  plan: ProvisionPlan,
  existing: ExistingResources,
  deps: ProvisionDeps,
): Promise<void> {
  const { account, progress } = deps;
  const subdomain = plan.lacksSubdomain ? await chooseSubdomain(deps.subdomain, deps.askText) : null;
  const values = await gatherSecrets(plan, existing, deps);
  if (subdomain !== null) {
    await progress.step(`Subdomain ${subdomain}.workers.dev`, () => registerSubdomain(account, subdomain));
  }
  for (const title of plan.kvTitles) {
    await progress.step(`KV namespace ${title}`, () => createKvNamespace(account, title));
  }
  for (const queue of plan.queues) {
    await progress.step(`Queue ${queue}`, () => createQueue(account, queue));
  }
  for (const [worker, names] of plan.secrets) {
    const own = new Map(names.map((name) => [name, values.get(name) ?? ""]));
    await progress.step(`Secrets of ${worker}: ${names.join(", ")}`, () => putSecrets(account, worker, own));
  }
}

/** The value of every missing secret; generated ones are on disk before any Worker has them. */
async function gatherSecrets(
  plan: ProvisionPlan,
  existing: ExistingResources,
  { environment, ask, isStart, progress }: ProvisionDeps,
): Promise<ReadonlyMap<string, string>> {
  const values = new Map(await readSecrets(environment, [...plan.secrets.values()].flat()));
  const { toGenerate, toAsk } = planSecrets(plan, existing, new Set(values.keys()));
  const unanswered = [...toAsk, ...(isStart === true ? [] : toGenerate)];
  if (ask === null && unanswered.length > 0) {
    throw new Failure(
      `There is no terminal to ask for ${unanswered.join(", ")}: set them as environment variables.`,
    );
  }
  for (const name of toAsk) {
    const value = (await ask?.(name)) ?? "";
    if (value === "") {
      throw new Failure(`${name} is needed: nothing was made.`);
    }
    values.set(name, value);
  }
  if (toGenerate.length > 0) {
    const generated = new Map(
      toGenerate.map((name) => [name, randomBytes(SECRET_BYTES).toString("base64")] as const),
    );
    await keepSecrets(environment, generated);
    progress.line(
      `  Generated ${toGenerate.join(", ")} in ${secretsPath(environment)}, readable by you alone. Keep a copy.`,
    );
    generated.forEach((value, name) => values.set(name, value));
  }
  return values;
}
