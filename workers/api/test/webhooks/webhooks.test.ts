/** Webhooks over the API: created, changed, rotated, tested, deleted. */
import { randomUUID } from "node:crypto";
import { Webhook as Verifier } from "standardwebhooks";
import { expect, it } from "vitest";
import { sweepDeliveries } from "../../src/webhooks/sweep-deliveries.ts";
import { callApi } from "../call-api.ts";
import { deleteAsOwner } from "../workspaces/delete-as-owner.ts";
import { openWebhookStage, type Webhook } from "./webhook-stage.ts";

const stage = await openWebhookStage();
const { call, addWebhook, click, run } = stage;
const URL_ = "https://hooks.example.com/hopline";

type Problem = {
  readonly code: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
};

it("a new webhook shows its secret once, and the database never has it in the clear", async () => {
  const created = await call<Webhook>("POST /api/v1/webhooks", {
    url: URL_,
    events: ["link.created", "click"],
  });
  expect([created.status, created.headers.get("cache-control")]).toEqual([201, "no-store"]);
  expect(created.body).toMatchObject({
    url: URL_,
    events: ["link.created", "click"],
    mode: "batch",
    filter: { classes: ["human"] },
    enabled: true,
    secret: expect.stringMatching(/^whsec_/),
  });
  const { secret, ...shown } = created.body;
  expect((await call(`GET /api/v1/webhooks/${shown.id}`)).body).toEqual(shown);
  expect((await call<{ data: readonly object[] }>("GET /api/v1/webhooks")).body.data).toContainEqual(shown);
  const { rows } = await stage.stage.client.query(
    "SELECT to_jsonb(webhook_endpoints)::text AS row FROM webhook_endpoints",
  );
  expect(JSON.stringify(rows)).not.toContain(secret.slice(6));
});

it("a repeated request creates nothing twice, and shows no secret again", async () => {
  const send = () =>
    callApi<Problem>({ app: stage.app }, "POST /api/v1/webhooks", {
      key: stage.key,
      body: { url: URL_, events: ["click"] },
      headers: { "idempotency-key": "webhook-1" },
    });
  const [first, second] = [await send(), await send()];
  expect([first.status, second.status, second.body.code]).toEqual([201, 409, "idempotency_secret"]);
});

it.each([
  [{ url: "https://user:password@hooks.example.com/" }, "url"],
  [{ url: "ftp://hooks.example.com/" }, "url"],
  [{ events: [] }, "events"],
  [{ events: ["click", "click.summary"] }, "events"],
  [{ filter: { links: ["lnk_1"] } }, "filter.links[0]"],
  [{ filter: { tags: [] } }, "filter.tags"],
])("%j is refused", async (change, path) => {
  const { status, body } = await call<Problem>("POST /api/v1/webhooks", {
    url: URL_,
    events: ["click"],
    ...change,
  });
  expect([status, body.code, body.errors?.[0]?.path]).toEqual([422, "invalid", path]);
});

it("neither a short domain, of whichever workspace, nor this API is a receiver", async () => {
  const stranger = await stage.stage.addWorkspace();
  for (const host of [stage.workspace.host, stranger.host, `${stranger.host}:8443`, "localhost"]) {
    const { status, body } = await call<Problem>("POST /api/v1/webhooks", {
      url: `http://${host}/a`,
      events: ["click"],
    });
    expect([host, status, body.errors?.[0]?.message]).toEqual([
      host,
      422,
      "leads back to this deployment: choose a host of your own",
    ]);
  }
});

it("takes back what GET showed, and refuses what nobody can set", async () => {
  const { id } = await addWebhook({
    url: URL_,
    events: ["click"],
    filter: { tags: ["a"], classes: ["bot", "human"] },
  });
  const { body } = await call<{ [name: string]: unknown }>(`GET /api/v1/webhooks/${id}`);
  const changed = await call<Webhook>(`PATCH /api/v1/webhooks/${id}`, {
    ...body,
    description: "Ours",
    mode: "each",
  });
  expect([changed.status, changed.body]).toEqual([
    200,
    { ...body, description: "Ours", mode: "each", version: 2, updatedAt: expect.any(String) },
  ]);
  const refused = await call<Problem>(`PATCH /api/v1/webhooks/${id}`, {
    createdAt: "2020-01-01T00:00:00.000Z",
  });
  expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([422, "createdAt"]);
  const replaced = await call<Webhook>(`PATCH /api/v1/webhooks/${id}`, { filter: {} });
  expect(replaced.body["filter"]).toEqual({ classes: ["human"] });
});

it("a change that is refused does not switch it off", async () => {
  const { id } = await addWebhook({ url: URL_, events: ["click"] });
  const { status } = await call(`PATCH /api/v1/webhooks/${id}`, {
    enabled: false,
    url: "https://localhost/",
  });
  const { body } = await call<Webhook>(`GET /api/v1/webhooks/${id}`);
  expect([status, body["enabled"]]).toEqual([422, true]);
});

