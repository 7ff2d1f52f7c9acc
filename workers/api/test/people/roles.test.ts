/**
 * Who may call what: every operation of the document, as a stranger, as each role, and with a key of each scope. The table says
 * what is allowed; the document and the API are held to it. A new operation needs a line.
 */
import { afterAll, describe, expect, it } from "vitest";
import { toPublicId } from "../../src/http/entity-id.ts";
import { SCOPES } from "../../src/http/api-key.ts";
import { ROLES, rolesFrom, type Role } from "../../src/http/roles.ts";
import {
  type DocumentedOperation,
  listDocumentedOperations,
  sendOperation,
} from "../http/every-operation.ts";
import { openStage } from "../stage.ts";
import { APP_ORIGIN } from "./people-stage.ts";

type Caller = Role | "everyone" | "operator";

/**
 * The least role, and the scope that a key needs; `everyone`: also who is in no workspace; `operator`: nobody else, whatever
 * their role; `-`: no key may; `*`: each. `freshly`: a person's sign-in is at most fifteen minutes old.
 */
const TABLE: {
  readonly [operation: string]: `${Caller} ${(typeof SCOPES)[number] | "-" | "*"}${"" | " freshly"}`;
} = {
  "POST /api/v1/links": "editor links:write",
  "POST /api/v1/links/bulk": "editor links:write",
  "POST /api/v1/links/bulk/update": "editor links:write",
  "POST /api/v1/links/bulk/delete": "editor links:write",
  "POST /api/v1/links/bulk/restore": "editor links:write",
  "POST /api/v1/links/upsert": "editor links:write",
  "POST /api/v1/links/import": "editor links:write",
  "GET /api/v1/links/export": "viewer links:read",
  "GET /api/v1/links": "viewer links:read",
  "GET /api/v1/links/trash": "viewer links:read",
  "GET /api/v1/links/count": "viewer links:read",
  "GET /api/v1/links/available": "viewer links:read",
  "GET /api/v1/links/{linkId}": "viewer links:read",
  "PATCH /api/v1/links/{linkId}": "editor links:write",
  "DELETE /api/v1/links/{linkId}": "editor links:write",
  "GET /api/v1/links/{linkId}/aliases": "viewer links:read",
  "DELETE /api/v1/links/{linkId}/aliases/{alias}": "editor links:write",
  "GET /api/v1/links/{linkId}/cache-status": "viewer links:read",
  "POST /api/v1/links/{linkId}/publish": "editor links:write",
  "POST /api/v1/links/{linkId}/resolve": "viewer links:read",
  "GET /api/v1/links/{linkId}/qr": "viewer links:read",
  "GET /api/v1/links/{linkId}/history": "viewer links:read",
  "POST /api/v1/links/{linkId}/history/{version}/revert": "editor links:write",
  "POST /api/v1/links/{linkId}/rules/copy": "editor links:write",
  "GET /api/v1/usage": "viewer links:read",
  "GET /api/v1/audit-log": "admin admin",
  "GET /api/v1/audit-log.csv": "admin admin",
  "GET /api/v1/me/audit-log": "everyone -",
  "GET /api/v1/vocabularies": "everyone links:read",
  "POST /api/v1/tags": "editor links:write",
  "GET /api/v1/tags": "viewer links:read",
  "GET /api/v1/tags/{tag}": "viewer links:read",
  "PATCH /api/v1/tags/{tag}": "editor links:write",
  "DELETE /api/v1/tags/{tag}": "editor links:write",
  "POST /api/v1/folders": "editor links:write",
  "GET /api/v1/folders": "viewer links:read",
  "GET /api/v1/folders/{folderId}": "viewer links:read",
  "PATCH /api/v1/folders/{folderId}": "editor links:write",
  "DELETE /api/v1/folders/{folderId}": "editor links:write",
  "POST /api/v1/domains": "admin admin",
  "GET /api/v1/domains": "viewer links:read",
  "GET /api/v1/domains/{domainId}": "viewer links:read",
  "POST /api/v1/domains/{domainId}/verify": "admin admin",
  "GET /api/v1/domains/{domainId}/missed-visits": "viewer analytics:read",
  "PATCH /api/v1/domains/{domainId}": "admin admin",
  "DELETE /api/v1/domains/{domainId}": "admin admin freshly",
  "PUT /api/v1/domains/{domainId}/logo": "admin admin",
  "GET /api/v1/domains/{domainId}/logo": "viewer links:read",
  "DELETE /api/v1/domains/{domainId}/logo": "admin admin",
  "POST /api/v1/keys": "admin admin freshly",
  "POST /api/v1/webhooks": "admin admin freshly",
  "GET /api/v1/webhooks": "admin admin",
  "GET /api/v1/webhooks/{webhookId}": "admin admin",
  "PATCH /api/v1/webhooks/{webhookId}": "admin admin freshly",
  "DELETE /api/v1/webhooks/{webhookId}": "admin admin",
  "POST /api/v1/webhooks/{webhookId}/rotate": "admin admin freshly",
  "POST /api/v1/webhooks/{webhookId}/test": "admin admin",
  "GET /api/v1/webhooks/{webhookId}/stats": "admin admin",
  "GET /api/v1/webhooks/{webhookId}/deliveries": "admin admin",
  "POST /api/v1/webhooks/{webhookId}/replay": "admin admin",
  "GET /api/v1/keys": "admin admin",
  "GET /api/v1/keys/{keyId}": "admin admin",
  "PATCH /api/v1/keys/{keyId}": "admin admin",
  "POST /api/v1/keys/{keyId}/rotate": "admin admin freshly",
  "DELETE /api/v1/keys/{keyId}": "admin admin",
  "GET /api/v1/workspaces": "everyone links:read",
  "POST /api/v1/workspaces": "everyone -",
  "GET /api/v1/workspaces/{workspaceId}": "viewer links:read",
  "PATCH /api/v1/workspaces/{workspaceId}": "admin admin",
  "DELETE /api/v1/workspaces/{workspaceId}": "owner - freshly",
  "POST /api/v1/workspaces/{workspaceId}/leave": "viewer -",
  "GET /api/v1/workspaces/{workspaceId}/members": "viewer -",
  "GET /api/v1/workspaces/{workspaceId}/members/{memberId}": "viewer -",
  "PATCH /api/v1/workspaces/{workspaceId}/members/{memberId}": "admin - freshly",
  "DELETE /api/v1/workspaces/{workspaceId}/members/{memberId}": "admin - freshly",
  "GET /api/v1/workspaces/{workspaceId}/invitations": "admin -",
  "POST /api/v1/workspaces/{workspaceId}/invitations": "admin -",
  "GET /api/v1/workspaces/{workspaceId}/invitations/{invitationId}": "admin -",
  "DELETE /api/v1/workspaces/{workspaceId}/invitations/{invitationId}": "admin -",
  "GET /api/v1/me": "everyone *",
  "PATCH /api/v1/me": "everyone -",
  "DELETE /api/v1/me": "everyone - freshly",
  "PUT /api/v1/me/password": "everyone -",
  "POST /api/v1/me/passkeys/options": "everyone - freshly",
  "POST /api/v1/me/passkeys": "everyone - freshly",
  "GET /api/v1/me/passkeys": "everyone -",
  "GET /api/v1/me/passkeys/{passkeyId}": "everyone -",
  "PATCH /api/v1/me/passkeys/{passkeyId}": "everyone -",
  "DELETE /api/v1/me/passkeys/{passkeyId}": "everyone - freshly",
  "GET /api/v1/me/sign-in-methods": "everyone -",
  "DELETE /api/v1/me/sign-in-methods/{accountId}": "everyone - freshly",
  "POST /api/v1/me/email": "everyone - freshly",
  "POST /api/v1/me/email/confirm": "everyone -",
  "GET /api/v1/sessions": "everyone -",
  "DELETE /api/v1/sessions": "everyone -",
  "DELETE /api/v1/sessions/{sessionId}": "everyone -",
  "GET /api/v1/analytics/totals": "viewer analytics:read",
  "GET /api/v1/analytics/timeseries": "viewer analytics:read",
  "GET /api/v1/analytics/compare": "viewer analytics:read",
  "GET /api/v1/analytics/breakdown": "viewer analytics:read",
  "GET /api/v1/analytics/lines": "viewer analytics:read",
  "GET /api/v1/analytics/overview": "viewer analytics:read",
  "GET /api/v1/analytics/values": "viewer analytics:read",
  "GET /api/v1/analytics/events": "viewer analytics:read",
  "GET /api/v1/analytics/events.csv": "viewer analytics:read",
  "GET /api/v1/analytics/live": "viewer analytics:read",
  "GET /api/v1/integrity": "operator -",
  "GET /api/v1/operators/workspaces": "operator -",
  "GET /api/v1/operators/workspaces/{workspaceId}": "operator -",
  "PUT /api/v1/operators/workspaces/{workspaceId}/limits": "operator - freshly",
  "PUT /api/v1/operators/workspaces/{workspaceId}/suspension": "operator - freshly",
  "PUT /api/v1/operators/domains/{domainId}/suspension": "operator - freshly",
  "POST /api/v1/operators/look-ups": "operator -",
};

