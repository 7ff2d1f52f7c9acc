/**
 * Makes in the account what a plan says is missing, and prints each thing. Idempotent: what a run that broke off has
 * made, the next one finds.
 */
import { randomBytes } from "node:crypto";

import { Failure } from "@hopline/testkit/console/failure";
import type { Progress } from "@hopline/testkit/console/progress";
import type { Account } from "./account.ts";
import type { ExistingResources, ProvisionPlan, WantedResources } from "./plan-provision.ts";
import { planSecrets } from "./plan-secrets.ts";
import type { SecretFile } from "./secret-file.ts";

export type ProvisionDeps = {
  readonly account: Account;
  readonly secretFile: SecretFile;
  /** Values that were handed over with the command: `process.env`. */
  readonly given: Readonly<Record<string, string | undefined>>;
  /** Asks a person for a value without showing it; null where nobody is there to answer. */
  readonly ask: ((name: string) => Promise<string>) | null;
  readonly progress: Progress;
};

const SECRET_BYTES = 32;

/** What the account has of what is wanted. */
export async function readExisting(account: Account, wanted: WantedResources): Promise<ExistingResources> {
  const [kvIds, queues, ...secrets] = await Promise.all([
    account.listKvNamespaces(),
    account.listQueues(),
    ...[...wanted.secrets.keys()].map(async (worker) => [worker, await account.listSecrets(worker)] as const),
  ]);
  return {
    kvIds,
    queues,
    secrets: new Map(secrets.flatMap(([worker, names]) => (names === null ? [] : [[worker, names]]))),
  };
}

/** Carries out the plan. Secrets come last, and every value is at hand before the first thing is made. */
export async function provision(
  plan: ProvisionPlan,
  existing: ExistingResources,
  deps: ProvisionDeps,
): Promise<void> {
  const { account, progress } = deps;
  const values = await gatherSecrets(plan, existing, deps);
  for (const title of plan.kvTitles) {
    await progress.step(`KV namespace ${title}`, () => account.createKvNamespace(title));
  }
  for (const queue of plan.queues) {
    await progress.step(`Queue ${queue}`, () => account.createQueue(queue));
  }
  for (const [worker, names] of plan.secrets) {
    const own = new Map(names.map((name) => [name, values.get(name) ?? ""]));
    await progress.step(`Secrets of ${worker}: ${names.join(", ")}`, () => account.putSecrets(worker, own));
  }
}

/** The value of every missing secret; made ones are on disk before any Worker has them. */
async function gatherSecrets(
  plan: ProvisionPlan,
  existing: ExistingResources,
  { secretFile, given, ask, progress }: ProvisionDeps,
): Promise<ReadonlyMap<string, string>> {
  const kept = await secretFile.read();
  const values = new Map(kept);
  for (const name of [...plan.secrets.values()].flat()) {
    const value = given[name];
    if (value !== undefined && value !== "") {
      values.set(name, value);
    }
  }
  const { toGenerate, toAsk } = planSecrets(plan, existing, new Set(values.keys()));
  if (ask === null && toAsk.length + toGenerate.length > 0) {
    throw new Failure(
      `Nobody can be asked here for ${[...toAsk, ...toGenerate].join(", ")}: hand them over as environment variables, or run this on a terminal.`,
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
    const made = toGenerate.map((name): [string, string] => [
      name,
      randomBytes(SECRET_BYTES).toString("base64"),
    ]);
    await secretFile.write(new Map([...kept, ...made]));
    progress.line(`  Made ${toGenerate.join(", ")}; kept in ${secretFile.path}, for you alone. Keep a copy.`);
    for (const [name, value] of made) {
      values.set(name, value);
    }
  }
  return values;
}
