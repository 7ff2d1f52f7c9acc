/**
 * Every operation that writes leaves its rows in the audit log, and no others. The operations come from the OpenAPI document: a
 * new one needs a line, and a new table a trigger.
 */
import { createHash } from "node:crypto";
import { OPERATIONS } from "@hopline/client/openapi";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { IS_FULL } from "../../../../packages/core/test/runs.ts";
import { newEntityId } from "../../src/http/entity-id.ts";
import {
  type DocumentedOperation,
  listDocumentedOperations,
  sendOperation,
} from "../http/every-operation.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { APP_ORIGIN, linkIn } from "../people/people-stage.ts";
import { createAuthenticator } from "@hopline/testkit/stack/software-authenticator";
import type { Workspace } from "../stage.ts";

/** Actions in the order of their rows; none: it changes nothing, for the reason given. */
const ACTIONS: { readonly [operation: string]: readonly string[] } = {
  "POST /api/v1/links": ["link.created"],
  "POST /api/v1/links/bulk": ["link.created", "link.created"],
  "POST /api/v1/links/bulk/update": ["link.updated"],
  "POST /api/v1/links/bulk/delete": ["link.deleted"],
  "POST /api/v1/links/bulk/restore": ["link.restored"],
  "POST /api/v1/links/upsert": ["link.created"],
  "POST /api/v1/links/import": ["link.imported"],
  "PATCH /api/v1/links/{linkId}": ["link.updated"],
  "DELETE /api/v1/links/{linkId}": ["link.deleted", "link.clicks_deleted"],
  "POST /api/v1/links/{linkId}/history/{version}/revert": ["link.updated"],
  "POST /api/v1/links/{linkId}/rules/copy": ["link.updated"],
  "DELETE /api/v1/links/{linkId}/aliases/{alias}": ["link.alias_released"],
  // They publish what is stored.
  "POST /api/v1/links/{linkId}/publish": [],
  // They read.
  "POST /api/v1/links/{linkId}/resolve": [],
  "POST /api/v1/tags": ["tag.created"],
  "PATCH /api/v1/tags/{tag}": ["tag.updated"],
  "DELETE /api/v1/tags/{tag}": ["tag.deleted"],
  "POST /api/v1/folders": ["folder.created"],
  "PATCH /api/v1/folders/{folderId}": ["folder.updated"],
  "DELETE /api/v1/folders/{folderId}": ["folder.deleted"],
  "POST /api/v1/domains": ["domain.created"],
  "POST /api/v1/domains/{domainId}/verify": ["domain.updated"],
  "PATCH /api/v1/domains/{domainId}": ["domain.updated"],
  // Its logo goes with it, and is told with it.
  "DELETE /api/v1/domains/{domainId}": ["domain.deleted"],
  "PUT /api/v1/domains/{domainId}/logo": ["domain.logo_set"],
  "DELETE /api/v1/domains/{domainId}/logo": ["domain.logo_removed"],
  "POST /api/v1/keys": ["key.created"],
  "PATCH /api/v1/keys/{keyId}": ["key.updated"],
  "POST /api/v1/keys/{keyId}/rotate": ["key.created", "key.updated"],
  "DELETE /api/v1/keys/{keyId}": ["key.deleted"],
  "POST /api/v1/webhooks": ["webhook.created"],
  "PATCH /api/v1/webhooks/{webhookId}": ["webhook.updated"],
  "DELETE /api/v1/webhooks/{webhookId}": ["webhook.deleted"],
  "POST /api/v1/webhooks/{webhookId}/rotate": ["webhook.updated"],
  // They send, and change nothing.
  "POST /api/v1/webhooks/{webhookId}/test": [],
  "POST /api/v1/webhooks/{webhookId}/replay": ["webhook.replayed"],
  "POST /api/v1/workspaces": ["workspace.created", "member.created"],
  "PATCH /api/v1/workspaces/{workspaceId}": ["workspace.updated"],
  "DELETE /api/v1/workspaces/{workspaceId}": ["workspace.deleted", "key.deleted", "domain.deleted"],
  "POST /api/v1/workspaces/{workspaceId}/leave": ["member.deleted"],
  "PATCH /api/v1/workspaces/{workspaceId}/members/{memberId}": ["member.updated"],
  "DELETE /api/v1/workspaces/{workspaceId}/members/{memberId}": ["member.deleted"],
  "POST /api/v1/workspaces/{workspaceId}/invitations": ["invitation.created"],
  "DELETE /api/v1/workspaces/{workspaceId}/invitations/{invitationId}": ["invitation.deleted"],
  "PATCH /api/v1/me": ["person.updated"],
  "PUT /api/v1/me/password": ["account.created", "session.deleted"],
  "DELETE /api/v1/sessions": ["session.deleted"],
  "DELETE /api/v1/sessions/{sessionId}": ["session.deleted"],
  // Whoever leaves takes their own log along; the workspace knows that they left.
  "DELETE /api/v1/me": ["member.deleted"],
  "POST /api/v1/me/passkeys": ["passkey.created"],
  "PATCH /api/v1/me/passkeys/{passkeyId}": ["passkey.updated"],
  "DELETE /api/v1/me/passkeys/{passkeyId}": ["passkey.deleted"],
  "DELETE /api/v1/me/sign-in-methods/{accountId}": ["account.deleted"],
  "POST /api/v1/me/email/confirm": ["person.updated"],
  "PUT /api/v1/operators/workspaces/{workspaceId}/limits": ["workspace.limits_set"],
  "PUT /api/v1/operators/workspaces/{workspaceId}/suspension": ["workspace.updated", "domain.updated"],
  "PUT /api/v1/operators/domains/{domainId}/suspension": ["domain.updated"],
  "POST /api/v1/operators/look-ups": ["link.looked_up"],
  // They begin something, and change nothing yet.
  "POST /api/v1/me/email": [],
  "POST /api/v1/me/passkeys/options": [],
  "POST /api/auth/passkey/options": [],
  "POST /api/auth/provider": [],
  "POST /api/auth/passkey": ["session.created"],
  "POST /api/auth/sign-in": ["session.created"],
  // It sends an email, whether there is an account or not.
  "POST /api/auth/link": [],
  "POST /api/auth/link/open": ["session.created"],
  "POST /api/auth/sign-out": ["session.deleted"],
  "POST /api/auth/invitation": ["invitation.updated", "person.created", "member.created", "session.created"],
  // It reads: the email's token comes in the body, not in an address.
  "POST /api/auth/invitation/details": [],
  "POST /api/auth/set-up": [
    "person.created",
    "workspace.created",
    "member.created",
    "account.created",
    "session.created",
  ],
};

