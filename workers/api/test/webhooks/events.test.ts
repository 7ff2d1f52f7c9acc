/** Events of links and domains: announced by the statement that makes them happen, whichever path it takes. */
import { expect, it } from "vitest";
import { checkDomain } from "../../src/domains/check-domain.ts";
import { findDomainToCheck } from "../../src/domains/domain-store.ts";
import { parsePublicId } from "../../src/http/entity-id.ts";
import { endUsedUp } from "../../src/links/end-used-up.ts";
import { announceExpired } from "../../src/webhooks/sweep-deliveries.ts";
import { sendFile } from "../imports/send-file.ts";
import { openWebhookStage } from "./webhook-stage.ts";

const stage = await openWebhookStage();
const { call, addWebhook, run, workspace } = stage;
const { client, database } = stage.stage;
const LINK_EVENTS = ["link.created", "link.updated", "link.deleted", "link.ended"];

type Link = { readonly id: string; readonly slug: string; readonly url: string };

async function listen(body: object) {
  const receiver = await stage.receiver();
  const webhook = await addWebhook({ url: receiver.url, ...body });
  receiver.secrets.push(webhook.secret);
  return receiver;
}

const addLink = async (body: object = {}) =>
  (await call<Link>("POST /api/v1/links", { url: "https://example.com/a", ...body })).body;

it("a link that is created, edited and deleted is told as it was each time, and the edge's own versions are not", async () => {
  const receiver = await listen({ events: LINK_EVENTS });
  const created = await addLink({ tags: ["spring"], password: "correct horse" });
  const path = `/api/v1/links/${created.id}`;
  await call(`PATCH ${path}`, { url: "https://example.com/b", title: "B" });
  await call(`POST ${path}/publish`);
  await call(`PATCH ${path}`, { title: "C" });
  await call(`PATCH ${path}`, { title: "C" });
  await call(`DELETE ${path}`);
  await run();
  const told = receiver.accepted.map(({ type, data }) => {
    const { id, url, title, hasPassword } = data["link"] as { [name: string]: unknown };
    return [type, id, url, title, hasPassword];
  });
  expect(told.toSorted((one, other) => String(one).localeCompare(String(other)))).toEqual([
    ["link.created", created.id, "https://example.com/a", null, true],
    ["link.deleted", created.id, "https://example.com/b", "C", true],
    ["link.updated", created.id, "https://example.com/b", "B", true],
    ["link.updated", created.id, "https://example.com/b", "C", true],
  ]);
  expect(JSON.stringify(receiver.received)).not.toMatch(/iterations|salt|hash/);
  const first = receiver.accepted.find(({ type }) => type === "link.created");
  expect(first?.data["link"]).toMatchObject({ ...created, clicks: { human: 0, total: 0 } });
});

it("a link that comes back from the trash is told as edited, and its next deletion is told too", async () => {
  const receiver = await listen({ events: LINK_EVENTS });
  const { id } = await addLink();
  await call(`DELETE /api/v1/links/${id}`);
  await call("POST /api/v1/links/bulk/restore", { items: [{ id }] });
  await call(`DELETE /api/v1/links/${id}`);
  await run();
  const told = receiver.accepted.map(({ type, data }) => [type, Object(data["link"]).status]);
  expect(told.toSorted()).toEqual([
    ["link.created", "live"],
    ["link.deleted", "live"],
    ["link.deleted", "live"],
    ["link.updated", "live"],
  ]);
});

it("what is not committed is not told", async () => {
  const receiver = await listen({ events: LINK_EVENTS });
  await addLink({ slug: "there" });
  await call("POST /api/v1/links", { url: "https://example.com/", slug: "there" });
  await call("POST /api/v1/links/bulk?atomic=true", {
    links: [{ url: "https://example.com/1" }, { url: "https://example.com/2", slug: "there" }],
  });
  await run();
  expect(receiver.accepted.map(({ data }) => (data["link"] as Link).slug)).toEqual(["there"]);
});

it("each link of a file is told, and each of a bulk change", async () => {
  const receiver = await listen({ events: LINK_EVENTS });
  await sendFile(stage.stage, stage.key, {
    body: "url,slug\nhttps://example.com/1,file-1\nhttps://example.com/2,file-2\n",
  });
  await run();
  expect(receiver.accepted.map(({ type, data }) => [type, (data["link"] as Link).slug]).toSorted()).toEqual([
    ["link.created", "file-1"],
    ["link.created", "file-2"],
  ]);
});

