/** Who may, tomorrow too: keys follow the role of whoever made them, and whoever it concerns learns of new ways in. */
import { createAuthenticator } from "@hopline/testkit/stack/software-authenticator";
import { afterAll, describe, expect, it } from "vitest";
import { hashApiKey } from "../../src/http/api-key.ts";
import { toPublicId } from "../../src/http/entity-id.ts";
import { callApi } from "../call-api.ts";
import { openStage } from "../stage.ts";
import { openBrowser } from "./browser.ts";
import { APP_ORIGIN } from "./people-stage.ts";

const stage = await openStage();
afterAll(() => stage.close());

function browse(cookie: string, workspace: { readonly id: string } | null = null) {
  const browser = openBrowser(stage.app);
  browser.enter(workspace === null ? null : toPublicId("ws", workspace.id));
  const at = cookie.indexOf("=");
  browser.cookies.set(cookie.slice(0, at), cookie.slice(at + 1));
  return browser;
}

/** A workspace with an owner, and somebody whose key has every scope. */
async function withKey(role: "admin" | "owner" = "admin") {
  const workspace = await stage.addWorkspace();
  const owner = await stage.addPerson(workspace, "owner");
  const maker = await stage.addPerson(workspace, role);
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const body = { name: "Newsletter", scopes: ["admin"], expiresAt };
  const created = (await browse(maker.cookie, workspace).call("POST /api/v1/keys", body)).body;
  const key = String(created["key"]);
  const members = `/api/v1/workspaces/${toPublicId("ws", workspace.id)}/members`;
  const statusOf = async (target: string, secret = key) => {
    const [method = "", path = ""] = target.split(" ");
    const request = {
      method,
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    };
    return (await stage.app.request(path, { ...request, ...(method === "POST" ? { body: "{}" } : {}) }))
      .status;
  };
  return {
    workspace,
    owner,
    maker,
    created,
    key,
    statusOf,
    member: `${members}/${toPublicId("mem", maker.memberId)}`,
  };
}

const emailsTo = async (address: string) =>
  (await stage.people.settledEmails()).filter(({ to }) => to === address);

