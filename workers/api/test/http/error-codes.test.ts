/**
 * Every operation answers every error code that the document lists for it. (That it answers no other is checked in every test:
 * see hold-to-document.ts.)
 */
import type { NeonQueryFunction } from "@neondatabase/serverless";
import { drizzle } from "drizzle-orm/neon-http";
import { afterEach, describe, expect, it } from "vitest";
import { newEntityId, toPublicId } from "../../src/http/entity-id.ts";
import { toInvitationToken } from "../../src/people/invitation-token.ts";
import { LIVE_SETTINGS } from "../../src/live/stream-clicks.ts";
import { PROBLEM_CODES, ProblemError } from "../../src/http/problem.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { APP_ORIGIN } from "../people/people-stage.ts";
import {
  type DocumentedOperation,
  type Ids,
  listDocumentedOperations,
  sendOperation,
  type Variation,
} from "./every-operation.ts";
import { listDocumentedCodes } from "./hold-to-document.ts";
import { METRICS_TOKEN, type Stage } from "../stage.ts";
import { toUuid } from "../to-uuid.ts";
import { IS_FULL } from "../../../../packages/core/test/runs.ts";

const { stage, workspace, key: admin } = await openKeyedStage("admin");
const { cookie: person } = await stage.addPerson(workspace, "owner", { isOperator: true });
const operations = await listDocumentedOperations(stage);
const document = (await (await stage.app.request("/api/openapi.json")).json()) as Parameters<
  typeof listDocumentedCodes
>[0] & {
  readonly components: {
    readonly schemas: {
      readonly Problem: { readonly properties: { readonly code: { readonly enum: unknown } } };
    };
  };
};
const codes = listDocumentedCodes(document);
/**
 * What the frame answers to callers of every operation alike, or what another test asks of every operation: each is asked of every
 * fourth, in full of all. That each POST minds its Idempotency-Key is in conventions.test.ts.
 */
const ASKED_OF_A_FOURTH = [
  "limit_reached",
  "workspace_mismatch",
  "rate_limited",
  "internal_error",
  "sessions_unavailable",
  "database_unavailable",
  "idempotency_in_progress",
  "idempotency_mismatch",
  // roles.test.ts
  "scope_missing",
  "workspace_missing",
  "workspace_not_found",
  "sign_in_again",
  // conventions.test.ts
  "invalid",
  // security.test.ts
  "body_too_large",
];
const cases = operations.flatMap((operation, index) =>
  [...(codes.get(operation.name) ?? [])]
    .filter((code) => {
      const place = operation.scope === null ? -1 : ASKED_OF_A_FOURTH.indexOf(code);
      return IS_FULL || place === -1 || (index + place) % 4 === 0;
    })
    .map((code) => ({ name: operation.name, code, operation })),
);

/** Of another workspace, for requests that are all refused. */
const theirs = await stage.addObjects(await stage.addWorkspace());
const stranger = await stage.addPerson(await stage.addWorkspace(), "owner");
const limited = await stage.addWorkspace();
await stage.client.query("INSERT INTO workspace_limits (workspace_id, requests) VALUES ($1, 0)", [
  limited.id,
]);
const limitedKey = await stage.addKey(limited, ["admin"]);
const createOnly = { origins: [], destinationHosts: [], linksPerMinute: 600 };
const createOnlyKey = await stage.addKey(workspace, ["links:write"], { bounds: { createOnly } });
/** By the scope that each lacks. */
const narrow = new Map<string | null, string>();

let ids: Ids;
/** One of every kind, until a request that succeeds may have used it up. */
let unused: Ids | null = null;
let made = 0;

afterEach(() => stage.endpoint.setFault(null));

describe.each(cases)("$name", ({ code, operation }) => {
  it(`answers ${code}`, async () => {
    ids = unused ??= await stage.addObjects(workspace);
    made += 1;
    const provoke = OWN[`${operation.name} ${code}`] ?? SHARED[code];
    if (provoke === undefined) {
      throw new Error(`Say in this file how to make ${operation.name} answer ${code}.`);
    }
    const response = await provoke(operation);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(await response.json()).toMatchObject({ code, status: response.status });
  });
});