it("a cap is told with its link, once; a cap alone is an edit; one that is used up ends its link", async () => {
  const receiver = await listen({ events: LINK_EVENTS });
  const { id } = await addLink({ cap: { mode: "fast", maxClicks: 5 } });
  await call(`PATCH /api/v1/links/${id}`, { cap: { mode: "fast", maxClicks: 2 } });
  await client.query("UPDATE link_caps SET used = 2 WHERE link_id = $1", [parsePublicId("lnk", id)]);
  await endUsedUp({ ...stage.stage, database, publisher: stage.stage.publisher });
  await run();
  expect(
    receiver.accepted.map(({ type, data }) => [type, (data["link"] as { status: string }).status]).toSorted(),
  ).toEqual([
    ["link.created", "used-up"],
    ["link.ended", "used-up"],
    ["link.updated", "used-up"],
  ]);
  const onlyEdits = await listen({ events: ["link.updated"] });
  await addLink({ cap: { mode: "strict", maxClicks: 5 } });
  await run();
  expect(onlyEdits.accepted).toEqual([]);
});

it("a link that expires is told once, however often the job looks", async () => {
  const receiver = await listen({ events: ["link.ended"] });
  const soon = new Date(Date.now() + 60_000).toISOString();
  const { id } = await addLink({ expiresAt: soon });
  await announceExpired(database);
  await client.query("UPDATE links SET expires_at = now() + interval '100 milliseconds' WHERE id = $1", [
    parsePublicId("lnk", id),
  ]);
  await client.query("SELECT pg_sleep(0.2)");
  await announceExpired(database);
  await announceExpired(database);
  await run();
  expect(receiver.accepted.map(({ data }) => [(data["link"] as Link).id])).toEqual([[id]]);
  const { id: past } = await addLink();
  await call(`PATCH /api/v1/links/${past}`, { expiresAt: "2020-01-01T00:00:00Z" });
  await run();
  expect(receiver.accepted.map(({ data }) => (data["link"] as Link).id)).toEqual([id, past]);
});

it("only links that match its filter are told", async () => {
  const tagged = await listen({ events: LINK_EVENTS, filter: { tags: ["wanted"] } });
  const { id } = await addLink();
  const one = await listen({ events: LINK_EVENTS, filter: { links: [id] } });
  const { id: other } = await addLink({ tags: ["wanted"] });
  await call(`PATCH /api/v1/links/${id}`, { title: "B" });
  await call(`PATCH /api/v1/links/${other}`, { title: "B" });
  await run();
  const idsOf = ({ accepted }: typeof one) => accepted.map(({ data }) => (data["link"] as Link).id);
  expect([idsOf(one), idsOf(tagged)]).toEqual([[id], [other, other]]);
});

it("a domain that is proved is told, and one whose record is gone", async () => {
  const receiver = await listen({ events: ["domain.verified", "domain.failing"] });
  const { domainId, host } = await stage.stage.addPendingDomain(workspace);
  await call(`POST /api/v1/domains/${domainId}/verify`);
  stage.stage.dns.texts.clear();
  const domain = await findDomainToCheck(database, parsePublicId("dom", domainId) ?? "");
  if (domain === null) {
    throw new Error("The domain is there.");
  }
  const deps = {
    ...stage.stage,
    lookUpTexts: stage.stage.dns.lookUpTexts,
    customHostnames: null,
    nowMs: Date.now,
  };
  await checkDomain(domain, "job", deps);
  await checkDomain((await findDomainToCheck(database, domain.id)) ?? domain, "job", deps);
  await run();
  expect(
    receiver.accepted
      .map(({ type, data }) => {
        const told = data["domain"] as {
          id: string;
          host: string;
          status: string;
          proof: { missingSince: unknown };
        };
        return [type, told.id, told.host, told.status, told.proof.missingSince !== null];
      })
      .toSorted(),
  ).toEqual([
    ["domain.failing", domainId, host, "active", true],
    ["domain.verified", domainId, host, "active", false],
  ]);
});

it("a change of links or domains wakes the deliveries up, and nothing else does", async () => {
  stage.stage.wakeUps.splice(0);
  const { id } = await addLink();
  await call(`GET /api/v1/links/${id}`);
  await call("POST /api/v1/links", { url: "no URL" });
  await call("POST /api/v1/folders", { name: "A folder" });
  expect(stage.stage.wakeUps).toEqual([workspace.id]);
});
