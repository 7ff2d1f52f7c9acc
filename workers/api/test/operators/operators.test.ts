/** What the person who runs the deployment may do in workspaces that are not theirs. */
import { decodeDomainRecord, domainKeyOf } from "@hopline/core/link/domain-record";
import { createHash } from "node:crypto";
import pg from "pg";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { untilWaitingForLock } from "../../../../packages/db/test/lock-waits.ts";
import { removeDomain } from "../../src/domains/remove-domain.ts";
import { toPublicId } from "../../src/http/entity-id.ts";
import { removeWorkspace } from "../../src/workspaces/remove-workspace.ts";
import { callApi } from "../call-api.ts";
import { APP_ORIGIN } from "../people/people-stage.ts";
import { openStage, type Workspace } from "../stage.ts";
import { toUuid } from "../to-uuid.ts";
import { deleteAsOwner } from "../workspaces/delete-as-owner.ts";

const stage = await openStage();
afterAll(() => stage.close());
const { cookie } = await stage.addPerson(null, "viewer", { isOperator: true });

async function call(method: string, path: string, body?: object) {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await stage.app.request(`/api/v1/operators/${path}`, {
    method,
    headers: { cookie, origin: APP_ORIGIN, "content-type": "application/json" },
    ...json,
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? null : JSON.parse(text) };
}

const workspaceOf = ({ id }: Workspace) => `workspaces/${toPublicId("ws", id)}`;
const suspensionOf = ({ domainId }: Workspace) => `domains/${toPublicId("dom", domainId)}/suspension`;

/** What KV and the change feed have of the host's domain. */
async function publishedOf(host: string) {
  const record = decodeDomainRecord(stage.edge.inKv.get(domainKeyOf(host)) ?? "");
  return record.ok ? record.value : null;
}

async function logOf({ id }: Workspace) {
  const { rows } = await stage.client.query<{ action: string; actor: string; label: string }>(
    "SELECT action, actor, label FROM audit_log WHERE workspace_id = $1 ORDER BY at DESC, id DESC",
    [id],
  );
  return rows;
}

/** @param reason `null`: not any more. */
async function suspend(own: Workspace, reason: string | null) {
  const suspension = reason === null ? null : { reason };
  const { status } = await call("PUT", `${workspaceOf(own)}/suspension`, { suspension });
  expect(status).toBe(204);
}

describe("a suspended workspace", () => {
  it("has its domains published as suspended with the answer, and as before when it is not any more", async () => {
    const own = await stage.addWorkspace();
    await suspend(own, "phishing");
    expect((await call("GET", workspaceOf(own))).body).toMatchObject({ suspension: { reason: "phishing" } });
    expect(await publishedOf(own.host)).toMatchObject({ isSuspended: true });
    await suspend(own, null);
    expect((await call("GET", workspaceOf(own))).body).toMatchObject({ suspension: null });
    expect((await publishedOf(own.host))?.isSuspended).toBeUndefined();
  });

  it("can add no domain that leads anywhere, and change none so that it does", async () => {
    const own = await stage.addWorkspace();
    const key = await stage.addKey(own, ["admin"]);
    await suspend(own, "phishing");
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const host = `second-${own.host}`;
    const added = await stage.app.request("/api/v1/domains", {
      method: "POST",
      headers,
      body: JSON.stringify({ host }),
    });
    expect(await added.json()).toMatchObject({ host, suspension: { reason: "phishing" } });
    expect(await publishedOf(host)).toMatchObject({ isSuspended: true });
    await stage.app.request(`/api/v1/domains/${toPublicId("dom", own.domainId)}`, {
      method: "PATCH",
      headers,
      body: JSON.stringify({
        title: "New",
        suspension: null,
      }),
    });
    expect(await publishedOf(own.host)).toMatchObject({ title: "New", isSuspended: true });
  });

  it("leaves a domain suspended that was so by itself", async () => {
    const own = await stage.addWorkspace();
    expect((await call("PUT", suspensionOf(own), { suspension: { reason: "spam" } })).status).toBe(204);
    await suspend(own, "phishing");
    await suspend(own, null);
    expect(await publishedOf(own.host)).toMatchObject({ isSuspended: true });
    await call("PUT", suspensionOf(own), { suspension: null });
    expect((await publishedOf(own.host))?.isSuspended).toBeUndefined();
  });

  it("leaves a domain suspended that was so for the same reason since", async () => {
    const own = await stage.addWorkspace();
    await suspend(own, "phishing");
    await call("PUT", suspensionOf(own), { suspension: { reason: "phishing" } });
    await suspend(own, null);
    expect(await publishedOf(own.host)).toMatchObject({ isSuspended: true });
  });

  it("has a domain suspended that was being added at the same moment", async () => {
    const own = await stage.addWorkspace();
    const host = `meanwhile-${own.host}`;
    const suspending = new pg.Client({ connectionString: stage.databaseUrl });
    await suspending.connect();
    await suspending.query("BEGIN");
    await suspending.query(
      "UPDATE workspaces SET suspended_at = now(), suspended_for = 'phishing' WHERE id = $1",
      [own.id],
    );
    const adding = stage.client.query(
      "INSERT INTO domains (id, workspace_id, host, proof) VALUES (gen_random_uuid(), $1, $2, 'vouched')",
      [own.id, host],
    );
    await untilWaitingForLock(suspending);
    await suspending.query("COMMIT");
    await adding;
    await suspending.end();
    const { rows } = await stage.client.query("SELECT suspended_for FROM domains WHERE host = $1", [host]);
    expect(rows).toEqual([{ suspended_for: "phishing" }]);
  });

  it("loses nothing: its links, their addresses and their versions stay as they are", async () => {
    const own = await stage.addWorkspace();
    const { linkId } = await stage.addObjects(own);
    const state = async () => {
      const { rows } = await stage.client.query(
        "SELECT slug, version, ended_at, record FROM addresses WHERE host = $1 AND slug <> '@' ORDER BY 1",
        [own.host],
      );
      return rows;
    };
    const before = await state();
    await suspend(own, "phishing");
    const key = await stage.addKey(own, ["links:read"]);
    const resolved = await stage.app.request(`/api/v1/links/${linkId}/resolve`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: "{}",
    });
    expect(await resolved.json()).toMatchObject({ outcome: "suspended", status: 403, location: null });
    await suspend(own, null);
    expect(await state()).toEqual(before);
  });

  it("is in its audit log, act by act: who, and what each changed; and in no link's history", async () => {
    const own = await stage.addWorkspace();
    const { linkId } = await stage.addObjects(own);
    const key = await stage.addKey(own, ["admin"]);
    const workspace = toPublicId("ws", own.id);
    const domain = toPublicId("dom", own.domainId);
    const readLog = async () => {
      const target = `GET /api/v1/audit-log?resource=${workspace}&resource=${domain}`;
      return (await callApi<{ data: readonly object[] }>(stage, target, { key })).body.data;
    };
    const ofWorkspace = (reason: string | null) => () => suspend(own, reason);
    const ofDomain = (reason: string | null) => async () => {
      const suspension = reason === null ? null : { reason };
      expect((await call("PUT", suspensionOf(own), { suspension })).status).toBe(204);
    };
    const at = expect.stringMatching(/Z$/);
    const is = (suspendedFor: string) => ({ suspendedAt: at, suspendedFor });
    const isNot = { suspendedAt: null, suspendedFor: null };
    // Newest first: what happened to what, as it was and as it is since.
    const ACTS = [
      [ofWorkspace("phishing"), [domain, isNot, is("phishing")], [workspace, isNot, is("phishing")]],
      // For the same reason again: nothing is changed.
      [ofWorkspace("phishing")],
      [ofDomain("spam"), [domain, is("phishing"), is("spam")]],
      // The domain stays suspended by itself.
      [ofWorkspace(null), [workspace, is("phishing"), isNot]],
      [ofDomain(null), [domain, is("spam"), isNot]],
    ] as const;
    let known = (await readLog()).length;
    for (const [act, ...expected] of ACTS) {
      await act();
      const log = await readLog();
      const entries = expected.map(([id, before, after]) => ({
        action: id === domain ? "domain.updated" : "workspace.updated",
        actor: { type: "person" },
        resource: { id },
        before,
        after,
      }));
      expect(log.slice(0, log.length - known)).toMatchObject(entries);
      known = log.length;
    }
    const { body } = await callApi<{ data: readonly object[] }>(
      stage,
      `GET /api/v1/links/${linkId}/history`,
      {
        key,
      },
    );
    expect(body.data).toHaveLength(1);
  });

  it("is what resolve says of each of its links, whatever the link would answer, by each of its addresses", async () => {
    const own = await stage.addWorkspace();
    const key = await stage.addKey(own, ["admin"]);
    const LINKS: readonly (readonly [object, object])[] = [
      [{}, {}],
      [{ slug: "docs/*", url: "https://example.com/*" }, { path: "a/b" }],
      [{ password: "a secret of the link" }, { hasPassword: true }],
      [{ expiresAt: "2027-01-01T00:00:00Z" }, { at: "2028-01-01T00:00:00Z" }],
      [{ rules: [{ id: "r", when: { country: ["CH"] }, to: { block: true } }] }, { country: "CH" }],
      [{ slug: "former" }, { alias: "former" }],
    ];
    const asked: { readonly link: { readonly id: string }; readonly input: object }[] = [];
    for (const [body, input] of LINKS) {
      const { body: link } = await callApi<{ id: string }>(stage, "POST /api/v1/links", {
        key,
        body: { url: "https://example.com/", ...body },
      });
      asked.push({ link, input });
      if ("alias" in input) {
        await callApi(stage, `PATCH /api/v1/links/${link.id}`, { key, body: { slug: "present" } });
      }
    }
    const outcomes = async () => {
      const found = [];
      for (const { link, input } of asked) {
        const target = `POST /api/v1/links/${link.id}/resolve`;
        const { body } = await callApi<{ outcome: string; alias: string | null }>(stage, target, {
          key,
          body: input,
        });
        found.push([body.outcome, body.alias]);
      }
      return found;
    };
    const before = await outcomes();
    expect(before.map(([outcome]) => outcome)).toEqual([
      "redirect",
      "redirect",
      "redirect",
      "gone",
      "blocked",
      "redirect",
    ]);
    await suspend(own, "phishing");
    expect(await outcomes()).toEqual(before.map(([, alias]) => ["suspended", alias]));
    await suspend(own, null);
    expect(await outcomes()).toEqual(before);
  });
});

