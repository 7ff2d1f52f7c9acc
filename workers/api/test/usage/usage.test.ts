/** Usage of the month and limits: what counts, what a used-up limit refuses, and what it does not. */
import { countDeadlocks } from "../../../../packages/db/test/lock-waits.ts";
import { expect, it } from "vitest";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { APP_ORIGIN } from "../people/people-stage.ts";
import { clientOf } from "../stage-client.ts";
import type { Workspace } from "../stage.ts";

const { stage } = await openKeyedStage("admin");

async function openLimited(limits: { links?: number; clicks?: number; requests?: number } = {}) {
  const workspace = await stage.addWorkspace();
  const { links = null, clicks = null, requests = null } = limits;
  await stage.client.query("INSERT INTO workspace_limits VALUES ($1, $2, $3, $4)", [
    workspace.id,
    links,
    clicks,
    requests,
  ]);
  const key = await stage.addKey(workspace, ["admin"]);
  return { workspace, key, hopline: clientOf(stage, key) };
}

async function addClicks(
  { id, domainId }: Workspace,
  clicks: number,
  at = "now()",
  kind = "human",
): Promise<void> {
  await stage.client.query(
    `INSERT INTO workspace_rollups (workspace_id, bucket_start, domain_id, class, clicks)
     VALUES ($1, date_bin('15 minutes', ${at}, 'epoch'), $2, $4, $3)`,
    [id, domainId, clicks, kind],
  );
}

const url = "https://example.com/";

it("counts links that are there, clicks of this month, and requests, across the minutes", async () => {
  const { workspace, hopline } = await openLimited({ clicks: 1_000 });
  const link = await hopline.createLink({ body: { url } });
  await hopline.createLink({ body: { url } });
  await hopline.deleteLink({ linkId: link.id });
  await addClicks(workspace, 5);
  await addClicks(workspace, 7, "now() - interval '40 days'");
  const subject = `ws:${workspace.id}`;
  await stage.client.query(
    "UPDATE request_counts SET window_started_at = now() - interval '2 minutes' WHERE subject = $1",
    [subject],
  );
  expect(await hopline.readUsage()).toEqual({
    month: new Date().toISOString().slice(0, 7),
    links: { used: 1, limit: null },
    clicks: { used: 5, limit: 1_000 },
    requests: { used: 4, limit: null },
  });
  expect((await hopline.readUsage()).requests.used).toBe(5);
});

it("refuses links above the limit, one by one, and no edit", async () => {
  const { workspace, key, hopline } = await openLimited({ links: 3 });
  const first = await hopline.createLink({ body: { url } });
  const bulk = await hopline.createLinks({
    body: { items: [{ url }, { url: "nonsense" }, { url }, { url }] },
  });
  expect(bulk.results.map(({ status, code }) => code ?? status)).toEqual([
    201,
    "invalid",
    201,
    "limit_reached",
  ]);
  const refused = await callApi(stage, "POST /api/v1/links", { key, body: { url } });
  expect([refused.status, refused.body.code]).toEqual([402, "limit_reached"]);
  await hopline.updateLink({ linkId: first.id, body: { title: "Still mine" } });
  const imported = await hopline.importLinks({ body: new Blob([`url\n${url}\n`], { type: "text/csv" }) });
  expect(imported).toMatchObject({ created: 0, refusals: [{ code: "limit_reached" }] });
  // Whoever makes room may use it; and what is there goes on redirecting.
  await hopline.deleteLink({ linkId: first.id });
  const next = await hopline.createLink({ body: { url } });
  expect(stage.edge.recordAt(workspace.host, next.slug)).toMatchObject({ state: "live" });
});

it("refuses links above the limit that are asked for at the same moment", async () => {
  const { workspace, key } = await openLimited({ links: 3 });
  const add = () => callApi(stage, "POST /api/v1/links", { key, body: { url } });
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(add));
  expect(answers.map(({ status, body }) => body.code ?? status).toSorted()).toEqual([
    201,
    201,
    201,
    "limit_reached",
    "limit_reached",
    "limit_reached",
  ]);
  const { rowCount } = await stage.client.query("SELECT FROM links WHERE workspace_id = $1", [workspace.id]);
  expect(rowCount).toBe(3);
});

it("fills what room is left, and calls no free slug taken, where a slug was taken in between", async () => {
  const { workspace, hopline } = await openLimited({ links: 3 });
  let isInserted = false;
  stage.endpoint.setFault(({ statements }) => {
    if (isInserted || !statements.some(({ query }) => query.includes("INSERT INTO links"))) {
      return null;
    }
    isInserted = true;
    void stage.client.query(
      `INSERT INTO links (id, workspace_id, domain_id, slug, url, record) VALUES (gen_random_uuid(), $1, $2, 'a', $3, '{}')`,
      [workspace.id, workspace.domainId, url],
    );
    return { kind: "delay", delayMs: 300 };
  });
  const { results } = await hopline.createLinks({
    body: { items: ["c", "b", "a"].map((slug) => ({ url, slug })) },
  });
  stage.endpoint.setFault(null);
  expect(results.map(({ status, code }) => code ?? status)).toEqual([201, 201, "limit_reached"]);
});

it("refuses new links once the month's clicks are used up", async () => {
  const { workspace, key, hopline } = await openLimited({ clicks: 10 });
  await addClicks(workspace, 9);
  await hopline.createLink({ body: { url } });
  await addClicks(workspace, 1, "now()", "bot");
  const refused = await callApi(stage, "POST /api/v1/links", { key, body: { url } });
  expect([refused.status, refused.body.code]).toEqual([402, "limit_reached"]);
});