it("a test sends a signed sample of each event, and shows what the receiver answers", async () => {
  const receiver = await stage.receiver();
  for (const event of ["link.created", "domain.verified", "click", "click.summary", "webhook.disabled"]) {
    const webhook = await addWebhook({ url: receiver.url, events: [event] });
    receiver.secrets.splice(0, Infinity, webhook.secret);
    receiver.behave(200, "Thanks");
    const { body } = await call(`POST /api/v1/webhooks/${webhook.id}/test`);
    expect(body).toMatchObject({ accepted: true, status: 200, error: null, answer: "Thanks" });
    expect(receiver.accepted.at(-1)?.type).toBe(event === "click" ? "click.batch" : event);
    receiver.behave(500, "Broken");
    expect((await call(`POST /api/v1/webhooks/${webhook.id}/test`)).body).toMatchObject({
      accepted: false,
      status: 500,
      error: "status",
      answer: "Broken",
    });
  }
});

it("a test shows 200 characters of plain text of an answer, and none of its headers", async () => {
  const receiver = await stage.receiver();
  const { id } = await addWebhook({ url: receiver.url, events: ["click"] });
  receiver.behave(200, `\u001b[2J<p>\r\n${"ü".repeat(2_000)}`);
  const { body } = await call<{ readonly answer: string }>(`POST /api/v1/webhooks/${id}/test`);
  expect(body.answer).toBe(`[2J<p> ${"ü".repeat(193)}`);
  expect(Object.keys(body).toSorted()).toEqual([
    "accepted",
    "answer",
    "durationMs",
    "error",
    "message",
    "status",
  ]);
});

it("for a day after a rotation messages are signed with both secrets, then with the new one alone", async () => {
  const receiver = await stage.receiver();
  const before = await addWebhook({ url: receiver.url, events: ["click"] });
  const { body: after } = await call<Webhook>(`POST /api/v1/webhooks/${before.id}/rotate`);
  expect(after.secret).not.toBe(before.secret);
  const verify = async () => {
    await click();
    await run();
    const { body = "", headers = {} } = receiver.received.at(-1) ?? {};
    return [before, after].map(({ secret }) => {
      try {
        new Verifier(secret).verify(body, { ...headers });
        return true;
      } catch {
        return false;
      }
    });
  };
  expect(await verify()).toEqual([true, true]);
  await stage.stage.client.query(
    "UPDATE webhook_endpoints SET old_secret_until = now() WHERE old_secret IS NOT NULL",
  );
  expect(await verify()).toEqual([false, true]);
});

it("a deleted webhook is gone at once, and its rows with the next looks", async () => {
  const receiver = await stage.receiver();
  const webhook = await addWebhook({ url: receiver.url, events: ["click"] });
  await click();
  await run();
  expect((await call(`DELETE /api/v1/webhooks/${webhook.id}`)).status).toBe(204);
  await click();
  await run();
  expect(receiver.accepted).toHaveLength(1);
  for (const path of ["", "/stats", "/deliveries"]) {
    expect((await call(`GET /api/v1/webhooks/${webhook.id}${path}`)).status).toBe(404);
  }
  await stage.stage.client.query(
    "UPDATE webhook_endpoints SET deleted_at = now() - interval '1 hour' WHERE deleted_at IS NOT NULL",
  );
  await sweepDeliveries(stage.stage.database);
  await sweepDeliveries(stage.stage.database);
  const left = await stage.stage.client.query(
    "SELECT FROM webhook_deliveries WHERE endpoint_id = $1 UNION ALL SELECT FROM webhook_endpoints WHERE id = $1",
    [stage.uuidOf(webhook)],
  );
  expect(left.rowCount).toBe(0);
});

it("a workspace may have fifty, also of those that are made at the same moment", async () => {
  const crowded = await stage.stage.addWorkspace();
  const key = await stage.stage.addKey(crowded, ["admin"]);
  await stage.stage.client.query(
    `INSERT INTO webhook_endpoints (id, workspace_id, url, events, mode, classes, secret)
     SELECT gen_random_uuid(), $1, 'https://hooks.example.com/', '{link.created}', 'each', '{human}', 'sealed' FROM generate_series(1, 49)`,
    [crowded.id],
  );
  const add = () => call<Problem>("POST /api/v1/webhooks", { url: URL_, events: ["click"] }, key);
  const answers = await Promise.all([1, 2, 3, 4].map(add));
  expect(answers.map(({ status, body }) => body.code ?? status).toSorted()).toEqual([
    201,
    "too_many_webhooks",
    "too_many_webhooks",
    "too_many_webhooks",
  ]);
});

it("webhooks of a workspace that is deleted get nothing more", async () => {
  const leaving = await stage.stage.addWorkspace();
  const key = await stage.stage.addKey(leaving, ["admin"]);
  const receiver = await stage.receiver();
  await addWebhook({ url: receiver.url, events: ["click", "link.deleted"] }, key);
  const deleted = await deleteAsOwner({ ...stage.stage, app: stage.app }, leaving, "name=Test");
  expect(deleted.status).toBe(204);
  await click({ of: leaving, link: randomUUID() });
  await run();
  expect(receiver.received).toEqual([]);
});
