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
  const front = configs.find(({ source }) => source.name === "producer");
  const worker = `${front?.name}${environment.suffix}`;
  const subdomain = environment.domains.length > 0 ? null : await readSubdomain(account);
  const host = environment.domains[0] ?? (subdomain === null ? null : hostOnWorkersDev(worker, subdomain));
  const databaseUrl = (await readSecrets(environment.name, ["DATABASE_URL"])).get("DATABASE_URL");
  return host === null || databaseUrl === undefined ? null : { worker, host, databaseUrl };
}

/** @param worker its deployed name. */
export function hostOnWorkersDev(worker: string, subdomain: string): string {
  return `${worker}.${subdomain}.workers.dev`;
}