describe("a suspended domain", () => {
  const add = async (to: Workspace, host: string) => {
    const added = await callApi<{ errors?: { message: string }[] }>(stage, "POST /api/v1/domains", {
      key: await stage.addKey(to, ["admin"]),
      body: { host },
    });
    return [added.status, added.body.errors?.[0]?.message];
  };
  const isRefused = [409, expect.stringContaining("was suspended by the operator")];
  const remove = async (own: Workspace, query: string) => {
    const target = `DELETE /api/v1/domains/${toPublicId("dom", own.domainId)}?${query}`;
    expect((await callApi(stage, target, { key: await stage.addKey(own, ["admin"]) })).status).toBe(204);
    await stage.client.query("UPDATE domains SET released_at = now() WHERE id = $1", [own.domainId]);
    const payload = query.includes("clicks") ? { clicks: "delete" } : {};
    await removeDomain({ key: own.domainId, payload }, stage);
  };

  it.each(["links=true", "links=true&clicks=delete"])(
    "is added by no workspace once it is deleted, until it is resumed (%s)",
    async (query) => {
      const own = await stage.addWorkspace();
      const other = await stage.addWorkspace();
      await call("PUT", suspensionOf(own), { suspension: { reason: "spam" } });
      await remove(own, query);
      for (const host of [own.host, own.host.toUpperCase(), `${own.host}:8443`]) {
        expect([host, ...(await add(other, host))]).toEqual([host, ...isRefused]);
        expect([host, ...(await add(own, host))]).toEqual([host, ...isRefused]);
      }
      expect((await add(other, `below.${own.host}`))[0]).toBe(201);
      expect((await call("PUT", suspensionOf(own), { suspension: { reason: "again" } })).status).toBe(404);
      expect((await call("PUT", suspensionOf(own), { suspension: null })).status).toBe(204);
      expect((await add(other, own.host))[0]).toBe(201);
      expect((await publishedOf(own.host))?.isSuspended).toBeUndefined();
    },
  );

  it("is added by no workspace in another spelling of its letters", async () => {
    const own = await stage.addWorkspace();
    const other = await stage.addWorkspace();
    await stage.client.query("UPDATE domains SET host = 'xn--bcher-kva.example.com' WHERE id = $1", [
      own.domainId,
    ]);
    await call("PUT", suspensionOf(own), { suspension: { reason: "spam" } });
    await remove(own, "links=true");
    for (const host of ["bücher.example.com", "BÜCHER.example.com", "bu\u0308cher.example。com"]) {
      expect([host, ...(await add(other, host))]).toEqual([host, ...isRefused]);
    }
    expect(await add(other, "bücher.example.com.")).toEqual([
      422,
      expect.stringContaining("ends with a dot"),
    ]);
  });

  it("is proved by no workspace that waited for it", async () => {
    const own = await stage.addWorkspace();
    const other = await stage.addWorkspace();
    const { domainId } = await stage.addPendingDomain(other, own.host);
    await call("PUT", suspensionOf(own), { suspension: { reason: "spam" } });
    await remove(own, "links=true");
    const proving = stage.client.query("UPDATE domains SET proof = 'dns' WHERE id = $1", [toUuid(domainId)]);
    await expect(proving).rejects.toThrow("the host is suspended");
  });

  it("outlives its workspace, which is gone once it is resumed", async () => {
    const own = await stage.addWorkspace();
    const other = await stage.addWorkspace();
    await stage.addPerson(own, "owner");
    await suspend(own, "phishing");
    await deleteAsOwner(stage, own, "name=Test");
    await stage.client.query("UPDATE domains SET released_at = now() WHERE id = $1", [own.domainId]);
    const goOn = () => removeWorkspace({ key: own.id, payload: {} }, stage);
    expect(await goOn()).toMatchObject({ againInSeconds: 86_400 });
    expect((await stage.client.query("SELECT FROM members WHERE workspace_id = $1", [own.id])).rowCount).toBe(
      0,
    );
    expect(await add(other, own.host)).toEqual(isRefused);
    expect((await call("PUT", suspensionOf(own), { suspension: null })).status).toBe(204);
    expect(await goOn()).toBeUndefined();
    expect((await stage.client.query("SELECT FROM workspaces WHERE id = $1", [own.id])).rowCount).toBe(0);
    expect((await add(other, own.host))[0]).toBe(201);
  });

  it("keeps nobody from a host that a suspended workspace has only claimed", async () => {
    const own = await stage.addWorkspace();
    const other = await stage.addWorkspace();
    await stage.addPendingDomain(own, "claimed.example.org");
    await suspend(own, "phishing");
    expect((await add(other, "claimed.example.org"))[0]).toBe(201);
  });

  it("is as any other when its workspace, with which it was suspended, is not any more", async () => {
    const own = await stage.addWorkspace();
    await suspend(own, "phishing");
    await stage.client.query("UPDATE domains SET deleted_at = now() WHERE id = $1", [own.domainId]);
    await suspend(own, null);
    await stage.client.query("UPDATE domains SET released_at = now() WHERE id = $1", [own.domainId]);
    await stage.client.query(
      "INSERT INTO domains (id, workspace_id, host, proof) VALUES (gen_random_uuid(), $1, $2, 'vouched')",
      [own.id, own.host],
    );
    const { rows } = await stage.client.query(
      "SELECT suspended_at FROM domains WHERE host = $1 AND deleted_at IS NULL",
      [own.host],
    );
    expect(rows).toEqual([{ suspended_at: null }]);
  });
});