it("lists every code for some operation, except those of a bulk item, of a path and of a page", () => {
  const { code } = document.components.schemas.Problem.properties;
  expect(code.enum).toEqual(PROBLEM_CODES);
  const named = new Set([...codes.values()].flatMap((ofOperation) => [...ofOperation]));
  expect(PROBLEM_CODES.filter((one) => !named.has(one))).toEqual([
    "sign_in_interrupted",
    "email_unverified",
    "method_not_allowed",
    "loop",
    "not_done",
  ]);
});

describe("a failing database", () => {
  it.each([
    [
      "stops in the middle of its answer",
      new DOMException("too late", "TimeoutError"),
      "database.unavailable",
    ],
    ["is not the cause", new TypeError("a fault of ours"), "handler.crashed"],
  ])("that %s has its own log event", async (_what, error, event) => {
    stage.log.length = 0;
    const app = stage.appWith({}, { database: brokenWith(error) });
    const request = { headers: { authorization: `Bearer ${admin}` } };
    const response = await app.request("/api/v1/domains", request);
    expect(response.status).toBe(event === "database.unavailable" ? 503 : 500);
    const { requestId } = (await response.json()) as { readonly requestId: string };
    expect(stage.log).toEqual([{ event, requestId, reason: error.name, sqlState: null }]);
  });
});

/** With a network to count and a session to end, every operation under /api/auth asks the database. */
const ASKS_DATABASE = { "cf-connecting-ip": "192.0.2.1", cookie: person };

const APPS = {
  oneRequest: stage.appWith({ requestsPerMinute: 1 }),
  failing: stage.appWith({}, { database: brokenWith(new TypeError("a fault of ours")) }),
  withoutSessions: stage.appWith({
    verifySession: () => Promise.reject(new ProblemError("sessions_unavailable")),
  }),
  crowded: stage.appWith({}, { turns: () => Promise.reject(new ProblemError("busy")) }),
  withoutPeople: stage.appWith({}, { people: null }),
  ofLimitedNetwork: stage.appWith(
    {},
    { networkLimits: { failedKeys: undefined, anonymous: { limit: async () => ({ success: false }) } } },
  ),
};

/** Its first transaction runs into its time limit, in a workspace of many clicks. */
async function appOfManyClicks() {
  await stage.client.query(
    `INSERT INTO workspace_rollups (workspace_id, bucket_start, domain_id, class, clicks)
     SELECT $1, day, $2, 'human', 1000000 FROM generate_series(now() - interval '1 year', now(), '1 day') AS day
     ON CONFLICT DO NOTHING`,
    [workspace.id, workspace.domainId],
  );
  const canceled = Object.assign(new Error("canceling statement due to statement timeout"), {
    code: "57014",
  });
  let isCanceled = false;
  const batch: Stage["database"]["batch"] = (statements) => {
    const isFirst = !isCanceled;
    isCanceled = true;
    return isFirst ? Promise.reject(canceled) : stage.database.batch(statements);
  };
  const database: Stage["database"] = Object.create(stage.database, { batch: { value: batch } });
  return stage.appWith({}, { database });
}

type Provoke = (operation: DocumentedOperation) => Promise<Response>;

