/**
 * Removes an environment from the account: first what makes new clicks, then, once nothing waits any more, the rest. Each
 * run reads what is there, so one that stopped in the middle goes on.
 */
import { Failure } from "@hopline/testkit/console/failure";
import {
  type Account,
  attempt,
  attemptRemoval,
  listKvNamespaces,
  listQueues,
  listSecrets,
} from "./account.ts";
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
  const { id: account_id, client } = account;
  const { kv, queues, workers } = client;
  /** In their order, without force: Cloudflare refuses while a Worker that is not ours still binds one. */
  const removeWorkers = async (deployed: readonly string[]): Promise<void> => {
    for (const worker of deployed) {
      await progress.step(`Worker ${worker}`, () =>
        attemptRemoval(`Removing ${worker}`, "Workers Scripts", () =>
          workers.scripts.delete(worker, { account_id }),
        ),
      );
    }
  };
  const before = await readInventory(account, names);
  const isConsumed =
    before.workers.length > FRONT_WORKERS || before.queues.some(({ consumers }) => consumers.length > 0);
  for (const host of before.hosts) {
    await progress.step(`Host ${host.host} of ${host.worker}`, () =>
      attemptRemoval(`Detaching ${host.host}`, "Workers Scripts", () =>
        workers.domains.delete(host.id, { account_id }),
      ),
    );
  }
  await removeWorkers(before.workers.filter((worker) => names.workers.indexOf(worker) < FRONT_WORKERS));
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
      await attemptRemoval(`Detaching ${consumer.worker} from ${name}`, "Queues", () =>
        queues.consumers.delete(consumer.id, { account_id, queue_id: id }),
      );
    }
  }
  await removeWorkers(now.workers);
  for (const { id, name } of now.queues) {
    await progress.step(`Queue ${name}`, () =>
      attemptRemoval(`Removing the queue ${name}`, "Queues", () => queues.delete(id, { account_id })),
    );
  }
  for (const { id, title } of now.namespaces) {
    await progress.step(`KV namespace ${title}`, () =>
      attemptRemoval(`Removing the KV namespace ${title}`, "Workers KV Storage", () =>
        kv.namespaces.delete(id, { account_id }),
      ),
    );
  }
}

async function readQueues(account: Account, { isQueue }: Names): Promise<readonly FoundQueue[]> {
  const ours = [...(await listQueues(account))].filter(([name]) => isQueue(name));
  const { client, id: account_id } = account;
  return attempt("Reading the queues", "Queues", () =>
    Promise.all(
      ours.map(async ([name, id]) => {
        const { backlog_count: backlog } = await client.queues.getMetrics(id, { account_id });
        const answer = await client.queues.consumers.list(id, { account_id });
        // The SDK 7.3 calls the Worker `script_name`; the API says `script`, and `service` for old ones.
        const consumers = objectsAt(toJsonObject({ list: answer.result }), "list").map((consumer) => ({
          id: textAt(consumer, "consumer_id") ?? "",
          worker: textAt(consumer, "script") ?? textAt(consumer, "script_name") ?? "",
        }));
        return { id, name, backlog, consumers };
      }),
    ),
  );
}

function hasKeys({ client, id }: Account, namespaceId: string): Promise<boolean> {
  return attempt("Reading the spilled clicks", "Workers KV Storage", async () => {
    const { result } = await client.kv.namespaces.keys.list(namespaceId, { account_id: id, limit: 10 });
    return result.length > 0;
  });
}