const stage = await openStage();
afterAll(() => stage.close());
const workspace = await stage.addWorkspace();
const NAMED = { "hopline-workspace": toPublicId("ws", workspace.id) };
/** Leaving comes last: who has left may do nothing else. */
const operations = (await listDocumentedOperations(stage))
  .filter(({ path }) => path.startsWith("/api/v1/"))
  .toSorted((one, other) => Number(one.path.endsWith("/leave")) - Number(other.path.endsWith("/leave")));
const people = new Map<Role, string>();
for (const role of ROLES) {
  people.set(role, (await stage.addPerson(workspace, role)).cookie);
}
const stranger = (await stage.addPerson(await stage.addWorkspace(), "owner")).cookie;
const loner = (await stage.addPerson(null, "viewer")).cookie;
const operator = (await stage.addPerson(null, "viewer", { isOperator: true })).cookie;
const old = await stage.addPerson(workspace, "owner", { isOperator: true });
const oldSession = old.cookie;
await stage.client.query("UPDATE sessions SET created_at = now() - interval '16 minutes' WHERE id = $1", [
  old.sessionId,
]);
const keys = new Map<string, string>();
for (const scope of SCOPES) {
  keys.set(scope, await stage.addKey(workspace, [scope]));
}

it("has a line for every operation, and no other", () => {
  expect(Object.keys(TABLE).toSorted()).toEqual(operations.map(({ name }) => name).toSorted());
});

