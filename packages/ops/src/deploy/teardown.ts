/**
 * Removes an environment from the account: first what makes new clicks, then, once nothing waits any more, the rest. Each
 * run reads what is there, so one that stopped in the middle goes on.
 */
import { Failure } from "@hopline/testkit/console/failure";
import { type Account, attempt, listKvNamespaces, listSecrets, orGone } from "./account.ts";
import { listHosts } from "./hosts.ts";
import { objectsAt, textAt, toJsonObject } from "./json-object.ts";
import { FRONT_WORKERS, type FoundQueue, type Inventory, listWaiting, type Names } from "./plan-teardown.ts";
import type { Tools } from "./tools.ts";

/** Isolates of the producer may still send what they gathered, and the consumer fetches the spill each minute. */
const SETTLE_MS = 120_000;

export async function readInventory(account: Account, names: Names): Promise<Inventory> {
  const [hosts, queues, kvIds, ...found] = await Promise.all([
    listHosts(account),
    readQueues(account, names),
    listKvNamespaces(account),
    ...names.workers.map(async (worker) => ((await listSecrets(account, worker)) === null ? [] : [worker])),
  ]);
  const spillId = kvIds.get(names.spillTitle);
  return {
    hosts: hosts.filter(({ worker }) => names.workers.includes(worker)),
    workers: found.flat(),
    queues,
    namespaces: names.kvTitles.flatMap((title) => {
      const id = kvIds.get(title);
      return id === undefined ? [] : [{ id, title }];
    }),
    hasSpill: spillId !== undefined && (await hasKeys(account, spillId)),
  };
}

/** Rejects with a `Failure` while clicks wait; what was removed until then stays removed. */
export async function teardown(
  account: Account,
  names: Names,
  { progress, wait }: Pick<Tools, "progress" | "wait">,
): Promise<void> {
  const before = await readInventory(account, names);
  const isConsumed =
    before.workers.length > FRONT_WORKERS || before.queues.some(({ consumers }) => consumers.length > 0);
  await removeHosts(account, before, progress);
  await removeWorkers(
    account,
    before.workers.filter((worker) => names.workers.indexOf(worker) < FRONT_WORKERS),
    progress,
  );
  if (isConsumed) {
    await progress.step("Two minutes, in which the last clicks are counted", () => wait(SETTLE_MS));
  }
  const now = await readInventory(account, names);
  const waiting = listWaiting(now, names);
  if (waiting.length > 0) {
    throw new Failure(
      `Clicks wait to be counted: ${waiting.join(", ")}. No new ones come in. Run this again later; \`pnpm run doctor\` says what holds them up.`,
    );
  }
  for (const { id, name, consumers } of now.queues) {
    for (const consumer of consumers) {
      await attempt(`Detaching ${consumer.worker} from ${name}`, "Queues", () =>
        orGone(() =>
          account.client.queues.consumers.delete(consumer.id, { account_id: account.id, queue_id: id }),
        ),
      );
    }
  }
  await removeWorkers(account, now.workers, progress);
  for (const { id, name } of now.queues) {
    await progress.step(`Queue ${name}`, () =>
      attempt(`Removing the queue ${name}`, "Queues", () =>
        orGone(() => account.client.queues.delete(id, { account_id: account.id })),
      ),
    );
  }
  for (const { id, title } of now.namespaces) {
    await progress.step(`KV namespace ${title}`, () =>
      attempt(`Removing the KV namespace ${title}`, "Workers KV Storage", () =>
        orGone(() => account.client.kv.namespaces.delete(id, { account_id: account.id })),
      ),
    );
  }
}

async function removeHosts(
  { client, id }: Account,
  { hosts }: Inventory,
  progress: Tools["progress"],
): Promise<void> {
  for (const host of hosts) {
    await progress.step(`Host ${host.host} of ${host.worker}`, () =>
      attempt(`Detaching ${host.host}`, "Workers Scripts", () =>
        orGone(() => client.workers.domains.delete(host.id, { account_id: id })),
      ),
    );
  }
}

/** In their order, without force: Cloudflare refuses while a Worker that is not ours still binds one. */
async function removeWorkers(
  { client, id }: Account,
  workers: readonly string[],
  progress: Tools["progress"],
): Promise<void> {
  for (const worker of workers) {
    await progress.step(`Worker ${worker}`, () =>
      attempt(`Removing ${worker}`, "Workers Scripts", () =>
        orGone(() => client.workers.scripts.delete(worker, { account_id: id })),
      ),
    );
  }
}

function readQueues({ client, id }: Account, { isQueue }: Names): Promise<readonly FoundQueue[]> {
  return attempt("Reading the queues", "Queues", async () => {
    const found = new Map<string, FoundQueue>();
    let knownCount = -1;
    for (let page = 1; found.size > knownCount; page += 1) {
      knownCount = found.size;
      const { result } = await client.queues.list({ account_id: id }, { query: { page } });
      for (const { queue_id = "", queue_name = "" } of result) {
        found.set(queue_id, { id: queue_id, name: queue_name, backlog: 0, consumers: [] });
      }
    }
    const ours = [...found.values()].filter(({ name }) => isQueue(name));
    return Promise.all(
      ours.map(async (queue) => {
        const { backlog_count } = await client.queues.getMetrics(queue.id, { account_id: id });
        const answer = await client.queues.consumers.list(queue.id, { account_id: id });
        // The SDK 7.3 calls the Worker `script_name`; the API says `script`, and `service` for old ones.
        const consumers = objectsAt(toJsonObject({ list: answer.result }), "list").map((consumer) => ({
          id: textAt(consumer, "consumer_id") ?? "",
          worker: textAt(consumer, "script") ?? textAt(consumer, "script_name") ?? "",
        }));
        return { ...queue, backlog: backlog_count, consumers };
      }),
    );
  });
}

function hasKeys({ client, id }: Account, namespaceId: string): Promise<boolean> {
  return attempt("Reading the spilled clicks", "Workers KV Storage", async () => {
    const { result } = await client.kv.namespaces.keys.list(namespaceId, { account_id: id, limit: 10 });
    return result.length > 0;
  });
}