it("refuses keys above the month's requests, and no person", async () => {
  const { workspace, key } = await openLimited({ requests: 2 });
  const ask = async () => (await callApi(stage, "GET /api/v1/links", { key })).status;
  expect([await ask(), await ask(), await ask(), await ask()]).toEqual([200, 200, 402, 402]);
  const { headers } = await stage.addPerson(workspace, "viewer");
  const asPerson = await stage.app.request("/api/v1/usage", { headers });
  expect([asPerson.status, await asPerson.json()]).toMatchObject([200, { requests: { used: 5, limit: 2 } }]);
});

it("refusals for asking too often use up nothing of the month", async () => {
  const { workspace, key } = await openLimited({ requests: 100 });
  const app = stage.appWith({ requestsPerMinute: 2 });
  const statuses = [];
  for (let asked = 0; asked < 6; asked += 1) {
    statuses.push((await callApi({ app }, "GET /api/v1/links", { key })).status);
  }
  expect(statuses).toEqual([200, 200, 429, 429, 429, 429]);
  await stage.client.query(
    "UPDATE request_counts SET window_started_at = now() - interval '2 minutes' WHERE subject LIKE $1",
    [`%${workspace.id}`],
  );
  await stage.client.query("DELETE FROM request_counts WHERE subject LIKE 'key:%'");
  expect((await clientOf(stage, key).readUsage()).requests).toEqual({ used: 3, limit: 100 });
});

it("an owner's budget holds over all workspaces that they own: another one is no other budget", async () => {
  const [one, other, foreign] = [await openLimited(), await openLimited(), await openLimited()];
  const { personId } = await stage.addPerson(one.workspace, "owner");
  await stage.client.query(
    "INSERT INTO members (id, workspace_id, person_id, role) VALUES (gen_random_uuid(), $1, $3, 'owner'), (gen_random_uuid(), $2, $3, 'editor')",
    [other.workspace.id, foreign.workspace.id, personId],
  );
  await stage.client.query("INSERT INTO person_limits (person_id, links, requests) VALUES ($1, 2, 6)", [
    personId,
  ]);
  const create = async ({ key }: { readonly key: string }) =>
    (await callApi(stage, "POST /api/v1/links", { key, body: { url } })).status;
  expect([await create(one), await create(other), await create(other), await create(one)]).toEqual([
    201, 201, 402, 402,
  ]);
  const ask = async ({ key }: { readonly key: string }) =>
    (await callApi(stage, "GET /api/v1/links", { key })).status;
  expect([await ask(one), await ask(other), await ask(one), await ask(other)]).toEqual([200, 200, 402, 402]);
  // Where they are no owner, it is not their budget.
  expect([await create(foreign), await ask(foreign)]).toEqual([201, 200]);
});

it("requests of all keys of an owner at the same moment never wait for each other for good, also as a minute ends", async () => {
  const [one, other] = [await openLimited({ requests: 10_000 }), await openLimited({ requests: 10_000 })];
  const { personId } = await stage.addPerson(one.workspace, "owner");
  await stage.client.query(
    "INSERT INTO members (id, workspace_id, person_id, role) VALUES (gen_random_uuid(), $1, $2, 'owner')",
    [other.workspace.id, personId],
  );
  await stage.client.query("INSERT INTO person_limits (person_id, requests) VALUES ($1, 10000)", [personId]);
  const keys = [one.key, await stage.addKey(one.workspace, ["admin"]), other.key];
  const statuses = [];
  for (const _minute of [1, 2]) {
    const asked = Array.from({ length: 20 }, () =>
      keys.map((key) => callApi(stage, "GET /api/v1/me", { key })),
    );
    statuses.push(...(await Promise.all(asked.flat())).map(({ status }) => status));
    await stage.client.query(
      "UPDATE request_counts SET window_started_at = window_started_at - interval '2 minutes'",
    );
  }
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(await countDeadlocks(stage.client)).toBe(0);
});

it("where everybody may sign up, a person owns ten workspaces at most, and a network makes twenty a day", async () => {
  const { deps } = stage.openPeople({ signUp: { kind: "open" } });
  const app = stage.appWith({}, { people: deps });
  const make = async ({ cookie }: { readonly cookie: string }, address: string) => {
    const response = await app.request("/api/v1/workspaces", {
      method: "POST",
      headers: {
        cookie,
        origin: APP_ORIGIN,
        "content-type": "application/json",
        "cf-connecting-ip": address,
      },
      body: JSON.stringify({ name: "Another" }),
    });
    return response.status;
  };
  const makers = [await stage.addPerson(null, "viewer"), await stage.addPerson(null, "viewer")];
  const statuses = [];
  for (const maker of makers) {
    for (let made = 0; made < 11; made += 1) {
      statuses.push(await make(maker, "203.0.113.9"));
    }
  }
  const ten = Array.from({ length: 10 }, () => 201);
  expect(statuses).toEqual([...ten, 402, ...ten, 402]);
  const third = await stage.addPerson(null, "viewer");
  expect([await make(third, "203.0.113.9"), await make(third, "198.51.100.1")]).toEqual([429, 201]);
  // As shipped, whoever may sign up is known.
  const closed = await stage.app.request("/api/v1/workspaces", {
    method: "POST",
    headers: { cookie: makers[0]?.cookie ?? "", origin: APP_ORIGIN, "content-type": "application/json" },
    body: JSON.stringify({ name: "Another" }),
  });
  expect(closed.status).toBe(201);
});