it("gives no key what only an owner may do", () => {
  const ofOwners = Object.values(TABLE).filter((line) => line.startsWith("owner "));
  expect(new Set(ofOwners)).toEqual(new Set(["owner - freshly"]));
});

describe.each(operations)("$name", (operation) => {
  const [least, scope, freshly] = (TABLE[operation.name] ?? "owner -").split(" ") as [
    Caller,
    string,
    string?,
  ];
  const allowedRoles = least === "operator" ? [] : rolesFrom(least === "everyone" ? "viewer" : least);

  it("is documented as in the table", () => {
    expect(operation.isForPeople).toBe(true);
    expect(operation.roles).toEqual(
      least === "everyone" ? [] : least === "operator" ? ["operator"] : allowedRoles,
    );
    expect(operation.scope ?? "-").toBe(scope === "*" ? "-" : scope);
    expect(operation.isFresh).toBe(freshly !== undefined);
  });

  it("is refused to an old session if it takes a fresh sign-in, and only then", async () => {
    const answer = await send(operation, oldSession);
    expect(answer === "403 sign_in_again").toBe(freshly !== undefined);
  });

  it("is refused to every role below, and to every person elsewhere", async () => {
    for (const role of ROLES.filter((one) => !allowedRoles.includes(one))) {
      expect([role, await send(operation, people.get(role) ?? "")]).toEqual([role, "403 scope_missing"]);
    }
    // In no workspace, or in another one: this one does not exist, nor does what is another's own.
    for (const cookie of [stranger, loner]) {
      if (allowedRoles.length > 0 && least !== "everyone") {
        expect(await send(operation, cookie)).toBe("404 workspace_not_found");
      } else if (operation.path.includes("{") && least !== "operator") {
        expect(await send(operation, cookie)).toBe("404 not_found");
      }
    }
  });

  it("asks a person for the workspace, unless its path names one or it is of the person or the deployment", async () => {
    const isOfWorkspace = allowedRoles.length > 0 && least !== "everyone";
    const answer = await send(operation, stranger, {});
    expect(answer === "400 workspace_missing").toBe(
      isOfWorkspace && !operation.path.includes("{workspaceId}"),
    );
  });

  it("is allowed to the other roles, or to operators", async () => {
    if (least === "operator") {
      expect(await send(operation, operator)).toMatch(/^200|^422/);
    }
    for (const role of allowedRoles) {
      // Who leaves is needed again.
      const cookie = /\/leave$|^DELETE .*\/me$/.test(operation.name)
        ? (await stage.addPerson(workspace, role)).cookie
        : (people.get(role) ?? "");
      expect([role, await send(operation, cookie)]).not.toEqual([role, "403 scope_missing"]);
    }
  });

  it("is allowed to keys of its scope, and to no others", async () => {
    for (const [one, key] of keys) {
      const allowed = one === scope || scope === "*" || (one === "admin" && scope !== "-");
      expect([one, (await send(operation, { key })) === "403 scope_missing"]).toEqual([one, !allowed]);
    }
  });
});