describe("a key", () => {
  it("never may more than its maker may now: a lower role caps it with the next request, and owners learn of it", async () => {
    const { workspace, owner, maker, created, member, statusOf } = await withKey();
    expect(created["makerId"]).toBe(toPublicId("per", maker.personId));
    expect([await statusOf("GET /api/v1/keys"), await statusOf("POST /api/v1/links")]).toEqual([200, 422]);
    const change = (role: string) => browse(owner.cookie).call(`PATCH ${member}`, { role });
    await change("editor");
    expect([await statusOf("GET /api/v1/keys"), await statusOf("POST /api/v1/links")]).toEqual([403, 422]);
    await change("viewer");
    expect([await statusOf("POST /api/v1/links"), await statusOf("GET /api/v1/links")]).toEqual([403, 200]);
    await change("admin");
    expect(await statusOf("GET /api/v1/keys")).toBe(200);
    // Once for each lower role; a higher one is no news.
    const { rows } = await stage.client.query(
      "SELECT actor, label FROM audit_log WHERE workspace_id = $1 AND action = 'key.capped'",
      [workspace.id],
    );
    expect(rows).toEqual(Array(2).fill({ actor: `person:${owner.personId}`, label: "Newsletter" }));
    const emails = (await emailsTo(owner.email)).filter(({ subject }) => subject.endsWith("may do less now"));
    expect(emails.map(({ text }) => text.includes(`${String(created["prefix"])}…`))).toContain(true);
  });

  it("that a key makes has the same maker, and one that replaces it whoever did that", async () => {
    const { workspace, owner, maker, created, key } = await withKey();
    const keyId = String(created["id"]);
    const expiresAt = created["expiresAt"];
    const body = { name: "Heir", scopes: ["links:read"], expiresAt };
    const made = await callApi(stage, "POST /api/v1/keys", { key, body });
    expect(made.body).toMatchObject({ makerId: toPublicId("per", maker.personId) });
    const rotated = await browse(owner.cookie, workspace).call(`POST /api/v1/keys/${keyId}/rotate`, {});
    expect(rotated.body).toMatchObject({ makerId: toPublicId("per", owner.personId) });
  });

  it.each([
    ["is removed", "owner"],
    ["leaves", "leaver"],
    ["deletes their account", "deleter"],
  ])("ends when its maker %s: the audit log has it, and owners get an email", async (_what, how) => {
    const { workspace, owner, maker, created, member, statusOf } = await withKey("owner");
    const own = browse(maker.cookie);
    const answer = await (how === "owner"
      ? browse(owner.cookie).call(`DELETE ${member}`)
      : how === "leaver"
        ? own.call(`POST ${member.replace(/members.*/, "leave")}`)
        : own.call("DELETE /api/v1/me"));
    expect([answer.status, await statusOf("GET /api/v1/links")]).toEqual([204, 401]);
    const { rows } = await stage.client.query(
      "SELECT actor, label FROM audit_log WHERE workspace_id = $1 AND action = 'key.deleted'",
      [workspace.id],
    );
    expect(rows).toEqual([
      { actor: `person:${how === "owner" ? owner.personId : maker.personId}`, label: "Newsletter" },
    ]);
    const [email, ...more] = (await emailsTo(owner.email)).filter(({ subject }) =>
      subject.startsWith("API keys"),
    );
    expect(email?.text).toContain(`${String(created["prefix"])}…`);
    expect(more).toEqual([]);
  });

  it("without a maker keeps its scopes, whoever comes and goes", async () => {
    const { workspace, member, owner, statusOf } = await withKey();
    const without = await stage.addKey(workspace, ["admin"]);
    await browse(owner.cookie).call(`DELETE ${member}`);
    expect(await statusOf("GET /api/v1/keys", without)).toBe(200);
  });

  it("whose row was left behind by a member who is gone opens nothing", async () => {
    const { workspace, statusOf } = await withKey();
    const orphan = await stage.addKey(workspace, ["admin"]);
    await stage.client.query(
      "UPDATE api_keys SET maker_id = gen_random_uuid() WHERE key_hash = decode($1, 'hex')",
      [await hashApiKey(orphan)],
    );
    expect(await statusOf("GET /api/v1/links", orphan)).toBe(401);
  });
});

describe("a request whose body takes its time", () => {
  let nowMs = Date.now();
  const app = stage.appWith({}, { nowMs: () => nowMs });

  /** Begins a request, and gives back what sends its body, a while later, and reads the answer. */
  async function begin(target: string, personId: string, headers: { readonly [name: string]: string }) {
    const [method = "", path = ""] = target.split(" ");
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const type = { "content-type": "application/json", origin: APP_ORIGIN };
    const init = { method, headers: { ...type, ...headers }, body: readable, duplex: "half" };
    const answer = app.request(new Request(new URL(path, APP_ORIGIN), init));
    const isAuthenticated = async () =>
      (await stage.client.query("SELECT FROM request_counts WHERE subject = $1", [`person:${personId}`]))
        .rows;
    await expect.poll(isAuthenticated).toHaveLength(1);
    return async (body: string) => {
      nowMs += 5_000;
      await Promise.all([new Blob([body]).stream().pipeTo(writable), answer]);
      return answer;
    };
  }
  const roleOf = async (memberId: string) =>
    (await stage.client.query("SELECT role FROM members WHERE id = $1", [memberId])).rows;

  it("is refused if the right has ended meanwhile: nobody keeps an owner's for later", async () => {
    const workspace = await stage.addWorkspace();
    const other = await stage.addPerson(workspace, "owner");
    const { personId, memberId, cookie } = await stage.addPerson(workspace, "owner");
    const member = `/api/v1/workspaces/${toPublicId("ws", workspace.id)}/members/${toPublicId("mem", memberId)}`;
    const finish = await begin(`PATCH ${member}`, personId, { cookie });
    expect((await browse(other.cookie).call(`PATCH ${member}`, { role: "viewer" })).status).toBe(200);
    expect((await finish('{"role":"owner"}')).status).toBe(403);
    expect(await roleOf(memberId)).toEqual([{ role: "viewer" }]);
  });

  it("is refused if the sign-in is not fresh any more, or the session has ended", async () => {
    for (const [end, status] of [
      ["UPDATE sessions SET created_at = now() - interval '16 minutes' WHERE person_id = $1", 403],
      ["DELETE FROM sessions WHERE person_id = $1", 401],
    ] as const) {
      const { personId, cookie } = await stage.addPerson(null, "viewer");
      const finish = await begin("PUT /api/v1/me/password", personId, { cookie });
      await stage.client.query(end, [personId]);
      expect((await finish('{"newPassword":"plum velvet tractor"}')).status).toBe(status);
      const { rows } = await stage.client.query("SELECT FROM accounts WHERE person_id = $1", [personId]);
      expect(rows).toEqual([]);
    }
  });

  it("brings no further links of a file whose sender was removed", async () => {
    const workspace = await stage.addWorkspace();
    const { personId, memberId, headers } = await stage.addPerson(workspace, "editor");
    const type = { "content-type": "application/x-ndjson" };
    const finish = await begin("POST /api/v1/links/import", personId, { ...headers, ...type });
    await stage.client.query("DELETE FROM members WHERE id = $1", [memberId]);
    expect((await finish('{"url":"https://example.com/"}\n')).status).toBe(403);
    const { rows } = await stage.client.query("SELECT FROM links WHERE workspace_id = $1", [workspace.id]);
    expect(rows).toEqual([]);
  });

  it("is carried out where nothing has changed", async () => {
    const { personId, cookie } = await stage.addPerson(null, "viewer");
    const finish = await begin("PUT /api/v1/me/password", personId, { cookie });
    expect((await finish('{"newPassword":"plum velvet tractor"}')).status).toBe(204);
  });
});