/** Emails that an operation sends, whether its answer arrives or not. */
const EMAILS: { readonly [operation: string]: number } = {
  "POST /api/v1/workspaces/{workspaceId}/invitations": 1,
  "POST /api/v1/me/email": 1,
  "PUT /api/v1/me/password": 1,
};

/** Another limit each time: the same again changes nothing. */
let limitsSet = 1_000_000;

/** Names that only one may have. */
const UNIQUE: { readonly [operation: string]: () => Change } = {
  "POST /api/v1/tags": () => ({ body: { name: newEntityId() } }),
  "POST /api/v1/links/import": () => ({ text: `url,slug\nhttps://example.com/,${newEntityId()}\n` }),
  "POST /api/v1/folders": () => ({ body: { name: newEntityId() } }),
  "POST /api/v1/domains": () => ({ body: { host: `${newEntityId()}.example.com` } }),
  "POST /api/v1/links/upsert": () => ({ body: { externalId: newEntityId(), url: "https://example.com/" } }),
  "POST /api/v1/workspaces/{workspaceId}/invitations": () => ({
    body: { email: `${newEntityId()}@example.com`, role: "editor" },
  }),
  "POST /api/v1/me/email": () => ({ body: { email: `${newEntityId()}@example.org` } }),
};

/** Which of an operation's writes loses its answer: one that makes something; in full each. */
const LOST_WRITES = IS_FULL ? [1, 2, 3] : [1];

const { stage, workspace, key } = await openKeyedStage("admin");
const writes = (await listDocumentedOperations(stage)).filter(({ method }) => method !== "GET");
const owner = await stage.addPerson(workspace, "owner", { isOperator: true });

beforeAll(async () => {
  const hash = await stage.people.deps.passwords.hash("correct horse battery");
  await addAccount(hash);
  // The one that tells of the new password, before emails are counted.
  await stage.people.sendEmails();
});

