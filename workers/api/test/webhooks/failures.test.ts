/** Receivers that fail: nothing is lost, nobody else waits, and what does not come back is switched off. */
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { runDueWork } from "../../src/run-due-work.ts";
import { cutClicks } from "../../src/webhooks/cut-clicks.ts";
import { switchOff } from "../../src/webhooks/switch-off.ts";
import { sweepDeliveries } from "../../src/webhooks/sweep-deliveries.ts";
import { FREE_LIMITS, runWebhooks } from "../../src/webhooks/run-webhooks.ts";
import { ONCE, openWebhookStage, settled, type Webhook } from "./webhook-stage.ts";

const stage = await openWebhookStage();
const { call, addWebhook, click, run, hurry, workspace } = stage;
const { client, database } = stage.stage;

type Logged = { readonly data: readonly { readonly [name: string]: unknown }[] };

async function listen(body: object = { events: ["click"] }) {
  const receiver = await stage.receiver();
  const webhook = await addWebhook({ url: receiver.url, ...body });
  return { receiver, webhook };
}

const logOf = async ({ id }: Webhook, query = "") =>
  (await call<Logged>(`GET /api/v1/webhooks/${id}/deliveries${query}`)).body.data;

/** A bound against hanging. */
const PATIENCE = { timeout: 20_000, interval: 10 };
const HANGING = "http://127.0.0.1:9/hangs";

const remove = ({ id }: Webhook) => call(`DELETE /api/v1/webhooks/${id}`);

it("what a receiver does not accept is tried again, with the same id and body, until it does", async () => {
  const { receiver, webhook } = await listen();
  receiver.behave(500, "Not today");
  const ids = await click({ count: 3 });
  await run();
  expect(await stage.statsOf(webhook)).toMatchObject({
    clicks: { matched: 3, delivered: 0, waiting: 3 },
    failingSince: expect.any(String),
  });
  expect(await logOf(webhook)).toMatchObject([
    { state: "waiting", attempts: 1, status: 500, error: "status", answer: "Not today", clicks: 3 },
  ]);
  receiver.behave(204);
  await run();
  expect(receiver.accepted).toEqual([]);
  await hurry();
  await run();
  const [first, second] = receiver.received;
  expect([second?.id, second?.body, receiver.clickIds()]).toEqual([first?.id, first?.body, ids]);
  expect(await stage.statsOf(webhook)).toMatchObject({
    clicks: { matched: 3, delivered: 3, waiting: 0 },
    failingSince: null,
  });
  await remove(webhook);
});

it("of clicks that are sent one by one, the next is not tried later because others failed before it", async () => {
  const { receiver, webhook } = await listen({ events: ["click"], mode: "each" });
  const ids = await click({ count: 4 });
  // Of a turn it takes one, and of the first none.
  let room = 0;
  receiver.behave(() => ((room -= 1) >= 0 ? 204 : 500));
  const waits: unknown[] = [];
  for (let runs = 0; runs < 5; runs += 1) {
    await run();
    const { rows } = await client.query(
      "SELECT attempts, extract(epoch FROM due_at - attempted_at)::float8 < 6.5 AS is_soon FROM webhook_deliveries WHERE endpoint_id = $1 AND state = 'waiting'",
      [stage.uuidOf(webhook)],
    );
    waits.push(...rows);
    await hurry();
    room = 1;
  }
  expect(receiver.clickIds()).toEqual(ids);
  expect(waits).toEqual(Array.from({ length: 4 }, () => ({ attempts: 1, is_soon: true })));
  await remove(webhook);
});

it.each([
  ["redirect", { status: 307, error: "redirect" }],
  ["reset", { status: null, error: "unreachable" }],
  ["big", { status: 200, error: "too-large" }],
  [404, { status: 404, error: "status" }],
] as const)("%s is no acceptance", async (behaviour, logged) => {
  const { receiver, webhook } = await listen();
  receiver.behave(behaviour);
  await click();
  await run();
  expect(receiver.received).toHaveLength(1);
  expect(await logOf(webhook)).toMatchObject([{ state: "waiting", attempts: 1, ...logged }]);
  await remove(webhook);
});

