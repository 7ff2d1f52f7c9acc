/** What happens to hosts later: proofs looked up again, custom hostnames kept in step. Work is made due by hand. */
import { randomUUID } from "node:crypto";
import { runWork } from "@hopline/db/work/run-work";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { toRunTransaction } from "../../src/database.ts";
import type { CustomHostnames } from "../../src/domains/custom-hostnames.ts";
import { recordCheck } from "../../src/domains/domain-store.ts";
import { domainHandlers } from "../../src/domains/domain-work.ts";
import { toPublicId } from "../../src/http/entity-id.ts";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { startFakeCloudflare } from "./fake-cloudflare.ts";
import { deleteAsOwner } from "../workspaces/delete-as-owner.ts";

const { stage, workspace, key } = await openKeyedStage("links:read", "links:write", "admin");
const cloudflare = await startFakeCloudflare();
const app = stage.appWith({}, { customHostnames: cloudflare.open() });
const DAY_MS = 86_400_000;
const LIMITS = { maxChanges: 900, maxDurationMs: 10_000, nowMs: Date.now, wait: async () => undefined };

type Proof = {
  readonly seen: string | null;
  readonly missingSince: string | null;
  readonly endsAt: string | null;
};
type Domain = { readonly status: string; readonly proof: Proof; readonly customHostname: unknown };

afterAll(() => cloudflare.close());
beforeEach(async () => {
  await stage.client.query("DELETE FROM work");
  cloudflare.hostnames.clear();
  cloudflare.refuse(null);
});

const call = <Body>(target: string) => callApi<Body>({ app }, target, { key });
const read = async (domainId: string) => (await call<Domain>(`GET /api/v1/domains/${domainId}`)).body;

async function addProvedDomain() {
  const domain = await stage.addPendingDomain(workspace);
  expect((await call(`POST /api/v1/domains/${domain.domainId}/verify`)).status).toBe(200);
  return { ...domain, record: `_hopline.${domain.host}` };
}

/** For what was published: copies of what KV had before expire. */
async function passTwoMinutes(): Promise<void> {
  await stage.client.query("UPDATE work SET due_at = due_at - interval '2 minutes'");
}

/** Does all work of hosts, as if it were due `afterMs` from now. */
async function work(afterMs = 0, customHostnames: CustomHostnames | null = cloudflare.open()): Promise<void> {
  await stage.client.query("UPDATE work SET due_at = now()");
  const deps = {
    database: stage.database,
    publisher: stage.publisher,
    lookUpTexts: stage.dns.lookUpTexts,
    customHostnames,
  };
  await runWork(10_000, {
    handlers: domainHandlers({ ...deps, nowMs: () => Date.now() + afterMs }),
    runTransaction: toRunTransaction(stage.database),
    newLeaseId: randomUUID,
    nowMs: () => performance.now(),
    onFailure: () => undefined,
  });
}

async function waiting(): Promise<unknown> {
  const { rows } = await stage.client.query(
    "SELECT kind, round(extract(epoch FROM due_at - now()) / 3600)::int AS hours, last_error FROM work WHERE kind <> 'publish' ORDER BY kind",
  );
  return rows;
}