describe("the token of `pnpm operators`", () => {
  const token = `hop_operator_${"a".repeat(43)}`;
  const insert = (seconds: number) =>
    stage.client.query(
      `INSERT INTO verifications (id, identifier, value, expires_at)
       VALUES (gen_random_uuid(), $1, 'phishing: report 3', now() + $2 * interval '1 second')`,
      [`operator:${createHash("sha256").update(token).digest("hex")}`, seconds],
    );
  const send = (method: string, path: string, body?: object) =>
    stage.app.request(`/api/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  afterEach(() => stage.client.query("DELETE FROM verifications"));

  it("does what an operator may, and the log says why", async () => {
    const own = await stage.addWorkspace();
    await insert(60);
    const suspension = { reason: "phishing" };
    expect((await send("PUT", `operators/${workspaceOf(own)}/suspension`, { suspension })).status).toBe(204);
    expect(await publishedOf(own.host)).toMatchObject({ isSuspended: true });
    expect((await logOf(own)).map(({ actor }) => actor).slice(0, 2)).toEqual([
      "operator:phishing: report 3",
      "operator:phishing: report 3",
    ]);
  });

  it("opens nothing else, and nothing once its minute is over or if it was never made", async () => {
    const own = await stage.addWorkspace();
    const path = `operators/${workspaceOf(own)}`;
    expect((await send("GET", path)).status).toBe(401);
    await insert(0);
    expect((await send("GET", path)).status).toBe(401);
    await stage.client.query("DELETE FROM verifications");
    await insert(60);
    expect((await send("GET", path)).status).toBe(200);
    for (const other of ["links", "me", "integrity", "operators", "workspaces", "audit-log"]) {
      expect([other, (await send("GET", other)).status]).toEqual([other, 401]);
    }
  });
});

it("finds workspaces by their name and their owners' addresses, with what they use", async () => {
  const own = await stage.addWorkspace();
  const { email } = await stage.addPerson(own, "owner");
  await stage.addObjects(own);
  const listed = await call("GET", `workspaces?search=${encodeURIComponent(email)}&count=true`);
  expect(listed.body).toMatchObject({ count: 1, data: [{ id: toPublicId("ws", own.id), owners: [email] }] });
  const read = await call("GET", workspaceOf(own));
  expect(read.body).toMatchObject({ members: 2, usage: { links: { used: 1, limit: null } } });
});

it("sets limits, and takes them away", async () => {
  const own = await stage.addWorkspace();
  const limitsOf = async (limits: object) => {
    expect((await call("PUT", `${workspaceOf(own)}/limits`, limits)).status).toBe(204);
    const { links, clicks, requests } = (await call("GET", workspaceOf(own))).body.usage;
    return [links.limit, clicks.limit, requests.limit];
  };
  expect(await limitsOf({ links: 5, clicks: 100, requests: null })).toEqual([5, 100, null]);
  expect(await limitsOf({ links: null, clicks: 7, requests: 0 })).toEqual([null, 7, 0]);
  expect((await logOf(own)).map(({ action }) => action)).toContain("workspace.limits_set");
});

describe("looking for a link", () => {
  it("finds it in any workspace, whose log says who looked and why", async () => {
    const own = await stage.addWorkspace();
    const { linkId, slug } = await stage.addObjects(own);
    const address = `https://${own.host}/${slug}?utm=1`;
    const found = await call("POST", "look-ups", { address, reason: "report 12" });
    expect(found).toMatchObject({
      status: 200,
      body: {
        workspace: { id: toPublicId("ws", own.id) },
        domain: { host: own.host, suspension: null },
        link: { id: linkId, url: "https://example.com/" },
      },
    });
    const [entry] = await logOf(own);
    expect(entry).toMatchObject({ action: "link.looked_up", label: `${own.host}/${slug}: report 12` });
    expect(entry?.actor).toMatch(/^person:/);
  });

  it("finds it however a report writes its address, in another case only where its domain ignores that", async () => {
    const own = await stage.addWorkspace();
    const { linkId, slug } = await stage.addObjects(own);
    const find = async (address: string) => {
      const { status, body } = await call("POST", "look-ups", { address, reason: "report 14" });
      return status === 200 ? (body.link?.id ?? null) : status;
    };
    const { host } = own;
    for (const address of [
      `${host}/${slug}#top`,
      ` https://${host}:443/${slug} `,
      `http://a@${host}/${slug}/`,
    ]) {
      expect([address, await find(address)]).toEqual([address, linkId]);
    }
    await stage.client.query("UPDATE links SET slug = 'spring' WHERE domain_id = $1", [own.domainId]);
    expect([await find(`${host}/Spring`), await find(`${host}/spring`)]).toEqual([null, linkId]);
    await stage.client.query(`UPDATE domains SET settings = '{"ignoresCase":true}' WHERE id = $1`, [
      own.domainId,
    ]);
    expect(await find(`${host}/Spring`)).toBe(linkId);
  });

  it("finds the link that forwards an address at which there is none", async () => {
    const own = await stage.addWorkspace();
    const key = await stage.addKey(own, ["links:write"]);
    for (const slug of ["docs/*", "docs/api/*"]) {
      const body = JSON.stringify({ url: `https://example.com/${slug}`, slug });
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      await stage.app.request("/api/v1/links", { method: "POST", headers, body });
    }
    const address = `${own.host}/docs/api/v1`;
    const found = await call("POST", "look-ups", { address, reason: "report 13" });
    expect(found.body).toMatchObject({ link: { url: "https://example.com/docs/api/*" } });
  });

  it("finds the domain of a link that is deleted, and one that is deleted while it is suspended, to resume it", async () => {
    const own = await stage.addWorkspace();
    const { slug } = await stage.addObjects(own);
    const find = (address: string) => call("POST", "look-ups", { address, reason: "report 15" });
    await stage.client.query("UPDATE links SET state = 'deleted', deleted_at = now() WHERE domain_id = $1", [
      own.domainId,
    ]);
    const domain = { id: toPublicId("dom", own.domainId), host: own.host, suspension: null };
    const found = await find(`${own.host}/${slug}`);
    expect(found).toMatchObject({ status: 200, body: { domain, link: null } });
    expect((await logOf(own))[0]).toMatchObject({
      action: "domain.looked_up",
      label: `${own.host}/${slug}: report 15`,
    });
    const suspend = (suspension: object | null) =>
      call("PUT", `domains/${domain.id}/suspension`, { suspension });
    await suspend({ reason: "phishing" });
    await stage.client.query("UPDATE domains SET deleted_at = now() WHERE id = $1", [own.domainId]);
    expect((await find(own.host)).body).toMatchObject({
      domain: { id: domain.id, suspension: { reason: "phishing" } },
      link: null,
    });
    expect((await suspend(null)).status).toBe(204);
    // Deleted and not suspended, it is nobody's.
    expect((await find(own.host)).status).toBe(404);
  });

  it("needs a reason and an address, and leaves no trace of one at which nothing is", async () => {
    const refused = await call("POST", "look-ups", { address: "go.example.com/x", reason: " " });
    expect(refused.status).toBe(422);
    const page = await call("POST", "look-ups", { address: "go.example.com/%ff", reason: "why" });
    expect(page).toMatchObject({ status: 422, body: { errors: [{ path: "address" }] } });
    expect((await call("POST", "look-ups", { address: "nobody.example", reason: "why" })).status).toBe(404);
    const nothing = await call("POST", "look-ups", { address: "nobody.example/nothing", reason: "why" });
    expect(nothing.status).toBe(404);
  });
});