/** How to provoke a code, in every operation that lists it. */
const SHARED: { readonly [code: string]: Provoke } = {
  key_missing: (operation) => send(operation, { key: null }),
  key_invalid: (operation) => send(operation, { key: `hop_${"x".repeat(32)}`, person: null }),
  limit_reached: (operation) => send(operation, { key: limitedKey, person: null }),
  scope_missing: async (operation) => {
    const others = (["links:read", "links:write", "analytics:read"] as const).filter(
      (scope) => scope !== operation.scope,
    );
    const key = narrow.get(operation.scope) ?? (await stage.addKey(workspace, others));
    narrow.set(operation.scope, key);
    return send(operation, { key, person: null });
  },
  out_of_bounds: (operation) => send(operation, { key: createOnlyKey, person: null }),
  workspace_missing: (operation) => sendAsPerson(operation, person),
  workspace_mismatch: (operation) =>
    send(operation, {
      person: null,
      headers: { "hopline-workspace": "ws_0198f3c2a1b27c3d8e4f5a6b7c8d0000" },
    }),
  workspace_not_found: (operation) =>
    sendAsPerson(operation, stranger.cookie, { "hopline-workspace": toPublicId("ws", workspace.id) }),
  rate_limited: async (operation) => {
    if (operation.path.startsWith("/api/auth/")) {
      return send(operation, ofLimitedNetwork());
    }
    const app = APPS.oneRequest;
    const key = await stage.addKey(workspace, ["admin"]);
    await send(operation, { app, key, person: null });
    return send(operation, { app, key, person: null });
  },
  internal_error: (operation) => send(operation, { app: APPS.failing, headers: ASKS_DATABASE }),
  sessions_unavailable: (operation) =>
    send(operation, { app: APPS.withoutSessions, key: "a.b.c", person: null }),
  busy: async (operation) => {
    const body = operation.path.endsWith("/upsert")
      ? { externalId: await nameLink(ids["linkId"]), url: "https://example.com/" }
      : undefined;
    return send(operation, { app: APPS.crowded, ...(body === undefined ? {} : { body }) });
  },
  database_unavailable: (operation) => {
    stage.endpoint.setFault(() => ({ kind: "reset" }));
    return send(operation, { headers: ASKS_DATABASE });
  },
  version_mismatch: (operation) => send(operation, { headers: { "if-match": '"v99"' } }),
  body_malformed: (operation) => send(operation, { text: "{", type: "application/json" }),
  body_too_large: (operation) => send(operation, { text: `{"url":"${"a".repeat(operation.maxBodyBytes)}"}` }),
  unsupported_media_type: (operation) => send(operation, { type: "text/plain" }),
  not_found: async (operation) =>
    operation.path.includes("{")
      ? send(operation, { ids: idsOfAnother(operation) })
      : operation.roles.includes("operator")
        ? send(operation)
        : send(operation, { app: APPS.withoutPeople, key: null }),
  origin_refused: (operation) => send(operation, { headers: { origin: "https://strange.example" } }),
  token_invalid: (operation) => send(operation),
  passkey_refused: (operation) => send(operation),
  sign_in_again: async (operation) => {
    const { headers, sessionId } = await stage.addPerson(workspace, "owner", { isOperator: true });
    await stage.client.query("UPDATE sessions SET created_at = now() - interval '16 minutes' WHERE id = $1", [
      sessionId,
    ]);
    const body = operation.name.endsWith("/invitations")
      ? { email: "grace@example.com", role: "admin" }
      : undefined;
    return send(operation, { key: null, headers: { ...headers, origin: APP_ORIGIN }, body });
  },
  email_unavailable: (operation) => {
    const { deps } = stage.openPeople({ sendEmail: null });
    return send(operation, { app: stage.appWith({}, { people: deps }) });
  },
  cursor_invalid: (operation) => send(operation, { query: "cursor=nonsense" }),
  idempotency_mismatch: async (operation) => {
    const headers = { "idempotency-key": `mismatch-${made}` };
    await send(operation, { headers });
    return send(operation, { headers, query: "another=request" });
  },
  idempotency_in_progress: async (operation) => {
    const key = `in-progress-${made}`;
    await send(operation, { headers: { "idempotency-key": key } });
    await stage.client.query("UPDATE idempotency_keys SET status = NULL");
    return send(operation, { headers: { "idempotency-key": key } });
  },
  query_too_wide: async (operation) => send(operation, { app: await appOfManyClicks() }),
  invalid: (operation) =>
    send(operation, {
      query: "nonsense=1",
      ...(operation.path === "/api/metrics" ? { key: METRICS_TOKEN } : {}),
    }),
};

const url = "https://example.com/";

async function sendTakenFolder(operation: DocumentedOperation): Promise<Response> {
  const { folderId = "" } = await stage.addObjects(workspace);
  return send(operation, { body: { name: `Folder ${toUuid(folderId)}` } });
}

async function sendTakenTag(operation: DocumentedOperation): Promise<Response> {
  const { tag } = await stage.addObjects(workspace);
  return send(operation, { body: { name: tag } });
}

async function sendWhileBusy(operation: DocumentedOperation, body?: unknown): Promise<Response> {
  await stage.client.query("INSERT INTO work (kind, key) VALUES ('replace-tag', $1)", [workspace.id]);
  const response = await send(operation, { body });
  await stage.client.query("DELETE FROM work WHERE kind = 'replace-tag'");
  return response;
}