describe("a proof", () => {
  it("that is lost while a link is written waits for the link, whose address ends with the others", async () => {
    const { domainId, host, record } = await addProvedDomain();
    stage.dns.texts.delete(record);
    await stage.client.query("UPDATE domains SET missing_since = now() - interval '8 days' WHERE host = $1", [
      host,
    ]);
    await stage.client.query("BEGIN");
    await stage.client.query(
      `INSERT INTO links (id, workspace_id, domain_id, slug, url, record)
       SELECT gen_random_uuid(), workspace_id, id, 'meanwhile', 'https://example.net/', '{"format":1}' FROM domains WHERE host = $1`,
      [host],
    );
    const losing = call<{ readonly domain: Domain }>(`POST /api/v1/domains/${domainId}/verify`);
    await expect
      .poll(async () => (await stage.client.query("SELECT FROM pg_locks WHERE NOT granted")).rowCount)
      .toBeGreaterThan(0);
    await stage.client.query("COMMIT");
    expect((await losing).body.domain).toMatchObject({ status: "pending" });
    await work();
    const live = "SELECT slug FROM addresses WHERE host = $1 AND ended_at IS NULL";
    expect((await stage.client.query(live, [host])).rows).toEqual([]);
  });

  it("that is looked up while its domain is deleted does not come back to life", async () => {
    const { domainId, host } = await addProvedDomain();
    const { rows } = await stage.client.query<{ id: string }>("SELECT id FROM domains WHERE host = $1", [
      host,
    ]);
    expect((await callApi({ app }, `DELETE /api/v1/domains/${domainId}`, { key })).status).toBe(204);
    const check = {
      domainId: rows[0]?.id ?? "",
      from: "dns",
      to: { proof: "dns", missingSinceMs: null },
    } as const;
    const lease = stage.publisher.newLease();
    expect(await recordCheck(stage.database, { ...check, seen: "found", work: [], lease })).toBeNull();
  });

  it("is looked up again daily, warns for seven days when its record is gone, and is then lost", async () => {
    const { domainId, record } = await addProvedDomain();
    await work(0, null);
    expect(await waiting()).toMatchObject([{ kind: "custom-hostname" }, { kind: "domain-check", hours: 24 }]);
    stage.dns.texts.delete(record);
    await work(DAY_MS);
    const warned = await read(domainId);
    expect(warned).toMatchObject({ status: "active", proof: { seen: "missing" } });
    const { missingSince, endsAt } = warned.proof;
    expect(Date.parse(endsAt ?? "") - Date.parse(missingSince ?? "")).toBe(7 * DAY_MS);
    expect(await waiting()).toContainEqual({ kind: "domain-check", hours: 1, last_error: null });
    await work(8 * DAY_MS - 60_000);
    expect(await read(domainId)).toMatchObject({ status: "active" });
    await work(8 * DAY_MS + 60_000);
    expect(await read(domainId)).toMatchObject({ status: "pending", proof: { by: null, endsAt: null } });
    expect(await waiting()).not.toContainEqual(expect.objectContaining({ kind: "domain-check" }));
  });

  it("survives an outage of DNS, however long", async () => {
    const { domainId, record } = await addProvedDomain();
    stage.dns.faults.set(record, { reason: "unreachable" });
    for (const days of [1, 9, 20]) {
      await work(days * DAY_MS);
    }
    expect(await read(domainId)).toMatchObject({
      status: "active",
      proof: { seen: "unavailable", missingSince: null },
    });
  });

  it("is kept when the record comes back in time", async () => {
    const { domainId, record } = await addProvedDomain();
    const texts = stage.dns.texts.get(record) ?? [];
    stage.dns.texts.set(record, ["another text"]);
    await work(DAY_MS);
    expect(await read(domainId)).toMatchObject({
      proof: { seen: "wrong", missingSince: expect.any(String) },
    });
    stage.dns.texts.set(record, texts);
    await work(7 * DAY_MS);
    expect(await read(domainId)).toMatchObject({
      status: "active",
      proof: { seen: "found", missingSince: null },
    });
  });

  it("that is lost gives the host to whoever proves it next", async () => {
    const { domainId, host, record } = await addProvedDomain();
    stage.dns.texts.delete(record);
    await work(DAY_MS);
    await work(9 * DAY_MS);
    await passTwoMinutes();
    const other = await stage.addWorkspace();
    const next = await stage.addPendingDomain(other, host);
    const otherKey = await stage.addKey(other, ["admin"]);
    const verify = { key: otherKey };
    expect((await callApi({ app }, `POST /api/v1/domains/${next.domainId}/verify`, verify)).status).toBe(200);
    expect(await read(domainId)).toMatchObject({ status: "pending", proof: { isTaken: true } });
  });
});