it("lets only owners make owners, invite them, change or remove them, whatever an admin asks for", async () => {
  const own = await stage.addWorkspace();
  const owner = await stage.addPerson(own, "owner");
  const admin = await stage.addPerson(own, "admin");
  const path = `/api/v1/workspaces/${toPublicId("ws", own.id)}`;
  const codeOf = async (method: string, target: string, body?: object) => {
    const sent = { cookie: admin.cookie, origin: APP_ORIGIN, "content-type": "application/json" };
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await stage.app.request(`${path}/${target}`, { method, headers: sent, ...json });
    return ((await response.json()) as { readonly code: string }).code;
  };
  const [ofOwner, ofAdmin] = [owner, admin].map(({ memberId }) => `members/${toPublicId("mem", memberId)}`);
  const codes = [
    await codeOf("POST", "invitations", { email: "heir@example.com", role: "owner" }),
    await codeOf("PATCH", ofAdmin ?? "", { role: "owner" }),
    await codeOf("PATCH", ofOwner ?? "", { role: "viewer" }),
    await codeOf("DELETE", ofOwner ?? ""),
  ];
  expect(new Set(codes)).toEqual(new Set(["scope_missing"]));
  const { rows } = await stage.client.query(
    "SELECT role FROM members WHERE workspace_id = $1 ORDER BY role",
    [own.id],
  );
  expect(rows).toEqual([{ role: "admin" }, { role: "owner" }]);
});