/** While it is published, another caller deletes the new link. */
async function sendWhileDeleted(operation: DocumentedOperation, fields: object): Promise<Response> {
  const slug = `brief-${made}`;
  stage.edge.state.beforeWrite = () =>
    stage.client.query("UPDATE links SET state = 'deleted' WHERE slug = $1", [slug]);
  const response = await send(operation, { body: { ...fields, slug } });
  stage.edge.state.beforeWrite = null;
  return response;
}

/** How to provoke it in one operation. */
const OWN: { readonly [nameAndCode: string]: Provoke } = {
  "POST /api/v1/operators/look-ups not_found": (operation) =>
    send(operation, { body: { address: "nobody.example/x", reason: "reported" } }),
  "POST /api/v1/links not_found": (operation) => sendWhileDeleted(operation, { url }),
  "POST /api/v1/links/upsert not_found": (operation) =>
    sendWhileDeleted(operation, { url, externalId: `new-${made}` }),
  "POST /api/v1/links slug_taken": async (operation) =>
    send(operation, { body: { url, slug: await slugOf(ids["linkId"]) } }),
  "POST /api/v1/links external_id_taken": async (operation) =>
    send(operation, { body: { url, externalId: await nameLink(ids["linkId"]) } }),
  // Of a link that does not exist for the caller.
  "POST /api/v1/links/upsert external_id_taken": async (operation) => {
    const key = await stage.addKey(workspace, ["links:write"], { bounds: { own: [] } });
    return send(operation, { key, body: { url, externalId: await nameLink(ids["linkId"]) } });
  },
  "POST /api/v1/links no_domain": (operation) =>
    send(operation, { body: { url, domain: "unknown.example" } }),
  "POST /api/v1/links domain_pending": async (operation) =>
    send(operation, { body: { url, domain: (await stage.addPendingDomain(workspace)).host } }),
  "GET /api/v1/links/available no_domain": (operation) =>
    send(operation, { query: "domain=unknown.example" }),
  "GET /api/v1/links/available domain_pending": async (operation) =>
    send(operation, { query: `domain=${(await stage.addPendingDomain(workspace)).host}` }),
  "POST /api/v1/folders folder_taken": (operation) => sendTakenFolder(operation),
  "PATCH /api/v1/folders/{folderId} folder_taken": (operation) => sendTakenFolder(operation),
  "POST /api/v1/tags tag_taken": (operation) => sendTakenTag(operation),
  "PATCH /api/v1/tags/{tag} tag_taken": (operation) => sendTakenTag(operation),
  "PATCH /api/v1/tags/{tag} tags_busy": (operation) => sendWhileBusy(operation, { name: `new-${made}` }),
  "DELETE /api/v1/tags/{tag} tags_busy": (operation) => sendWhileBusy(operation),
  "POST /api/v1/links/upsert domain_pending": async (operation) => {
    const { host } = await stage.addPendingDomain(workspace);
    return send(operation, { body: { url, externalId: `new-${made}`, domain: host } });
  },
  "POST /api/v1/links/upsert slug_taken": async (operation) =>
    send(operation, { body: { url, externalId: `new-${made}`, slug: await slugOf(ids["linkId"]) } }),
  "POST /api/v1/links/upsert no_domain": (operation) =>
    send(operation, { body: { url, externalId: `new-${made}`, domain: "unknown.example" } }),
  // Any bytes are a picture, or none; only nothing is no body.
  "PUT /api/v1/domains/{domainId}/logo body_malformed": async ({ method }) =>
    stage.app.request(`/api/v1/domains/${ids["domainId"]}/logo`, {
      method,
      headers: { authorization: `Bearer ${admin}` },
    }),
  "PUT /api/v1/domains/{domainId}/logo domain_pending": async (operation) =>
    send(operation, { ids: await stage.addPendingDomain(workspace) }),
  "PATCH /api/v1/links/{linkId} slug_taken": async (operation) => {
    const other = await stage.addObjects(workspace);
    return send(operation, { body: { slug: await slugOf(other["linkId"]) } });
  },
  "PATCH /api/v1/links/{linkId} external_id_taken": async (operation) => {
    const other = await stage.addObjects(workspace);
    return send(operation, { body: { externalId: await nameLink(other["linkId"]) } });
  },
  "PATCH /api/v1/links/{linkId} domain_pending": (operation) => sendAsLoser(operation),
  "POST /api/v1/links/{linkId}/history/{version}/revert slug_taken": async (operation) => {
    const slug = await slugOf(ids["linkId"]);
    await write("PATCH", `links/${ids["linkId"]}`, { slug: `moved-${made}` });
    await write("DELETE", `links/${ids["linkId"]}/aliases/${slug}`);
    await write("POST", "links", { url, slug, domain: workspace.host });
    return send(operation);
  },
  "POST /api/v1/links/{linkId}/history/{version}/revert external_id_taken": async (operation) => {
    const externalId = `given-away-${made}`;
    await write("PATCH", `links/${ids["linkId"]}`, { externalId });
    await write("PATCH", `links/${ids["linkId"]}`, { externalId: null });
    await write("POST", "links", { url, externalId });
    return send(operation, { ids: { ...ids, version: "2" } });
  },
  "POST /api/v1/links/{linkId}/history/{version}/revert domain_pending": (operation) =>
    sendAsLoser(operation),
  "POST /api/v1/links/{linkId}/rules/copy domain_pending": (operation) => sendAsLoser(operation),
  "GET /api/qr/{host}/{slug} not_found": (operation) =>
    send(operation, { ids: { host: "nobody.example", slug: "nothing" } }),
  "GET /api/qr/{host}/{slug} rate_limited": (operation) => send(operation, ofLimitedNetwork()),
  "DELETE /api/v1/links/{linkId} invalid": (operation) =>
    send(operation, { headers: { "if-match": "x".repeat(1_001) } }),
  "POST /api/v1/domains domain_taken": (operation) => send(operation, { body: { host: workspace.host } }),
  "PATCH /api/v1/domains/{domainId} domain_pending": async (operation) =>
    send(operation, { ids: await stage.addPendingDomain(workspace) }),
  "POST /api/v1/domains/{domainId}/verify domain_taken": async (operation) => {
    const rival = await stage.addPendingDomain(await stage.addWorkspace());
    const ours = await stage.addPendingDomain(workspace, rival.host);
    await stage.client.query("UPDATE domains SET proof = 'vouched' WHERE id = $1", [toUuid(rival.domainId)]);
    return send(operation, { ids: ours });
  },
  "DELETE /api/v1/links/{linkId}/aliases/{alias} alias_in_use": async (operation) => {
    const ids = await stage.addObjects(workspace);
    await stage.client.query(
      `INSERT INTO alias_clicks SELECT link_id, slug, (now() AT TIME ZONE 'UTC')::date, 1, now() FROM addresses
       WHERE link_id = $1 AND ended_at IS NULL`,
      [toUuid(ids.linkId)],
    );
    return send(operation, { ids });
  },
  "DELETE /api/v1/domains/{domainId} domain_in_use": (operation) =>
    send(operation, { ids: { domainId: toPublicId("dom", workspace.domainId) } }),
  "GET /api/v1/analytics/live cursor_invalid": (operation) =>
    send(operation, { query: "lastEventId=nonsense" }),
  "GET /api/v1/analytics/live too_many_streams": (operation) =>
    send(operation, { app: stage.appWithStreams({ ...LIVE_SETTINGS, maxStreams: 0 }) }),
  "GET /api/health rate_limited": (operation) => send(operation, ofLimitedNetwork()),
  "POST /api/auth/sign-in sign_in_failed": (operation) => send(operation),
  "POST /api/auth/set-up token_invalid": (operation) => {
    const database = answeringWith(async () => ({ rows: [] }));
    return send(operation, { app: stage.appWith({}, { database }) });
  },
  "POST /api/auth/set-up already_set_up": (operation) => send(operation),
  "DELETE /api/v1/me/sign-in-methods/{accountId} last_sign_in_method": (operation) =>
    sendAboutLastMethod(operation),
  "DELETE /api/v1/me/passkeys/{passkeyId} last_sign_in_method": (operation) => sendAboutLastMethod(operation),
  "POST /api/auth/invitation sign_in_first": async (operation) => {
    const { email } = await stage.addPerson(null, "viewer");
    return send(operation, { body: { token: await inviteTo(email) } });
  },
  "POST /api/auth/invitation sign_up_closed": async (operation) => {
    const { deps } = stage.openPeople({ signUp: { kind: "closed" } });
    const token = await inviteTo(`${made}@example.com`);
    return send(operation, { app: stage.appWith({}, { people: deps }), body: { token } });
  },
  "POST /api/v1/workspaces/{workspaceId}/invitations already_member": async (operation) => {
    const own = await stage.addWorkspace();
    const { cookie, email } = await stage.addPerson(own, "owner");
    const inOwn = { workspaceId: toPublicId("ws", own.id) };
    return send(operation, { ids: inOwn, person: cookie, body: { email, role: "viewer" } });
  },
  "PATCH /api/v1/workspaces/{workspaceId}/members/{memberId} last_owner": async (operation) =>
    send(operation, await ofLastOwner()),
  "DELETE /api/v1/workspaces/{workspaceId}/members/{memberId} last_owner": async (operation) =>
    send(operation, await ofLastOwner()),
  "POST /api/v1/workspaces/{workspaceId}/leave last_owner": async (operation) =>
    send(operation, await ofLastOwner()),
  "DELETE /api/v1/me sole_owner": async (operation) => send(operation, await ofLastOwner()),
  "POST /api/auth/provider provider_unavailable": async (operation) => {
    const { deps } = stage.openPeople({ fetch: () => Promise.reject(new TypeError("unreachable")) });
    return send(operation, { app: stage.appWith({}, { people: deps }) });
  },
  "POST /api/auth/provider provider_refused": async (operation) => {
    const { deps } = stage.openPeople({
      fetch: async () => Response.json({ issuer: "https://another.example" }),
    });
    return send(operation, { app: stage.appWith({}, { people: deps }) });
  },
  "GET /api/metrics metrics_token_wrong": (operation) => send(operation, { key: "another token" }),
  "GET /api/metrics internal_error": (operation) =>
    send(operation, {
      app: APPS.failing,
      key: METRICS_TOKEN,
    }),
  "GET /api/metrics database_unavailable": (operation) => {
    stage.endpoint.setFault(() => ({ kind: "reset" }));
    return send(operation, { key: METRICS_TOKEN });
  },
  "POST /api/v1/keys/{keyId}/rotate idempotency_secret": async (operation) => {
    const headers = { "idempotency-key": `rotated-${made}` };
    await send(operation, { headers });
    return send(operation, { headers });
  },
  "POST /api/v1/webhooks idempotency_secret": async (operation) => {
    const own = { key: await stage.addKey(await stage.addWorkspace(), ["admin"]), person: null };
    const headers = { "idempotency-key": `webhook-${made}` };
    await send(operation, { headers, ...own });
    return send(operation, { headers, ...own });
  },
  "POST /api/v1/webhooks/{webhookId}/rotate idempotency_secret": async (operation) => {
    const headers = { "idempotency-key": `webhook-rotated-${made}` };
    const ids = await stage.addObjects(workspace);
    await send(operation, { headers, ids });
    return send(operation, { headers, ids });
  },
  "POST /api/v1/webhooks too_many_webhooks": async (operation) => {
    const crowded = await stage.addWorkspace();
    await stage.client.query(
      `INSERT INTO webhook_endpoints (id, workspace_id, url, events, mode, classes, secret)
       SELECT gen_random_uuid(), $1, 'https://hooks.example.com/', '{click}', 'each', '{human}', '' FROM generate_series(1, 50)`,
      [crowded.id],
    );
    return send(operation, { key: await stage.addKey(crowded, ["admin"]), person: null });
  },
  "POST /api/v1/webhooks/{webhookId}/replay webhook_disabled": async (operation) => {
    const ids = await stage.addObjects(workspace);
    await stage.client.query("UPDATE webhook_endpoints SET off_since = now() WHERE workspace_id = $1", [
      workspace.id,
    ]);
    return send(operation, { ids });
  },
  "POST /api/v1/keys idempotency_secret": async (operation) => {
    const headers = { "idempotency-key": `secret-${made}` };
    await send(operation, { headers });
    return send(operation, { headers });
  },
};