// A workspace has room for fifty webhooks and a hundred invitations.
beforeEach(async () => {
  for (const table of ["webhook_endpoints", "invitations"]) {
    await stage.client.query(`DELETE FROM ${table} WHERE workspace_id = $1`, [workspace.id]);
  }
});

type Change = {
  readonly ids?: { readonly [parameter: string]: string };
  readonly key?: string;
  readonly person?: string;
  readonly query?: string;
  readonly body?: unknown;
  readonly text?: string;
  readonly headers?: { readonly [name: string]: string };
};
type Objects = { readonly [parameter: string]: string };

/** What makes an example do something. */
const PREPARED: { readonly [operation: string]: (ids: Objects) => Change | Promise<Change> } = {
  "POST /api/v1/links/bulk/update": ({ linkId }) => ({ body: { items: [{ id: linkId, addTags: ["new"] }] } }),
  "POST /api/v1/links/bulk/delete": ({ linkId }) => ({ body: { items: [{ id: linkId }] } }),
  "POST /api/v1/links/bulk/restore": async ({ linkId }) => {
    await call("DELETE", `/api/v1/links/${linkId}`, undefined);
    return { body: { items: [{ id: linkId }] } };
  },
  "DELETE /api/v1/links/{linkId}": () => ({ query: "clicks=delete" }),
  "POST /api/v1/links/{linkId}/history/{version}/revert": async ({ linkId }) => {
    await call("PATCH", `/api/v1/links/${linkId}`, { title: "New" });
    return { ids: { version: "1" } };
  },
  "POST /api/v1/links/{linkId}/rules/copy": async () => {
    const { linkId: from } = await stage.addObjects(workspace);
    const rules = [{ id: "r", when: { visitor: "bot" }, to: { block: true } }];
    await call("PATCH", `/api/v1/links/${from}`, { rules });
    return { body: { from } };
  },
  "POST /api/v1/domains/{domainId}/verify": async () => ({ ids: await stage.addPendingDomain(workspace) }),
  "PATCH /api/v1/folders/{folderId}": () => ({ body: { name: newEntityId() } }),
  "PATCH /api/v1/me": () => ({ body: { name: newEntityId() } }),
  "PATCH /api/v1/workspaces/{workspaceId}": () => ({ body: { name: newEntityId() } }),
  "DELETE /api/v1/workspaces/{workspaceId}": async () => {
    const own = await stage.addWorkspace();
    await stage.addKey(own, ["admin"]);
    const { cookie } = await stage.addPerson(own, "owner");
    return { person: cookie, ids: { workspaceId: `ws_${own.id.replaceAll("-", "")}` }, query: "name=Test" };
  },
  "POST /api/v1/workspaces/{workspaceId}/leave": async () => ({
    person: (await stage.addPerson(workspace, "viewer")).cookie,
  }),
  "DELETE /api/v1/me": async () => ({ person: (await stage.addPerson(workspace, "viewer")).cookie }),
  "POST /api/v1/me/passkeys": () => newPasskey(),
  "PATCH /api/v1/me/passkeys/{passkeyId}": () => ownPasskey(),
  "DELETE /api/v1/me/passkeys/{passkeyId}": () => ownPasskey(),
  "DELETE /api/v1/me/sign-in-methods/{accountId}": async () => {
    const { accountId } = await addIdentity();
    return { ids: { accountId } };
  },
  "POST /api/v1/me/email/confirm": async () => {
    const { cookie } = await stage.addPerson(workspace, "viewer");
    await call("POST", "/api/v1/me/email", { email: `${newEntityId()}@example.com` }, cookie);
    return { person: cookie, body: { token: await tokenOfLatestEmail() } };
  },
  "PUT /api/v1/operators/workspaces/{workspaceId}/limits": () => ({
    body: { links: (limitsSet += 1), clicks: null, requests: null },
  }),
  "PUT /api/v1/operators/workspaces/{workspaceId}/suspension": async () => {
    const { id } = await stage.addWorkspace();
    return { ids: { workspaceId: `ws_${id.replaceAll("-", "")}` } };
  },
  "POST /api/v1/operators/look-ups": ({ host, slug }) => ({
    body: { address: `${host}/${slug}`, reason: "reported" },
  }),
  "POST /api/auth/passkey": async () => {
    await ownPasskey();
    const credential = authenticator.get(await challenge("/api/auth/passkey/options"));
    return { body: { credential } };
  },
  "PUT /api/v1/me/password": () => withTwoSessions(),
  "DELETE /api/v1/sessions": () => withTwoSessions(),
  "DELETE /api/v1/sessions/{sessionId}": () => withTwoSessions(),
  "POST /api/auth/link/open": async () => {
    await call("POST", "/api/auth/link", { email: owner.email });
    return { body: { token: await tokenOfLatestEmail() } };
  },
  "POST /api/auth/sign-in": () => ({ body: { email: owner.email, password: "correct horse battery" } }),
  "POST /api/auth/sign-out": async () => ({
    headers: { cookie: (await stage.addPerson(workspace, "viewer")).cookie },
  }),
  "POST /api/auth/invitation": (ids) => withInvitation(ids),
  "POST /api/auth/invitation/details": (ids) => withInvitation(ids),
  "POST /api/auth/set-up": async () => {
    await stage.client.query("DELETE FROM people");
    await stage.client.query("UPDATE workspaces SET deleted_at = now()");
    const token = "set-up-token-of-this-test";
    await stage.client.query(
      "INSERT INTO verifications (id, identifier, value, expires_at) VALUES (gen_random_uuid(), $1, '', now() + interval '1 day')",
      [`set-up:${createHash("sha256").update(token).digest("hex")}`],
    );
    const person = { email: "first@example.com", name: "Ada", password: "correct horse battery" };
    return { body: { ...person, token } };
  },
};