it("an answer that does not come in time is a failure, and holds no other receiver up", async () => {
  const hanging = await listen();
  const other = await listen();
  hanging.receiver.behave("hang");
  const ids = await click();
  let hang: (() => void) | undefined;
  const fetchLike = async (url: string, init: RequestInit): Promise<Response> => {
    if (url !== hanging.receiver.url) {
      return fetch(url, init);
    }
    return new Promise((_resolve, reject) => {
      hang = () => reject(new DOMException("too late", "TimeoutError"));
    });
  };
  const running = run(ONCE, { fetch: fetchLike });
  await expect.poll(() => other.receiver.clickIds(), PATIENCE).toEqual(ids);
  await vi.waitUntil(() => hang !== undefined, PATIENCE);
  hang?.();
  await running;
  expect(await logOf(hanging.webhook)).toMatchObject([{ error: "timeout", status: null, attempts: 1 }]);
  await remove(hanging.webhook);
  await remove(other.webhook);
});

it("receivers of a workspace that all hang do not hold up the messages of another one", async () => {
  const hanging = await Promise.all(
    Array.from({ length: 8 }, () => addWebhook({ url: HANGING, events: ["click"] })),
  );
  const stranger = await stage.stage.addWorkspace();
  const receiver = await stage.receiver();
  const key = await stage.stage.addKey(stranger, ["admin"]);
  const webhook = await addWebhook({ url: receiver.url, events: ["click"] }, key);
  await click();
  const ids = await click({ of: stranger });
  // Theirs are due first.
  await client.query(
    "INSERT INTO work (kind, key, due_at) SELECT 'webhook', id, now() - interval '1 minute' FROM unnest($1::text[]) AS id",
    [hanging.map(stage.uuidOf)],
  );
  const { promise: end, reject: hangUp } = Promise.withResolvers<Response>();
  end.catch(() => undefined);
  const running = run(ONCE, { fetch: (url, init) => (url === HANGING ? end : fetch(url, init)) });
  await expect.poll(() => receiver.clickIds(), PATIENCE).toEqual(ids);
  hangUp(new DOMException("too late", "TimeoutError"));
  await running;
  await call(`DELETE /api/v1/webhooks/${webhook.id}`, undefined, key);
  await Promise.all(hanging.map(remove));
});

it("while a receiver is down it is asked once in a while, and not once for each message", async () => {
  const { receiver, webhook } = await listen({ events: ["click"], mode: "each" });
  receiver.behave(503);
  await click({ count: 250 });
  await run();
  await run();
  expect(receiver.received).toHaveLength(1);
  receiver.behave(204);
  // One run, unless the machine is so busy that its turn is over before.
  for (let runs = 0; runs < 50 && receiver.clickIds().length < 250; runs += 1) {
    await hurry();
    await run();
  }
  expect(new Set(receiver.clickIds()).size).toBe(250);
  expect(receiver.received).toHaveLength(251);
  await remove(webhook);
});

it("of clicks that are sent one by one, a retry begins with the first that was not accepted", async () => {
  const { receiver, webhook } = await listen({ events: ["click"], mode: "each" });
  const ids = await click({ count: 10 });
  receiver.behave(({ id }) => (id === ids[0] ? 204 : 500));
  await run();
  expect(receiver.clickIds()).toEqual([ids[0]]);
  receiver.behave(204);
  await hurry();
  await run();
  expect(receiver.clickIds().toSorted()).toEqual(ids.toSorted());
  await remove(webhook);
});

it("a message that one receiver never accepts does not stop the others of that receiver", async () => {
  const { receiver, webhook } = await listen({ events: ["link.created"] });
  const add = async () =>
    (await call<{ id: string }>("POST /api/v1/links", { url: "https://example.com/" })).body.id;
  const poison = await add();
  receiver.behave(({ data }) => ((data["link"] as { id: string }).id === poison ? 500 : 204));
  await run();
  const fine = [await add(), await add()];
  await client.query("UPDATE work SET due_at = now() WHERE kind = 'webhook'");
  await run();
  expect(receiver.accepted.map(({ data }) => (data["link"] as { id: string }).id).toSorted()).toEqual(
    fine.toSorted(),
  );
  await remove(webhook);
});