async function send(operation: DocumentedOperation, variation: Partial<Variation> = {}): Promise<Response> {
  const response = await sendOperation(operation, { app: stage.app, key: admin, person, ids, ...variation });
  if (response.ok) {
    unused = null;
  }
  return response;
}

/** Where only people may call, in the same workspace: another one is workspace_not_found. */
function idsOfAnother({ scope, roles }: DocumentedOperation): Ids {
  if (roles.includes("operator")) {
    return {
      workspaceId: "ws_0198f3c2a1b27c3d8e4f5a6b7c8d0000",
      domainId: "dom_0198f3c2a1b27c3d8e4f5a6b7c8d0000",
    };
  }
  return scope === null ? { ...theirs, workspaceId: toPublicId("ws", workspace.id) } : theirs;
}

function sendAsPerson(operation: DocumentedOperation, cookie: string, headers: Ids = {}) {
  return send(operation, { key: null, headers: { cookie, origin: APP_ORIGIN, ...headers } });
}

async function write(method: string, path: string, body?: object): Promise<void> {
  const headers = { authorization: `Bearer ${admin}`, "content-type": "application/json" };
  const request = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await stage.app.request(`/api/v1/${path}`, request);
  expect([path, response.ok]).toEqual([path, true]);
  unused = null;
}

