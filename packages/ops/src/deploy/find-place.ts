/** Where visitors meet the producer of an environment, and people the dashboard. */
import type { Account } from "./account.ts";
import type { Environment } from "./environments.ts";
import type { Place } from "./prove.ts";
import { readSecrets } from "./secrets.ts";
import { readSubdomain } from "./subdomain.ts";
import type { WorkerConfig } from "./worker-config.ts";

/** Null where the producer has no host, or the database is not known here. */
export async function findPlace(
  account: Account,
  configs: readonly WorkerConfig[],
  environment: Environment,
): Promise<Place | null> {
  const front = await findFront(account, configs, environment);
  const databaseUrl = (await readSecrets(environment.name, ["DATABASE_URL"])).get("DATABASE_URL");
  return front === null || databaseUrl === undefined ? null : { ...front, databaseUrl };
}

/** Null where the producer has no host, and the account no subdomain. */
export async function findFront(
  account: Account,
  configs: readonly WorkerConfig[],
  { domains, suffix }: Environment,
): Promise<Omit<Place, "databaseUrl"> | null> {
  const front = configs.find(({ source }) => source.name === "producer");
  const worker = `${front?.name}${suffix}`;
  const subdomain = domains.length > 0 ? null : await readSubdomain(account);
  const host = domains[0] ?? (subdomain === null ? null : hostOnWorkersDev(worker, subdomain));
  return host === null ? null : { worker, host };
}

/** @param worker its deployed name. */
export function hostOnWorkersDev(worker: string, subdomain: string): string {
  return `${worker}.${subdomain}.workers.dev`;
}