describe("the workspace of a request", () => {
  const call = async (target: string, headers: { readonly [name: string]: string }, body?: object) => {
    const [method = "", path = ""] = target.split(" ", 2);
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const sent = { method, headers: { origin: APP_ORIGIN, ...type, ...headers }, ...json };
    const response = await stage.app.request(path, sent);
    const text = await response.text();
    const { code } = (text === "" ? {} : JSON.parse(text)) as { readonly code?: string };
    return { status: response.status, code, text, headers: response.headers };
  };
  const idOf = ({ id }: { readonly id: string }) => toPublicId("ws", id);
  const inWorkspace = (id: string) => ({ "hopline-workspace": id });
  const tagsOf = async (own: { readonly id: string }) => {
    const { rows } = await stage.client.query<{ name: string }>(
      "SELECT name FROM tags WHERE workspace_id = $1",
      [own.id],
    );
    return rows.map(({ name }) => name);
  };
  const addToTwo = async () => {
    const [one, other] = [await stage.addWorkspace(), await stage.addWorkspace()];
    const { cookie, personId, memberId } = await stage.addPerson(one, "owner");
    await stage.client.query(
      "INSERT INTO members (id, workspace_id, person_id, role) VALUES (gen_random_uuid(), $1, $2, 'owner')",
      [other.id, personId],
    );
    return { one, other, cookie, memberId };
  };

  it("is the one that the tab names, whatever another tab of the same session does", async () => {
    const { one, other, cookie } = await addToTwo();
    const make = (id: string, name: string) =>
      call("POST /api/v1/tags", { cookie, ...inWorkspace(id) }, { name });
    const statuses = [
      await make(idOf(one), "first"),
      await make(idOf(other), "second"),
      await call("POST /api/v1/workspaces", { cookie }, { name: "Third" }),
      await make(idOf(one), "third"),
    ].map(({ status }) => status);
    expect(statuses).toEqual([201, 201, 201, 201]);
    expect([await tagsOf(one), await tagsOf(other)]).toEqual([["first", "third"], ["second"]]);
  });

  it("does not go over to another one when somebody is removed: the write is refused", async () => {
    const { one, other, cookie, memberId } = await addToTwo();
    await stage.client.query("DELETE FROM members WHERE id = $1", [memberId]);
    const answer = await call("POST /api/v1/tags", { cookie, ...inWorkspace(idOf(one)) }, { name: "late" });
    expect(answer).toMatchObject({ status: 404, code: "workspace_not_found" });
    expect([await tagsOf(one), await tagsOf(other)]).toEqual([[], []]);
  });

  it("is answered alike to the byte where somebody was removed, never was, it is deleted, or there is none", async () => {
    const { one, other, cookie, memberId } = await addToTwo();
    await stage.client.query("DELETE FROM members WHERE id = $1", [memberId]);
    await stage.client.query("UPDATE workspaces SET deleted_at = now() WHERE id = $1", [other.id]);
    const ids = [idOf(one), idOf(workspace), idOf(other), "ws_0198f3c2a1b27c3d8e4f5a6b7c8d0000", "../x", ""];
    const targets: readonly ((id: string) => Promise<Awaited<ReturnType<typeof call>>>)[] = [
      (id) => call("GET /api/v1/links", { cookie, ...inWorkspace(id) }),
      (id) => call(`GET /api/v1/links?workspace=${encodeURIComponent(id)}`, { cookie }),
      (id) => call("POST /api/v1/tags", { cookie, ...inWorkspace(id) }, { name: "x" }),
      (id) => call(`GET /api/v1/workspaces/${encodeURIComponent(id || "x")}/members`, { cookie }),
    ];
    const answers: string[] = [];
    for (const send of targets) {
      for (const id of ids) {
        const { status, text, headers } = await send(id);
        const requestId = headers.get("x-request-id") ?? "";
        const same = [...headers].filter(([name]) => !/^(?:x-request-id|ratelimit-)/.test(name));
        answers.push(JSON.stringify([status, text.replaceAll(requestId, ""), same]));
      }
    }
    expect(new Set(answers)).toEqual(new Set([expect.stringMatching(/^\[404,.*workspace_not_found/)]));
  });

  it("may be a parameter of a GET, and of nothing else, and is said once", async () => {
    const { one, other, cookie } = await addToTwo();
    const links = `/api/v1/links?workspace=${idOf(one)}`;
    const [here, there] = [inWorkspace(idOf(one)), inWorkspace(idOf(other))];
    const answers = [
      await call(`GET ${links}`, { cookie }),
      await call(`HEAD ${links}`, { cookie }),
      await call(`GET ${links}`, { cookie, ...here }),
      await call(`POST /api/v1/tags?workspace=${idOf(one)}`, { cookie }, { name: "x" }),
      await call(`POST /api/v1/tags?workspace=${idOf(one)}`, { cookie, ...here }, { name: "x" }),
      await call(`GET ${links}&workspace=${idOf(other)}`, { cookie }),
      await call(`GET ${links}`, { cookie, ...there }),
      await call(`GET /api/v1/workspaces/${idOf(one)}/members`, { cookie, ...there }),
      await call(`DELETE /api/v1/workspaces/${idOf(one)}?name=Test`, { cookie, ...there }),
      await call(`DELETE /api/v1/%77orkspaces/${idOf(one)}?name=Test`, { cookie, ...there }),
    ].map(({ status, code }) => [status, code]);
    expect(answers).toEqual([
      [200, undefined],
      [200, undefined],
      [200, undefined],
      [400, "workspace_missing"],
      [422, "invalid"],
      [422, "invalid"],
      [403, "workspace_mismatch"],
      [403, "workspace_mismatch"],
      [403, "workspace_mismatch"],
      [403, "workspace_mismatch"],
    ]);
  });

  it("is the key's own, and a key that names another one is refused everywhere", async () => {
    const own = await stage.addWorkspace();
    const authorization = `Bearer ${await stage.addKey(own, ["admin"])}`;
    const other = inWorkspace(idOf(workspace));
    const answers = [
      await call("POST /api/v1/tags", { authorization, ...inWorkspace(idOf(own)) }, { name: "own" }),
      await call("POST /api/v1/tags", { authorization, ...other }, { name: "other" }),
      await call(`GET /api/v1/links?workspace=${idOf(workspace)}`, { authorization }),
      await call("GET /api/v1/workspaces", { authorization, ...inWorkspace("ws_unknown") }),
      await call("POST /api/mcp", { authorization, ...other }, {}),
    ].map(({ status, code }) => [status, code]);
    const refused = [403, "workspace_mismatch"];
    expect(answers).toEqual([[201, undefined], refused, refused, refused, refused]);
    expect(await tagsOf(own)).toEqual(["own"]);
  });
});

/** Refused or not, nothing is carried out: what the path names belongs to nobody, and bodies are not valid. */
async function send(
  operation: DocumentedOperation,
  caller: string | { readonly key: string },
  named: { readonly [name: string]: string } = NAMED,
): Promise<string> {
  const nothing = "0198f3c2a1b27c3d8e4f5a6b7c8d0000";
  const ids = {
    workspaceId: toPublicId("ws", workspace.id),
    linkId: `lnk_${nothing}`,
    folderId: `fld_${nothing}`,
    alias: "nothing",
    tag: "nothing",
    domainId: `dom_${nothing}`,
    keyId: `key_${nothing}`,
    memberId: `mem_${nothing}`,
    invitationId: `inv_${nothing}`,
    sessionId: `ses_${nothing}`,
    passkeyId: `psk_${nothing}`,
    accountId: `acc_${nothing}`,
    webhookId: `whk_${nothing}`,
  };
  const response = await sendOperation(operation, {
    app: stage.app,
    ids,
    key: null,
    headers:
      typeof caller === "string"
        ? { cookie: caller, origin: APP_ORIGIN, ...named }
        : { authorization: `Bearer ${caller.key}` },
    ...(operation.body?.type === "application/json" ? { text: "{}" } : {}),
  });
  const text = await response.text();
  const isProblem = response.headers.get("content-type") === "application/problem+json";
  return isProblem
    ? `${response.status} ${(JSON.parse(text) as { code: string }).code}`
    : String(response.status);
}