it("has a line for every operation that is no GET, and no other", () => {
  expect(Object.keys(ACTIONS).toSorted()).toEqual(writes.map(({ name }) => name).toSorted());
});

/** POSTs without an Idempotency-Key, which no client repeats. */
const NOT_REPEATED = [
  // Done, they can't be done again: the repetition is refused.
  "POST /api/v1/workspaces/{workspaceId}/leave",
  "POST /api/v1/me/email/confirm",
  "POST /api/v1/me/passkeys",
  "POST /api/auth/invitation",
  "POST /api/auth/link/open",
  "POST /api/auth/passkey",
  "POST /api/auth/set-up",
  // A second one would be another session, challenge or email.
  "POST /api/auth/sign-in",
  "POST /api/auth/link",
  "POST /api/auth/passkey/options",
  "POST /api/auth/provider",
  "POST /api/v1/me/passkeys/options",
  // They do the same again.
  "POST /api/auth/sign-out",
  "POST /api/auth/invitation/details",
];
const takesKey = ({ parameters }: DocumentedOperation) => parameters.includes("header idempotency-key");
const repeatable = writes.filter(takesKey);

it("takes an Idempotency-Key in every POST that the client repeats, and the client repeats no other", () => {
  const others = writes.filter((operation) => operation.method === "POST" && !takesKey(operation));
  expect(others.map(({ name }) => name).toSorted()).toEqual(NOT_REPEATED.toSorted());
  const marked = Object.values(OPERATIONS).filter((target) => target.endsWith(" once"));
  expect(marked.toSorted()).toEqual(repeatable.map(({ name }) => `${name} once`).toSorted());
});

afterEach(() => stage.endpoint.setFault(null));

/** Those that are being sent behind an answer, and those that wait for the minute's job. */
async function sendAllEmails(): Promise<void> {
  await stage.people.settledEmails();
  await stage.people.sendEmails();
}

/** Sends an operation as often as it is called, and tells what all of that did together. */
async function prepare(operation: DocumentedOperation, headers: Change["headers"] = {}) {
  const ids = await stage.addObjects(workspace);
  const change = (await PREPARED[operation.name]?.(ids)) ?? {};
  const { person = owner.cookie } = change;
  const once = { ...UNIQUE[operation.name]?.(), ...change };
  const sent = { app: stage.app, key, person, ...once, headers, ids: { ...ids, ...change.ids } };
  await sendAllEmails();
  const before = stage.people.emails.length;
  const requestIds: (string | null)[] = [];
  const send = async () => {
    const response = await sendOperation(operation, sent);
    requestIds.push(response.headers.get("x-request-id"));
    return { status: response.status, body: (await response.text()).replaceAll(MOMENT, "") };
  };
  const done = async () => {
    const { rows } = await stage.client.query<{ action: string }>(
      "SELECT action FROM audit_log WHERE request_id = ANY($1) ORDER BY at, id",
      [requestIds],
    );
    await sendAllEmails();
    const emails = stage.people.emails.length - before;
    return { actions: rows.map(({ action }) => action), emails };
  };
  return { send, done };
}

