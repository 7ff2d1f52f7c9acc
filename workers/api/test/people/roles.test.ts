/**
 * Who may call what: every operation of the document, as a stranger, as each role, and with a key of each scope. The table says
 * what is allowed; the document and the API are held to it. A new operation needs a line.
 */
import { afterAll, describe, expect, it } from "vitest";
import { toPublicId } from "../../src/http/entity-id.ts";
import { SCOPES } from "../../src/http/api-key.ts";
import { ROLES, rolesFrom, type Role } from "../../src/people/roles.ts";
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
 * their role; `-`: no key may.
 */
const TABLE: { readonly [operation: string]: `${Caller} ${(typeof SCOPES)[number] | "-"}` } = {
  "POST /api/v1/links": "editor links:write",
  "POST /api/v1/links/bulk": "editor links:write",
  "POST /api/v1/links/bulk/update": "editor links:write",
  "POST /api/v1/links/bulk/delete": "editor links:write",
  "POST /api/v1/links/upsert": "editor links:write",
  "POST /api/v1/links/import": "editor links:write",
  "GET /api/v1/links/export": "viewer links:read",
  "GET /api/v1/links": "viewer links:read",
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
  "PATCH /api/v1/domains/{domainId}": "admin admin",
  "DELETE /api/v1/domains/{domainId}": "admin admin",
  "PUT /api/v1/domains/{domainId}/logo": "admin admin",
  "GET /api/v1/domains/{domainId}/logo": "viewer links:read",
  "DELETE /api/v1/domains/{domainId}/logo": "admin admin",
  "POST /api/v1/keys": "admin admin",
  "POST /api/v1/webhooks": "admin admin",
  "GET /api/v1/webhooks": "admin admin",
  "GET /api/v1/webhooks/{webhookId}": "admin admin",
  "PATCH /api/v1/webhooks/{webhookId}": "admin admin",
  "DELETE /api/v1/webhooks/{webhookId}": "admin admin",
  "POST /api/v1/webhooks/{webhookId}/rotate": "admin admin",
  "POST /api/v1/webhooks/{webhookId}/test": "admin admin",
  "GET /api/v1/webhooks/{webhookId}/stats": "admin admin",
  "GET /api/v1/webhooks/{webhookId}/deliveries": "admin admin",
  "POST /api/v1/webhooks/{webhookId}/replay": "admin admin",
  "GET /api/v1/keys": "admin admin",
  "GET /api/v1/keys/{keyId}": "admin admin",
  "PATCH /api/v1/keys/{keyId}": "admin admin",
  "POST /api/v1/keys/{keyId}/rotate": "admin admin",
  "DELETE /api/v1/keys/{keyId}": "admin admin",
  "GET /api/v1/workspaces": "everyone links:read",
  "POST /api/v1/workspaces": "everyone -",
  "GET /api/v1/workspaces/{workspaceId}": "viewer links:read",
  "PATCH /api/v1/workspaces/{workspaceId}": "admin admin",
  "DELETE /api/v1/workspaces/{workspaceId}": "owner -",
  "POST /api/v1/workspaces/{workspaceId}/switch": "viewer -",
  "POST /api/v1/workspaces/{workspaceId}/leave": "viewer -",
  "GET /api/v1/workspaces/{workspaceId}/members": "viewer -",
  "GET /api/v1/workspaces/{workspaceId}/members/{memberId}": "viewer -",
  "PATCH /api/v1/workspaces/{workspaceId}/members/{memberId}": "admin -",
  "DELETE /api/v1/workspaces/{workspaceId}/members/{memberId}": "admin -",
  "GET /api/v1/workspaces/{workspaceId}/invitations": "admin -",
  "POST /api/v1/workspaces/{workspaceId}/invitations": "admin -",
  "DELETE /api/v1/workspaces/{workspaceId}/invitations/{invitationId}": "admin -",
  "GET /api/v1/me": "everyone -",
  "PATCH /api/v1/me": "everyone -",
  "DELETE /api/v1/me": "everyone -",
  "PUT /api/v1/me/password": "everyone -",
  "POST /api/v1/me/passkeys/options": "everyone -",
  "POST /api/v1/me/passkeys": "everyone -",
  "GET /api/v1/me/passkeys": "everyone -",
  "GET /api/v1/me/passkeys/{passkeyId}": "everyone -",
  "PATCH /api/v1/me/passkeys/{passkeyId}": "everyone -",
  "DELETE /api/v1/me/passkeys/{passkeyId}": "everyone -",
  "GET /api/v1/me/sign-in-methods": "everyone -",
  "DELETE /api/v1/me/sign-in-methods/{accountId}": "everyone -",
  "POST /api/v1/me/email": "everyone -",
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
};