it("410 switches it off at once: owners get an email, and webhooks that listen to that a message", async () => {
  const { receiver, webhook } = await listen();
  const watcher = await listen({ events: ["webhook.disabled"] });
  const owner = await stage.stage.addPerson(workspace, "owner");
  await stage.stage.addPerson(workspace, "admin");
  receiver.behave(410);
  await click({ count: 2 });
  await run();
  await run();
  expect((await call(`GET /api/v1/webhooks/${webhook.id}`)).body).toMatchObject({
    enabled: false,
    disabledReason: "gone",
  });
  expect(watcher.receiver.accepted.map(({ data }) => data)).toEqual([
    { webhookId: webhook.id, reason: "gone" },
  ]);
  expect(await stage.statsOf(webhook)).toMatchObject({ clicks: { matched: 2, waiting: 0, givenUp: 2 } });
  stage.stage.people.emails.splice(0);
  await runDueWork(1_000, {
    ...stage.stage,
    lookUpTexts: stage.stage.dns.lookUpTexts,
    customHostnames: null,
    people: stage.stage.people.deps,
    auditRetentionDays: null,
    newLeaseId: () => crypto.randomUUID(),
    nowMs: Date.now,
    log: (event) => stage.stage.log.push(event),
  });
  const emails = stage.stage.people.emails.filter(({ subject }) => subject.includes("switched off"));
  expect(emails.map(({ to }) => to)).toEqual([owner.email]);
  expect(emails[0]?.text).toContain("410");
  await remove(watcher.webhook);
  await remove(webhook);
});

it("five days of failure switch it off; switched on again, what was given up can be replayed", async () => {
  const { receiver, webhook } = await listen();
  receiver.behave(500);
  const ids = await click({ count: 4 });
  await run();
  await client.query(
    "UPDATE webhook_totals SET failing_since = now() - interval '5 days' WHERE failing_since IS NOT NULL",
  );
  await hurry();
  await run();
  expect((await call(`GET /api/v1/webhooks/${webhook.id}`)).body).toMatchObject({
    enabled: false,
    disabledReason: "failing",
  });
  receiver.behave(204);
  const replay = (body: object) =>
    call<{ code?: string; replayed?: number }>(`POST /api/v1/webhooks/${webhook.id}/replay`, body);
  expect((await replay({})).body.code).toBe("webhook_disabled");
  await call(`PATCH /api/v1/webhooks/${webhook.id}`, { enabled: true });
  expect((await replay({})).body).toEqual({ replayed: 1 });
  expect(await stage.statsOf(webhook)).toMatchObject({ clicks: { matched: 4, waiting: 4, givenUp: 0 } });
  await run();
  expect(receiver.clickIds()).toEqual(ids);
  expect(await stage.statsOf(webhook)).toMatchObject({ clicks: { matched: 4, delivered: 4, waiting: 0 } });
  await remove(webhook);
});

it("what waits for an endpoint that is switched off is given up a slice at a time, and the counts add up throughout", async () => {
  const { receiver, webhook } = await listen({ events: ["click"] });
  receiver.behave(500);
  for (let rows = 0; rows < 3; rows += 1) {
    await click({ count: 2 });
    await settled(client);
    await cutClicks(database);
  }
  expect(await switchOff(database, stage.uuidOf(webhook), { reason: "owner", rowsAStatement: 1 })).toBe(true);
  expect(await stage.statsOf(webhook)).toMatchObject({ clicks: { matched: 6, waiting: 4, givenUp: 2 } });
  await run();
  expect(await stage.statsOf(webhook)).toMatchObject({ clicks: { matched: 6, waiting: 0, givenUp: 6 } });
  expect(receiver.received).toEqual([]);
  await remove(webhook);
});

it("one, a range, and whatever state can be replayed, and the counts add up throughout", async () => {
  const { receiver, webhook } = await listen();
  await click();
  await run();
  await click();
  await run();
  const [newest] = await logOf(webhook);
  const replay = (body: object) =>
    call<{ replayed?: number }>(`POST /api/v1/webhooks/${webhook.id}/replay`, body);
  expect((await replay({})).body).toEqual({ replayed: 0 });
  expect((await replay({ deliveryId: newest?.["id"] })).body).toEqual({ replayed: 1 });
  expect(await stage.statsOf(webhook)).toMatchObject({ clicks: { matched: 2, delivered: 1, waiting: 1 } });
  await run();
  expect(
    (await replay({ since: "2020-01-01T00:00:00Z", until: "2021-01-01T00:00:00Z", state: "delivered" })).body,
  ).toEqual({
    replayed: 0,
  });
  expect((await replay({ since: "2020-01-01T00:00:00Z", state: "delivered" })).body).toEqual({ replayed: 2 });
  await run();
  expect(receiver.clickIds()).toHaveLength(5);
  expect(new Set(receiver.clickIds()).size).toBe(2);
  expect(await stage.statsOf(webhook)).toMatchObject({ clicks: { matched: 2, delivered: 2, waiting: 0 } });
  expect(await logOf(webhook, "?state=waiting&state=given-up")).toEqual([]);
  expect(await logOf(webhook, "?state=waiting&state=delivered")).toHaveLength(2);
  await remove(webhook);
});