/** Of an edit, which is another version also where it changes nothing. */
const MOMENT = /"version":\d+|"updatedAt":"[^"]+"/g;

const expectedOf = ({ name }: DocumentedOperation) => ({
  actions: ACTIONS[name],
  emails: EMAILS[name] ?? 0,
});

describe.each(repeatable)("$name, repeated under its Idempotency-Key", (operation) => {
  const isDone = ({ status, body }: { readonly status: number; readonly body: string }) =>
    status < 300 || body.includes("idempotency_secret");

  it.each(LOST_WRITES)(
    "does nothing twice when the answer to write %i was lost after the commit",
    async (which) => {
      const { send, done } = await prepare(operation, { "idempotency-key": newEntityId() });
      loseAnswerOfWrite(which);
      const first = await send();
      stage.endpoint.setFault(null);
      expect([200, 201, 202, 204, 503]).toContain(first.status);
      expect([await send(), await send()].filter((one) => !isDone(one))).toEqual([]);
      expect(await done()).toEqual(expectedOf(operation));
    },
  );

  it.runIf(IS_FULL)("does nothing twice when it is sent four times at once, and then again", async () => {
    const { send, done } = await prepare(operation, { "idempotency-key": newEntityId() });
    const together = await Promise.all([send(), send(), send(), send()]);
    expect(together.filter((one) => !isDone(one) && !one.body.includes("idempotency_in_progress"))).toEqual(
      [],
    );
    expect(isDone(await send())).toBe(true);
    expect(await done()).toEqual(expectedOf(operation));
  });
});

/** What is there no more; 401: neither is who asks. */
const GONE = [404, 401];
/** They say what shall not be, whether it was or not. */
const ALWAYS_DONE = ["DELETE /api/v1/sessions", "DELETE /api/v1/keys/{keyId}"];
const changes = writes.filter(({ method }) => method !== "POST");

describe.each(changes)("$name, repeated", (operation) => {
  const expectDone = (second: { readonly status: number }, third: { readonly status: number }) => {
    if (operation.method === "DELETE") {
      expect([204, ...GONE]).toContain(second.status);
      expect(ALWAYS_DONE.includes(operation.name) ? [204] : GONE).toContain(third.status);
    } else {
      expect([200, 204]).toContain(second.status);
      expect(third).toEqual(second);
    }
  };

  it.each(LOST_WRITES)(
    "ends as if sent once when the answer to write %i was lost after the commit",
    async (which) => {
      const { send, done } = await prepare(operation);
      loseAnswerOfWrite(which);
      const first = await send();
      stage.endpoint.setFault(null);
      expect([200, 204, 503]).toContain(first.status);
      expectDone(await send(), await send());
      expect(await done()).toEqual(expectedOf(operation));
    },
  );

  // Each of four that set a password at the same moment sets it.
  it.runIf(IS_FULL && operation.name !== "PUT /api/v1/me/password")(
    "ends as if sent once when it is sent four times at once",
    async () => {
      const { send, done } = await prepare(operation);
      const together = await Promise.all([send(), send(), send(), send()]);
      expect(together.filter(({ status }) => ![200, 204, ...GONE].includes(status))).toEqual([]);
      expectDone(await send(), await send());
      expect(await done()).toEqual(expectedOf(operation));
    },
  );
});

/** The statement is carried out, and its connection breaks before the result: the first of those that write is 1. */
function loseAnswerOfWrite(which: number): void {
  let writes = 0;
  stage.endpoint.setFault(({ statements }) => {
    const text = statements.map(({ query }) => query).join(" ");
    const isWrite = /\b(?:insert into|update|delete from)\b/i.test(
      text.replaceAll(/\bfor (?:no key )?update\b/gi, ""),
    );
    if (!isWrite || /idempotency_keys|request_counts|credential_attempts|update work\b/i.test(text)) {
      return null;
    }
    writes += 1;
    return writes === which ? { kind: "execute-then-reset" } : null;
  });
}

// The set-up takes a deployment without people.
const ordered = writes.toSorted((one, other) => Number(isSetUp(one)) - Number(isSetUp(other)));

