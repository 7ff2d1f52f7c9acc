/** The account itself, its subdomain, KV namespaces and queues with their consumers. */
import type { Context, Hono } from "hono";

import { textAt } from "@hopline/ops/deploy/json-object";
import type { FakeAccount, Queue } from "./account-state.ts";
import { ok, page, readObject, refuse } from "./answers.ts";
import * as refusals from "./refusals.ts";

/** Smaller than Cloudflare's, so that every list has pages; wrangler asks for as many as it wants. */
const PAGE_SIZE = 2;

export function addResourceRoutes(api: Hono, account: FakeAccount): void {
  const root = "/accounts/:account";
  api.get("/accounts", (c) => ok(c, [{ id: "account", name: "Acme" }]));

  api.get(`${root}/workers/subdomain`, (c) =>
    account.subdomain === null ? refuse(refusals.NO_SUBDOMAIN_YET) : ok(c, { subdomain: account.subdomain }),
  );
  api.put(`${root}/workers/subdomain`, async (c) => {
    const subdomain = textAt(await readObject(c), "subdomain") ?? "";
    if (account.subdomain !== null) {
      return refuse(refusals.HAS_SUBDOMAIN);
    }
    if (subdomain === "taken") {
      return refuse(refusals.SUBDOMAIN_UNAVAILABLE);
    }
    account.subdomain = subdomain;
    return ok(c, { subdomain });
  });

  const namespaces = `${root}/storage/kv/namespaces`;
  api.get(namespaces, (c) =>
    page(
      c,
      account.namespaces.filter(({ id }) => account.isVisible(id)),
      PAGE_SIZE,
    ),
  );
  api.post(namespaces, async (c) => {
    const title = textAt(await readObject(c), "title") ?? "";
    if (account.namespaces.some((namespace) => namespace.title === title)) {
      return refuse(refusals.KV_TITLE_TAKEN);
    }
    const namespace = { id: account.nextId().replaceAll("-", ""), title };
    account.namespaces.push(namespace);
    account.noteMade(namespace.id);
    return ok(c, namespace);
  });
  api.delete(`${namespaces}/:namespace`, (c) =>
    removeFrom(account.namespaces, ({ id }) => id === c.req.param("namespace"))
      ? ok(c, {})
      : refuse(refusals.NO_SUCH_NAMESPACE),
  );
  api.get(`${namespaces}/:namespace/keys`, (c) =>
    ok(
      c,
      (account.keys.get(c.req.param("namespace")) ?? []).map((name) => ({ name })),
    ),
  );
  addQueueRoutes(api, account, `${root}/queues`);
}

function addQueueRoutes(api: Hono, account: FakeAccount, root: string): void {
  const find = (c: Context) => account.queues.find(({ queue_id }) => queue_id === c.req.param("queue"));
  api.get(root, (c) => {
    const names = c.req.queries("name");
    const seen = account.queues.filter(({ queue_id }) => account.isVisible(queue_id));
    const named = names === undefined ? seen : seen.filter(({ queue_name }) => names.includes(queue_name));
    return page(c, named.map(toQueueAnswer), names === undefined ? PAGE_SIZE : 100);
  });
  api.post(root, async (c) => {
    const queue_name = textAt(await readObject(c), "queue_name") ?? "";
    if (account.queues.some((queue) => queue.queue_name === queue_name)) {
      return refuse(refusals.QUEUE_NAME_TAKEN);
    }
    const queue: Queue = {
      queue_id: account.nextId().replaceAll("-", ""),
      queue_name,
      consumers: [],
      backlog: 0,
    };
    account.queues.push(queue);
    account.noteMade(queue.queue_id);
    return ok(c, toQueueAnswer(queue));
  });
  api.delete(`${root}/:queue`, (c) =>
    removeFrom(account.queues, ({ queue_id }) => queue_id === c.req.param("queue"))
      ? ok(c, {})
      : refuse(refusals.NO_SUCH_QUEUE),
  );
  api.get(`${root}/:queue/metrics`, (c) => {
    const queue = find(c);
    const metrics = { backlog_bytes: 0, backlog_count: queue?.backlog, oldest_message_timestamp_ms: 0 };
    return queue === undefined ? refuse(refusals.NO_SUCH_QUEUE) : ok(c, metrics);
  });
  api.get(`${root}/:queue/consumers`, (c) => {
    const queue = find(c);
    return queue === undefined ? refuse(refusals.NO_SUCH_QUEUE) : ok(c, toQueueAnswer(queue).consumers);
  });
  api.post(`${root}/:queue/consumers`, async (c) => {
    const body = await readObject(c);
    const queue = find(c);
    if (queue === undefined) {
      return refuse(refusals.NO_SUCH_QUEUE);
    }
    if (queue.consumers.length > 0) {
      return refuse(refusals.QUEUE_HAS_CONSUMER);
    }
    const script = textAt(body, "script_name") ?? "";
    if (!account.workers.has(script)) {
      return refuse(refusals.NO_SUCH_WORKER);
    }
    queue.consumers.push({ consumer_id: account.nextId().replaceAll("-", ""), script, body });
    return ok(c, {});
  });
  api.put(`${root}/:queue/consumers/:consumer`, async (c) => {
    const body = await readObject(c);
    const consumers = find(c)?.consumers ?? [];
    const index = consumers.findIndex(({ consumer_id }) => consumer_id === c.req.param("consumer"));
    const [before] = consumers.slice(index, index + 1);
    if (before === undefined) {
      return refuse(refusals.NO_SUCH_QUEUE);
    }
    consumers.splice(index, 1, { ...before, body });
    return ok(c, {});
  });
  api.delete(`${root}/:queue/consumers/:consumer`, (c) =>
    removeFrom(find(c)?.consumers ?? [], ({ consumer_id }) => consumer_id === c.req.param("consumer"))
      ? ok(c, {})
      : refuse(refusals.NO_SUCH_QUEUE),
  );
}

function toQueueAnswer({ queue_id, queue_name, consumers }: Queue) {
  return {
    queue_id,
    queue_name,
    consumers: consumers.map(({ consumer_id, script }) => ({
      consumer_id,
      script,
      type: "worker",
      settings: {},
    })),
    consumers_total_count: consumers.length,
  };
}

/** Whether there was one. */
function removeFrom<T>(list: T[], isIt: (entry: T) => boolean): boolean {
  const index = list.findIndex(isIt);
  list.splice(index, index === -1 ? 0 : 1);
  return index !== -1;
}