describe("links of a domain that has lost its proof", () => {
  const body = (domain: string, slug: string) => ({
    key,
    body: { url: "https://example.net/old", domain, slug },
  });
  async function lose({ record }: { readonly record: string }): Promise<readonly string[]> {
    const texts = stage.dns.texts.get(record) ?? [];
    stage.dns.texts.delete(record);
    await work(DAY_MS, null);
    await work(9 * DAY_MS, null);
    await publish();
    await passTwoMinutes();
    return texts;
  }
  // Also the changes that wait for their confirming write.
  async function publish(): Promise<void> {
    await stage.client.query("UPDATE work SET due_at = now() WHERE kind = 'publish'");
    await stage.publisher.publishDue(LIMITS);
  }

  it("resolve nothing, can't be changed, and are back with the proof", async () => {
    const domain = await addProvedDomain();
    const { host } = domain;
    const link = await callApi<{ id: string }>({ app }, "POST /api/v1/links", body(host, "kept"));
    expect(stage.edge.recordAt(host, "kept")).toMatchObject({ state: "live" });
    const texts = await lose(domain);
    expect(stage.edge.recordAt(host, "kept")).toMatchObject({ state: "deleted", version: 2 });
    expect(stage.edge.recordAt(host, "@")).toMatchObject({ state: "deleted" });
    const patch = { key, body: { url: "https://example.net/new" } };
    const refused = await callApi({ app }, `PATCH /api/v1/links/${link.body.id}`, patch);
    expect([refused.status, refused.body.code]).toEqual([409, "domain_pending"]);
    stage.dns.texts.set(domain.record, texts);
    await call(`POST /api/v1/domains/${domain.domainId}/verify`);
    await work(0, null);
    await publish();
    expect(stage.edge.recordAt(host, "kept")).toMatchObject({ state: "live", version: 3 });
    expect((await callApi({ app }, `PATCH /api/v1/links/${link.body.id}`, patch)).status).toBe(200);
  });

  it("lead nobody from the next owner's host: it can't be proved before they have left it", async () => {
    const domain = await addProvedDomain();
    const { host, domainId, record } = domain;
    await callApi({ app }, "POST /api/v1/links", body(host, "former"));
    stage.dns.texts.delete(record);
    await stage.client.query("UPDATE domains SET missing_since = now() - interval '8 days' WHERE host = $1", [
      host,
    ]);
    await call(`POST /api/v1/domains/${domainId}/verify`);
    const other = await stage.addWorkspace();
    const next = await stage.addPendingDomain(other, host);
    const otherKey = await stage.addKey(other, ["admin"]);
    const verify = () => callApi({ app }, `POST /api/v1/domains/${next.domainId}/verify`, { key: otherKey });
    const refused = { status: 409, body: { code: "domain_taken" } };
    expect(await verify()).toMatchObject(refused);
    await work(0, null);
    // Their tombstones are not in KV yet.
    expect(await verify()).toMatchObject(refused);
    await publish();
    expect(stage.edge.recordAt(host, "former")).toMatchObject({ state: "deleted" });
    // A data centre and an isolate may still have copies of what KV had.
    expect(await verify()).toMatchObject(refused);
    await passTwoMinutes();
    expect((await verify()).status).toBe(200);
  });

  it("are in nobody's way: the next owner has the same slugs, and the former one can't take them back", async () => {
    const domain = await addProvedDomain();
    const { host } = domain;
    const link = await callApi<{ id: string }>({ app }, "POST /api/v1/links", body(host, "both"));
    await lose(domain);
    const other = await stage.addWorkspace();
    const otherKey = await stage.addKey(other, ["admin", "links:read", "links:write"]);
    const next = await stage.addPendingDomain(other, host);
    await callApi({ app }, `POST /api/v1/domains/${next.domainId}/verify`, { key: otherKey });
    const theirs = { key: otherKey, body: { url: "https://example.net/theirs", domain: host, slug: "both" } };
    expect((await callApi({ app }, "POST /api/v1/links", theirs)).status).toBe(201);
    const atEdge = { state: "live", url: "https://example.net/theirs", version: 3 };
    expect(stage.edge.recordAt(host, "both")).toMatchObject(atEdge);
    expect((await call(`DELETE /api/v1/links/${link.body.id}`)).status).toBe(204);
    await publish();
    expect(stage.edge.recordAt(host, "both")).toMatchObject(atEdge);
  });
});