function ofLimitedNetwork() {
  return { app: APPS.ofLimitedNetwork, headers: { "cf-connecting-ip": "192.0.2.1" } };
}

/** The token of a new invitation to the workspace. */
async function inviteTo(email: string): Promise<string> {
  const id = newEntityId();
  await stage.client.query(
    "INSERT INTO invitations (id, workspace_id, email, role, expires_at, inviter_id) VALUES ($1, $2, $3, 'viewer', now() + interval '1 day', $4)",
    [id, workspace.id, email, (await stage.addPerson(workspace, "admin")).personId],
  );
  return toInvitationToken(id, stage.people.deps.settings.secrets[0]);
}

/** Of somebody with a single way to sign in, where no emails are sent. */
async function sendAboutLastMethod(operation: DocumentedOperation): Promise<Response> {
  const { cookie, personId } = await stage.addPerson(null, "viewer");
  const table = operation.path.includes("passkeys") ? "passkeys" : "accounts";
  const id = ids[table === "passkeys" ? "passkeyId" : "accountId"];
  await stage.client.query(`UPDATE ${table} SET person_id = $1 WHERE id = $2`, [personId, toUuid(id)]);
  const { deps } = stage.openPeople({ sendEmail: null });
  return send(operation, { app: stage.appWith({}, { people: deps }), person: cookie });
}

