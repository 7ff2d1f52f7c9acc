/** An account in which somebody else is at home already, and the secrets of our Workers. */
import { FakeAccount } from "../src/account-state.ts";
import { createStage } from "../src/stage.ts";
import { startFakeCloudflare } from "../src/start-fake-cloudflare.ts";

const key = (byte: number) => Buffer.alloc(32, byte).toString("base64");
export const SECRETS = {
  SEAL_KEY: key(1),
  VISITOR_SECRET: key(2),
  METRICS_TOKEN: key(3),
  AUTH_SECRET: key(4),
  WEBHOOK_SEAL_KEY: key(5),
};

export async function startAccount(databaseUrl: string, account: FakeAccount = new FakeAccount()) {
  const fake = await startFakeCloudflare(account);
  // Belongs to somebody else, and has to survive everything.
  account.zones.add("example.com");
  account.addWorker("somebody-elses");
  account.namespaces.push({ id: "theirs", title: "theirs" });
  account.queues.push({ queue_id: "theirs", queue_name: "theirs", consumers: [], backlog: 7 });
  account.hosts.push({ id: "theirs", hostname: "theirs.example.com", service: "somebody-elses" });
  return {
    stage: createStage(account, { ...SECRETS, DATABASE_URL: databaseUrl }),
    secrets: [...Object.values(SECRETS), databaseUrl],
    stop: fake.stop,
  };
}

/** What an account holds in the end, without ids, moments and the number of tries that led there. */
export function describeAccount(account: FakeAccount) {
  const titles = new Map(account.namespaces.map(({ id, title }) => [id, title]));
  const workers = [...account.workers].map(([name, worker]) => {
    const newest = worker.versions.at(-1);
    const shares = worker.deployments[0]?.versions ?? [];
    return {
      name,
      bindings: (newest?.bindings ?? [])
        .map((binding) => ({ ...binding, namespace_id: titles.get(String(binding["namespace_id"])) }))
        .toSorted((a, b) => a.name.localeCompare(b.name)),
      answers: shares.map(({ version_id, percentage }) => [version_id === newest?.id, percentage]),
      exported: newest?.exported,
      isTagged: newest?.annotations["workers/tag"] !== undefined,
      crons: worker.crons,
      classes: [...worker.classes],
      migrationTag: worker.migrationTag,
      subdomain: worker.subdomain,
      observability: worker.settings["observability"],
    };
  });
  return {
    subdomain: account.subdomain,
    namespaces: account.namespaces.map(({ title }) => title).toSorted(),
    queues: account.queues
      .map(({ queue_name, consumers }) => [queue_name, consumers.map(({ script, body }) => [script, body])])
      .toSorted(),
    hosts: account.hosts.map(({ hostname, service }) => `${hostname} ${service}`).toSorted(),
    workers: workers.toSorted((a, b) => a.name.localeCompare(b.name)),
  };
}