it("a replay does not wait until a receiver that has failed is asked again by itself", async () => {
  const { receiver, webhook } = await listen();
  await click();
  await run();
  receiver.behave(500);
  await click();
  await run();
  receiver.behave(204);
  const [, accepted] = await logOf(webhook);
  await call(`POST /api/v1/webhooks/${webhook.id}/replay`, { deliveryId: accepted?.["id"] });
  await run();
  expect(receiver.clickIds()).toHaveLength(2);
  await remove(webhook);
});

it("after 24 hours a delivery is given up, after 30 days its row is removed", async () => {
  const { receiver, webhook } = await listen();
  receiver.behave(500);
  await click();
  await run();
  await client.query("UPDATE webhook_deliveries SET give_up_at = now() WHERE state = 'waiting'");
  await hurry();
  await run();
  expect(await stage.statsOf(webhook)).toMatchObject({ clicks: { matched: 1, waiting: 0, givenUp: 1 } });
  await click();
  await run();
  await client.query(
    "UPDATE webhook_deliveries SET give_up_at = now() - interval '2 minutes' WHERE state = 'waiting'",
  );
  await sweepDeliveries(database);
  expect(await stage.statsOf(webhook)).toMatchObject({ clicks: { matched: 2, waiting: 0, givenUp: 2 } });
  await client.query(
    "UPDATE webhook_deliveries SET id = ('0001' || substr(id::text, 5))::uuid WHERE endpoint_id = $1",
    [stage.uuidOf(webhook)],
  );
  // A row in each statement.
  await sweepDeliveries(database, 1);
  expect(await logOf(webhook)).toEqual([]);
  await remove(webhook);
});

it("retries are asked for in time: one message for the earliest, and none twice", async () => {
  const { receiver, webhook } = await listen();
  receiver.behave(500);
  await click();
  await client.query("UPDATE webhook_alarm SET rings_at = '-infinity', busy_until = '-infinity'");
  stage.messages.splice(0);
  await run();
  expect(stage.messages).toEqual([5]);
  await run();
  expect(stage.messages).toEqual([5]);
  await remove(webhook);
});

const LOOPING = { ...ONCE, loopMs: 60_000, busySeconds: 70 };
/** Nothing rings, and no webhook is new. */
const silence = async () => {
  await client.query("UPDATE webhook_alarm SET rings_at = '-infinity', busy_until = '-infinity'");
  await client.query("UPDATE webhook_endpoints SET updated_at = now() - interval '11 seconds'");
};
const isBusy = async () => {
  const { rows } = await client.query("SELECT busy_until > now() AS busy FROM webhook_alarm");
  return rows[0]?.busy;
};

it("while clicks come a run looks every second; after a quiet one the next click asks for a run", async () => {
  const { receiver, webhook } = await listen();
  await silence();
  stage.messages.splice(0);
  const ids = [...(await click())];
  const busy: boolean[] = [];
  await run(LOOPING, {
    wait: async () => {
      busy.push(await isBusy());
      if (busy.length < 4) {
        ids.push(...(await click()));
        await settled(client);
      }
    },
  });
  expect(busy.length).toBeGreaterThanOrEqual(4);
  expect([new Set(busy), await isBusy()]).toEqual([new Set([true]), false]);
  expect(receiver.clickIds().toSorted()).toEqual(ids.toSorted());
  expect(stage.messages).toEqual([]);
  await remove(webhook);
});

it("the first clicks of a new webhook are sent though no consumer knows of it yet, and set no alarm", async () => {
  stage.stage.wakeUps.splice(0);
  const { receiver, webhook } = await listen();
  expect(stage.stage.wakeUps).toEqual([null]);
  let ids: readonly string[] = [];
  await run(LOOPING, {
    wait: async () => {
      ids = ids.length > 0 ? ids : await click();
      await settled(client);
      await silence();
    },
  });
  expect([ids.length, receiver.clickIds()]).toEqual([1, ids]);
  await remove(webhook);
});

it("a run whose time is up while clicks come hands over to the next at once", async () => {
  const { receiver, webhook } = await listen();
  await silence();
  stage.messages.splice(0);
  const ids = [...(await click())];
  let lateMs = 0;
  const nowMs = () => Date.now() + lateMs;
  await run(LOOPING, {
    nowMs,
    wait: async () => {
      lateMs = 59_500;
      ids.push(...(await click()));
      await settled(client);
    },
  });
  expect([stage.messages, await isBusy()]).toEqual([[0], false]);
  await run();
  expect(receiver.clickIds().toSorted()).toEqual(ids.toSorted());
  await remove(webhook);
});