/** A workspace with one owner, who asks about themselves. */
async function ofLastOwner() {
  const own = await stage.addWorkspace();
  const { cookie, memberId } = await stage.addPerson(own, "owner");
  return {
    person: cookie,
    ids: { workspaceId: toPublicId("ws", own.id), memberId: toPublicId("mem", memberId) },
  };
}

/** A database in which every statement and every batch ends like this. */
function answeringWith(answer: () => Promise<unknown>): Stage["database"] {
  const client: unknown = Object.assign(answer, { query: answer, transaction: answer });
  return Object.assign(
    Object.create(stage.database),
    drizzle({ client: client as NeonQueryFunction<false, false> }),
  );
}

function brokenWith(error: Error): Stage["database"] {
  return answeringWith(() => {
    const rejection = Promise.reject(error);
    // The statements of a batch are made first, and nobody awaits them.
    rejection.catch(() => undefined);
    return rejection;
  });
}

async function slugOf(linkId: string | undefined): Promise<string> {
  const { rows } = await stage.client.query<{ slug: string }>("SELECT slug FROM links WHERE id = $1", [
    toUuid(linkId),
  ]);
  return rows[0]?.slug ?? "";
}

async function nameLink(linkId: string | undefined): Promise<string> {
  const externalId = `name-of-${linkId}`;
  await stage.client.query("UPDATE links SET external_id = $2 WHERE id = $1", [toUuid(linkId), externalId]);
  return externalId;
}

/** In a workspace whose domain has lost its proof. */
async function sendAsLoser(operation: DocumentedOperation) {
  const loser = await stage.addWorkspace();
  const ofLoser = await stage.addObjects(loser);
  await stage.client.query("UPDATE domains SET proof = 'pending' WHERE id = $1", [loser.domainId]);
  return send(operation, { ids: ofLoser, key: await stage.addKey(loser, ["admin"]) });
}