const stage = await openStage();
afterAll(() => stage.close());
const workspace = await stage.addWorkspace();
const operations = (await listDocumentedOperations(stage)).filter(({ path }) => path.startsWith("/api/v1/"));
const people = new Map<Role, string>();
for (const role of ROLES) {
  people.set(role, (await stage.addPerson(workspace, role)).cookie);
}
const stranger = (await stage.addPerson(await stage.addWorkspace(), "owner")).cookie;
const loner = (await stage.addPerson(null, "viewer")).cookie;
const operator = (await stage.addPerson(null, "viewer", { isOperator: true })).cookie;
const keys = new Map<string, string>();
for (const scope of SCOPES) {
  keys.set(scope, await stage.addKey(workspace, [scope]));
}

it("has a line for every operation, and no other", () => {
  expect(Object.keys(TABLE).toSorted()).toEqual(operations.map(({ name }) => name).toSorted());
});

describe.each(operations)("$name", (operation) => {
  const [least, scope] = (TABLE[operation.name] ?? "owner -").split(" ") as [Caller, string];
  const allowedRoles = least === "operator" ? [] : rolesFrom(least === "everyone" ? "viewer" : least);

  it("is documented as in the table", () => {
    expect(operation.isForPeople).toBe(true);
    expect(operation.roles).toEqual(
      least === "everyone" ? [] : least === "operator" ? ["operator"] : allowedRoles,
    );
    expect(operation.scope ?? "-").toBe(scope);
  });

  it("is refused to every role below, and to every person elsewhere", async () => {
    for (const role of ROLES.filter((one) => !allowedRoles.includes(one))) {
      expect([role, await send(operation, people.get(role) ?? "")]).toEqual([role, "403 scope_missing"]);
    }
    // In no workspace, or in another one: what is of this one does not exist.
    for (const cookie of operation.path.includes("{") ? [stranger, loner] : []) {
      expect(await send(operation, cookie)).toBe(
        cookie === loner && !operation.path.includes("{workspaceId}") && least !== "everyone"
          ? "403 scope_missing"
          : "404 not_found",
      );
    }
    if (least !== "everyone" && !operation.path.includes("{")) {
      expect(await send(operation, loner)).toBe("403 scope_missing");
    }
  });

  it("is allowed to the other roles, or to operators", async () => {
    if (least === "operator") {
      expect(await send(operation, operator)).toBe("200");
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
      const allowed = one === scope || (one === "admin" && scope !== "-");
      expect([one, (await send(operation, { key })) === "403 scope_missing"]).toEqual([one, !allowed]);
    }
  });
});

/** Refused or not, nothing is carried out: what the path names belongs to nobody, and bodies are not valid. */
async function send(
  operation: DocumentedOperation,
  caller: string | { readonly key: string },
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
        ? { cookie: caller, origin: APP_ORIGIN }
        : { authorization: `Bearer ${caller.key}` },
    ...(operation.body?.type === "application/json" ? { text: "{}" } : {}),
  });
  const text = await response.text();
  const isProblem = response.headers.get("content-type") === "application/problem+json";
  return isProblem
    ? `${response.status} ${(JSON.parse(text) as { code: string }).code}`
    : String(response.status);
}