it("a run that may send nothing more while clicks come hands over at once", async () => {
  const { receiver, webhook } = await listen({ events: ["click"], mode: "each" });
  await silence();
  stage.messages.splice(0);
  const ids = await click({ count: 10 });
  const wait = () => vi.waitUntil(() => receiver.accepted.length >= 4, PATIENCE);
  await run({ ...LOOPING, maxMessages: 4 }, { wait });
  expect(stage.messages).toEqual([0]);
  expect(receiver.accepted.length).toBeLessThan(10);
  await hurry();
  await run();
  expect(receiver.clickIds().toSorted()).toEqual(ids.toSorted());
  await remove(webhook);
});

it("a run is over for the queue while its receivers still hang", async () => {
  const webhook = await addWebhook({ url: HANGING, events: ["click"] });
  await click();
  await settled(client);
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: end, resolve: answer } = Promise.withResolvers<Response>();
  const fetchLike = (): Promise<Response> => {
    ask();
    return end;
  };
  const { rest } = await runWebhooks(ONCE, stage.runDeps({ fetch: fetchLike }));
  await asked;
  expect(await stage.statsOf(webhook)).toMatchObject({ clicks: { matched: 1, waiting: 1 } });
  answer(new Response());
  await rest;
  expect(await stage.statsOf(webhook)).toMatchObject({ clicks: { matched: 1, delivered: 1 } });
  await remove(webhook);
});

it("receivers that hang on all connections of their workspace have another run started for its others", async () => {
  const hanging = await Promise.all(Array.from({ length: 6 }, () => listen()));
  const urls = new Set(hanging.map(({ receiver }) => receiver.url));
  const hung: (() => void)[] = [];
  const fetchLike = (url: string, init: RequestInit): Promise<Response> =>
    urls.has(url)
      ? new Promise((_resolve, reject) => hung.push(() => reject(new DOMException("late", "TimeoutError"))))
      : fetch(url, init);
  await silence();
  await click();
  const rounds = { count: 0 };
  const other = await stage.receiver();
  const { promise: handedOver, resolve: handOver } = Promise.withResolvers<void>();
  const running = run(LOOPING, {
    fetch: fetchLike,
    sendWakeUp: async () => handOver(),
    wait: async () => {
      await vi.waitUntil(() => hung.length >= 4, PATIENCE);
      if ((rounds.count += 1) === 1) {
        hanging.push({
          receiver: other,
          webhook: await addWebhook({ url: other.url, events: ["click"] }),
        });
        await click();
        await settled(client);
      }
      await delay(50);
    },
  });
  await handedOver;
  const beside: Promise<void>[] = [];
  const look = async (): Promise<boolean> => {
    beside.push((await runWebhooks(ONCE, stage.runDeps({ fetch: fetchLike }))).rest);
    return other.accepted.length === 1;
  };
  await vi.waitUntil(look, PATIENCE);
  expect(hung.length).toBeLessThanOrEqual(6);
  while (hung.length > 0) {
    hung.shift()?.();
    await Promise.race([running, delay(5)]);
  }
  await Promise.all([running, ...beside]);
  expect(other.clickIds()).toHaveLength(1);
  await Promise.all(hanging.map(({ webhook }) => remove(webhook)));
});

it("on Workers Free a run looks once, and sends no more messages than it has requests for", async () => {
  const { receiver, webhook } = await listen({ events: ["click"], mode: "each" });
  await click({ count: 100 });
  let requests = 0;
  stage.stage.endpoint.setFault(() => {
    requests += 1;
    return null;
  });
  await run(FREE_LIMITS);
  stage.stage.endpoint.setFault(null);
  expect(receiver.accepted.length).toBeGreaterThanOrEqual(FREE_LIMITS.maxMessages);
  expect(receiver.accepted.length + requests).toBeLessThanOrEqual(50);
  await remove(webhook);
});

it("WEBHOOK_SEAL_KEY is rotated by use", async () => {
  const { createSecretSeal } = await import("../../src/webhooks/sealed-secrets.ts");
  const { WEBHOOK_SEAL_KEY } = await import("../stage.ts");
  const { receiver, webhook } = await listen();
  receiver.secrets.push(webhook.secret);
  const newKey = Buffer.alloc(32, 9).toString("base64");
  await click();
  await run(ONCE, { secretSeal: () => createSecretSeal(`${newKey},${WEBHOOK_SEAL_KEY}`) });
  await click();
  await run(ONCE, { secretSeal: () => createSecretSeal(newKey) });
  expect(receiver.accepted).toHaveLength(2);
});