describe("one email tells of", () => {
  it("a new passkey and a new password", async () => {
    const person = await stage.addPerson(null, "viewer");
    const browser = browse(person.cookie);
    const options = (await browser.call("POST /api/v1/me/passkeys/options")).body as Parameters<
      ReturnType<typeof createAuthenticator>["create"]
    >[0];
    const credential = createAuthenticator(APP_ORIGIN).create(options);
    await browser.call("POST /api/v1/me/passkeys", { name: "Laptop", credential });
    await browser.call("PUT /api/v1/me/password", { newPassword: "plum velvet tractor" });
    expect((await emailsTo(person.email)).map(({ subject }) => subject)).toEqual([
      "A passkey was added to your Hopline account",
      "A password was set for your Hopline account",
    ]);
  });

  it("a connected provider, and not of the one that an account begins with", async () => {
    const person = await stage.addPerson(null, "viewer");
    const connect = (id: string) =>
      stage.client.query(
        "INSERT INTO accounts (id, person_id, provider_id, account_id) VALUES (gen_random_uuid(), $1::uuid, $2, ($1::uuid)::text)",
        [id, "https://accounts.google.com"],
      );
    await connect(person.personId);
    await stage.client.query("BEGIN");
    const { rows } = await stage.client.query<{ id: string }>(
      "INSERT INTO people (id, name, email, email_verified) VALUES (gen_random_uuid(), 'New', 'new@example.com', true) RETURNING id",
    );
    await connect(rows[0]?.id ?? "");
    await stage.client.query("COMMIT");
    await stage.people.sendEmails();
    expect((await emailsTo(person.email)).map(({ subject }) => subject)).toEqual([
      "An identity provider was connected to your Hopline account",
    ]);
    expect(await emailsTo("new@example.com")).toEqual([]);
  });

  it("a new admin or owner, to the owners", async () => {
    const workspace = await stage.addWorkspace();
    const owner = await stage.addPerson(workspace, "owner");
    const other = await stage.addPerson(workspace, "editor");
    const member = `/api/v1/workspaces/${toPublicId("ws", workspace.id)}/members/${toPublicId("mem", other.memberId)}`;
    const subjects = async () => (await emailsTo(owner.email)).map(({ subject }) => subject);
    for (const role of ["viewer", "admin", "owner", "admin"]) {
      await browse(owner.cookie).call(`PATCH ${member}`, { role });
      await stage.people.settledEmails();
    }
    expect((await subjects()).map((subject) => subject.slice(0, 23))).toEqual([
      "There is a new admin of",
      "There is a new owner of",
    ]);
    expect(await emailsTo(other.email)).toEqual([]);
  });
});