describe.each(ordered)("$name", (operation) => {
  it("leaves its rows in the log, with who and for which request, and says to the jobs that there may be work", async () => {
    const ids = await stage.addObjects(workspace);
    const change = (await PREPARED[operation.name]?.(ids)) ?? {};
    const { person = owner.cookie } = change;
    const sent = { app: stage.app, key, person, ...change, ids: { ...ids, ...change.ids } };
    const announced = stage.countAnnouncements();
    const response = await sendOperation(operation, sent);
    await response.text();
    // Before, and behind what it has committed.
    expect(stage.countAnnouncements() - announced).toBeGreaterThanOrEqual(2);
    const requestId = response.headers.get("x-request-id");
    const { rows } = await stage.client.query<{ action: string; actor: string; text: string }>(
      "SELECT action, actor, audit_log::text AS text FROM audit_log WHERE request_id = $1 ORDER BY at, id",
      [requestId],
    );
    expect([response.ok, rows.map(({ action }) => action)]).toEqual([true, ACTIONS[operation.name]]);
    for (const { actor, text } of rows) {
      expect(actor).toMatch(/^(?:person|key):/);
      expect(text).not.toMatch(/iterations|pbkdf2|token-of|\bsalt\b|[0-9a-f]{64}/i);
    }
  });
});

function isSetUp({ path }: DocumentedOperation): boolean {
  return path === "/api/auth/set-up";
}

async function call(method: string, path: string, body: unknown, cookie = owner.cookie): Promise<void> {
  const credentials = path.startsWith("/api/v1/links") ? { authorization: `Bearer ${key}` } : { cookie };
  const headers = { ...credentials, origin: "http://localhost", "content-type": "application/json" };
  const response = await stage.app.request(path, { method, headers, body: JSON.stringify(body) });
  expect([path, response.ok]).toEqual([path, true]);
}

async function tokenOfLatestEmail(): Promise<string> {
  const email = (await stage.people.settledEmails()).at(-1);
  return new URL(linkIn(email ?? { to: "", subject: "", text: "" })).searchParams.get("token") ?? "";
}

const authenticator = createAuthenticator(APP_ORIGIN);

async function challenge(path: string): Promise<Parameters<typeof authenticator.get>[0]> {
  const headers = { cookie: owner.cookie, origin: APP_ORIGIN };
  return (await stage.app.request(path, { method: "POST", headers })).json();
}

async function newPasskey(): Promise<Change> {
  await stage.client.query("DELETE FROM passkeys WHERE person_id = $1", [owner.personId]);
  const credential = authenticator.create(await challenge("/api/v1/me/passkeys/options"));
  return { body: { name: "Laptop", credential } };
}

async function ownPasskey(): Promise<Change> {
  const { body } = await newPasskey();
  await call("POST", "/api/v1/me/passkeys", body);
  const { rows } = await stage.client.query<{ id: string }>("SELECT id FROM passkeys WHERE person_id = $1", [
    owner.personId,
  ]);
  return { ids: { passkeyId: `psk_${rows[0]?.id.replaceAll("-", "")}` } };
}

async function addIdentity(): Promise<{ readonly accountId: string }> {
  const id = newEntityId();
  await stage.client.query(
    "INSERT INTO accounts (id, person_id, provider_id, account_id) VALUES ($1::uuid, $2, 'https://accounts.google.com', ($1::uuid)::text)",
    [id, owner.personId],
  );
  return { accountId: `acc_${id.replaceAll("-", "")}` };
}

async function withInvitation({ workspaceId }: Objects): Promise<Change> {
  await call("POST", `/api/v1/workspaces/${workspaceId}/invitations`, {
    email: `${newEntityId()}@example.com`,
    role: "viewer",
  });
  return { body: { token: await tokenOfLatestEmail() } };
}

async function withTwoSessions(): Promise<Change> {
  const person = await stage.addPerson(workspace as Workspace, "viewer");
  const other = newEntityId();
  await stage.client.query(
    "INSERT INTO sessions (id, person_id, token, expires_at) VALUES ($1, $2, $3, now() + interval '1 day')",
    [other, person.personId, `token-of-${other}`],
  );
  return { person: person.cookie, ids: { sessionId: `ses_${other.replaceAll("-", "")}` } };
}

async function addAccount(hash: string): Promise<void> {
  await stage.client.query(
    "INSERT INTO accounts (id, person_id, provider_id, account_id, password) SELECT gen_random_uuid(), id, 'credential', id::text, $2 FROM people WHERE id = $1",
    [owner.personId, hash],
  );
}