describe("a custom hostname", () => {
  it("is created on proof, and its certificate's state is shown until it is active and after", async () => {
    const { domainId, host } = await addProvedDomain();
    expect((await read(domainId)).customHostname).toBeNull();
    await work();
    expect((await read(domainId)).customHostname).toEqual({
      hostname: "pending",
      certificate: "initializing",
      errors: [],
    });
    expect(await waiting()).toContainEqual({ kind: "custom-hostname", hours: 0, last_error: null });
    const made = cloudflare.hostnames.get(host);
    Object.assign(made ?? {}, { status: "active" });
    Object.assign(made?.ssl ?? {}, { status: "active" });
    await work();
    expect((await read(domainId)).customHostname).toMatchObject({
      hostname: "active",
      certificate: "active",
    });
    expect(await waiting()).toEqual([{ kind: "domain-check", hours: 24, last_error: null }]);
  });

  it("is not made for a host that is only claimed, or that the operator vouches for", async () => {
    const { domainId, host, record } = { ...(await stage.addPendingDomain(workspace)), record: "" };
    stage.dns.texts.set(`_hopline.${host}`, [record]);
    await call(`POST /api/v1/domains/${domainId}/verify`);
    await call(`POST /api/v1/domains/${toPublicId("dom", workspace.domainId)}/verify`);
    expect(await waiting()).toEqual([]);
  });

  it("is removed when the domain is deleted", async () => {
    const { domainId } = await addProvedDomain();
    await work();
    expect((await call(`DELETE /api/v1/domains/${domainId}`)).status).toBe(204);
    await work();
    expect(cloudflare.hostnames.size).toBe(0);
  });

  it("is removed when the workspace is deleted", async () => {
    const other = await stage.addWorkspace();
    const admin = { key: await stage.addKey(other, ["admin"]) };
    const { domainId } = await stage.addPendingDomain(other);
    await callApi({ app }, `POST /api/v1/domains/${domainId}/verify`, admin);
    await work();
    expect(cloudflare.hostnames.size).toBe(1);
    expect((await deleteAsOwner({ ...stage, app }, other, "name=Test")).status).toBe(204);
    await work();
    expect(cloudflare.hostnames.size).toBe(0);
  });

  it("is removed when the proof is lost", async () => {
    const { record } = await addProvedDomain();
    await work();
    expect(cloudflare.hostnames.size).toBe(1);
    stage.dns.texts.delete(record);
    await work(DAY_MS);
    await work(9 * DAY_MS);
    await work();
    expect(cloudflare.hostnames.size).toBe(0);
    expect(await waiting()).toEqual([]);
  });

  it("that Cloudflare refuses is tried again, says why, and holds no domain up", async () => {
    cloudflare.refuse({ status: 403, code: 10_000 });
    const { domainId, host } = await addProvedDomain();
    await work();
    expect(await waiting()).toContainEqual(
      expect.objectContaining({ kind: "custom-hostname", last_error: "cloudflare_403_10000" }),
    );
    expect(await read(domainId)).toMatchObject({ status: "active", customHostname: null });
    const link = { key, body: { url: "https://example.net/", domain: host } };
    expect((await callApi({ app }, "POST /api/v1/links", link)).status).toBe(201);
    cloudflare.refuse(null);
    await work();
    expect([...cloudflare.hostnames.keys()]).toEqual([host]);
  });
});
