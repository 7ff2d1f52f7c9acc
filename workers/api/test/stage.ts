/**
 * The API over a real Postgres: a scratch database with the migrations applied, the /sql endpoint in front of it, the
 * application on top. The edge is two maps; publishing can be made to fail.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { encodeLinkRecord } from "@hopline/core/link/link-record";
import type { StoredBound } from "@hopline/db/links/bounds";
import { asRole } from "@hopline/testkit/postgres/worker-roles";
import { type DatabaseServer, openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { startSqlEndpoint } from "@hopline/testkit/sql-endpoint/sql-endpoint";
import pg from "pg";
import type { ApiDeps, AppSchemes, LiveSettings } from "../src/api-deps.ts";
import type { AccessSettings } from "../src/http/access-settings.ts";
import { holdToDocument } from "./http/hold-to-document.ts";
import { addPerson, createPeople, type PeopleChange } from "./people/people-stage.ts";
import { proofRecordOf } from "../src/domains/proof.ts";
import { createFakeDns } from "./domains/fake-dns.ts";
import { aPng } from "./qr/a-png.ts";
import { createFakeEdge } from "./publishing/fake-edge.ts";
import type { Role } from "../src/http/roles.ts";
import { hashApiKey, type Scope } from "../src/http/api-key.ts";
import { type ApiApp, createApp } from "../src/app.ts";
import { newEntityId, toPublicId } from "../src/http/entity-id.ts";

import { createSecretSeal } from "../src/webhooks/sealed-secrets.ts";
import { createTurns } from "../src/in-turn.ts";
import { LIVE_SETTINGS } from "../src/live/stream-clicks.ts";
import type { LogEvent } from "../src/log.ts";
import { createKvBudget } from "../src/publishing/kv-budget.ts";
import { createPublisher, type PublisherDeps } from "../src/publishing/publish-changes.ts";
import { openDatabase } from "../src/database.ts";

const NO_APPS: AppSchemes = new Set();
/** Hosts that tests add without proof. */
const VOUCHED = ["example.com", "example"];
export const WEBHOOK_SEAL_KEY = Buffer.alloc(32, 7).toString("base64");
export const METRICS_TOKEN = "metrics-token-of-the-tests-0123456789";

/** Bounds against hanging, in place of 5 s and 4 s: on a busy machine a statement may take longer than those. */
export const PATIENT = { statementTimeoutMs: 30_000, analyticsTimeoutMs: 20_000 };

export type Workspace = { readonly id: string; readonly host: string; readonly domainId: string };

export type StageOptions = {
  readonly clickHouseUrl?: string;
  /** In place of the test run's: one that the test may stop. */
  readonly server?: Pick<DatabaseServer, "createMigratedDatabase" | "stop">;
};

export async function openStage({ server: given, ...options }: StageOptions = {}) {
  const server = given ?? (await openDatabaseServer());
  const scratch = await server.createMigratedDatabase();
  const endpoint = await startSqlEndpoint({ databaseUrl: scratch.url });
  const client = new pg.Client({ connectionString: scratch.url });
  // Of a server that is stopped.
  client.on("error", () => undefined);
  await client.connect();
  const log: LogEvent[] = [];
  /** Workspaces whose changes may concern a webhook. */
  const wakeUps: (string | null)[] = [];
  const background: Promise<unknown>[] = [];
  let announcements = 0;
  const edge = createFakeEdge();
  const dns = createFakeDns();
  const openAnotherDatabase = (settings: { readonly analyticsTimeoutMs?: number } = {}) =>
    openDatabase({
      databaseUrl: asRole("hopline_api"),
      sqlEndpoint: endpoint.url,
      ...PATIENT,
      ...options,
      ...settings,
    });
  const database = openAnotherDatabase();
  const openPublisher = (change: Partial<PublisherDeps> = {}) =>
    createPublisher({
      database,
      kv: edge.kv,
      feed: edge.feed,
      wakeUps: edge.wakeUps,
      budget: createKvBudget(0, database),
      newLeaseId: randomUUID,
      leaseSeconds: 15,
      log: (event) => log.push(event),
      ...change,
    });
  const publisher = openPublisher();
  const openPeople = (change: PeopleChange = {}) =>
    createPeople(change, { database, publisher, log: (event) => log.push(event) });
  const people = openPeople();
  const turns = createTurns({ nowMs: Date.now, wait: (ms) => sleep(ms) });
  // Streams end at once, after one poll, so that tests over all operations get an answer.
  const createStageApp = (access: Partial<AccessSettings> = {}, deps: Partial<ApiDeps> = {}): ApiApp =>
    holdToDocument(
      createApp({
        appSchemes: NO_APPS,
        vouchedSuffixes: VOUCHED,
        lookUpTexts: dns.lookUpTexts,
        pointing: { target: "origin.hopline.example", lookUpHost: dns.lookUpHost },
        customHostnames: null,
        people: people.deps,
        webhooks: {
          fetch: () => Promise.reject(new Error("No receiver is there.")),
          urlRules: { isLocal: false },
          secretSeal: () => createSecretSeal(WEBHOOK_SEAL_KEY),
          wakeUp: (workspaceId) => wakeUps.push(workspaceId),
        },
        metricsToken: METRICS_TOKEN,
        faults: [],
        listAlerts: async () => ["DeadLettersWait"],
        live: { ...LIVE_SETTINGS, maxStreamMs: 0 },
        assets: { fetch: async () => new Response("script", { headers: { etag: '"1"' } }) },
        wait: (ms) => sleep(ms),
        turns,
        waitUntil: (promise) => background.push(promise),
        clock: { announce: async () => void (announcements += 1) },
        database,
        publisher,
        kv: edge.kv,
        feed: edge.feed,
        networkLimits: { failedKeys: undefined, anonymous: undefined },
        nowMs: Date.now,
        randomBytes: (count) => new Uint8Array(randomBytes(count)),
        log: (event) => log.push(event),
        access: { requestsPerMinute: 1_000_000, corsOrigins: [], verifySession: null, ...access },
        ...deps,
      }),
    );
  return {
    app: createStageApp(),
    /** The same API over the same database with other settings, like another isolate. */
    appWith: createStageApp,
    appWithoutMetrics: () => createStageApp({}, { metricsToken: "" }),
    /** With streams of a given length. */
    appWithStreams: (live: LiveSettings) => createStageApp({}, { live }),
    client,
    endpoint,
    databaseUrl: scratch.url,
    database,
    turns,
    openAnotherDatabase,
    publisher,
    people,
    /** Other settings, over the same database. */
    openPeople,
    appSchemes: NO_APPS,
    /** Another publisher, like in another process. */
    openPublisher,
    edge,
    dns,
    log,
    wakeUps,
    /** What went on behind responses. */
    background,
    /** How often the clock of the jobs was told that work may have been made. */
    countAnnouncements: () => announcements,
    addWorkspace: () => addWorkspace(client),
    /** Its TXT record is in DNS already. */
    async addPendingDomain(workspace: Workspace, host = `${newEntityId()}.example.org`) {
      const id = newEntityId();
      const { rows } = await client.query<{ proof_token: string }>(
        "INSERT INTO domains (id, workspace_id, host) VALUES ($1, $2, $3) RETURNING proof_token",
        [id, workspace.id, host],
      );
      const record = proofRecordOf({ host, proofToken: rows[0]?.proof_token ?? "" });
      dns.texts.set(record.name, [...(dns.texts.get(record.name) ?? []), record.value]);
      return { domainId: toPublicId("dom", id), host };
    },
    addKey: (workspace: Workspace, scopes: readonly Scope[], change: KeyChange = {}) =>
      addKey(client, workspace, { scopes, ...change }),
    /** Their cookie, also with the name of the workspace as the dashboard sends both, and their ids. */
    async addPerson(workspace: Workspace | null, role: Role, { isOperator = false } = {}) {
      const membership = workspace && { workspaceId: workspace.id, role };
      const person = await addPerson(client, membership, isOperator);
      const cookie = people.toCookie(person.token);
      const inWorkspace = workspace && { "hopline-workspace": toPublicId("ws", workspace.id) };
      return { ...person, cookie, headers: { cookie, ...inWorkspace } };
    },
    addObjects: (workspace: Workspace) => addObjects(client, workspace),
    async close(): Promise<void> {
      await client.end();
      await endpoint.stop();
      await scratch.drop();
      await server.stop();
    },
  };
}

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** One object of every kind, by the name of the path's parameter. */
async function addObjects(
  client: pg.Client,
  workspace: Workspace,
): Promise<{ readonly [parameter: string]: string }> {
  const linkId = newEntityId();
  const record = encodeLinkRecord({
    linkId,
    state: "live",
    url: "https://example.com/",
    redirectStatus: 302,
  });
  await client.query(
    "INSERT INTO links (id, workspace_id, domain_id, slug, url, record) VALUES ($1, $2, $3, $4, $5, $6)",
    [linkId, workspace.id, workspace.domainId, linkId.slice(-12), "https://example.com/", record],
  );
  const alias = `alias-${linkId.slice(-12)}`;
  await client.query(
    "INSERT INTO addresses (host, slug, version, link_id, record) VALUES ($1, $2, 1, $3, in_version($4, 1))",
    [workspace.host, alias, linkId, record],
  );
  const keyId = newEntityId();
  await client.query(
    `INSERT INTO api_keys (id, workspace_id, name, prefix, key_hash, scopes)
     VALUES ($1, $2, 'An object', 'hop_', sha256(convert_to('${keyId}', 'UTF8')), '{links:read}')`,
    [keyId, workspace.id],
  );
  const domainId = newEntityId();
  await client.query("INSERT INTO domains (id, workspace_id, host, proof) VALUES ($1, $2, $3, 'vouched')", [
    domainId,
    workspace.id,
    `${domainId}.example.com`,
  ]);
  await client.query(
    "INSERT INTO domain_logos (domain_id, workspace_id, png, width, height) VALUES ($1, $2, $3, 3, 3)",
    [domainId, workspace.id, aPng(3, 3)],
  );
  const folderId = newEntityId();
  await client.query("INSERT INTO folders (id, workspace_id, name) VALUES ($1, $2, $3)", [
    folderId,
    workspace.id,
    `Folder ${folderId}`,
  ]);
  const webhookId = newEntityId();
  await client.query(
    `WITH endpoint AS (
       INSERT INTO webhook_endpoints (id, workspace_id, url, events, mode, classes, secret)
       VALUES ('${webhookId}', $1, 'https://hooks.example.com/', '{click}', 'batch', '{human}', $2) RETURNING id
     ),
     totals AS (INSERT INTO webhook_totals (endpoint_id) SELECT id FROM endpoint)
     INSERT INTO webhook_deliveries (endpoint_id, type, data, state, give_up_at)
     SELECT id, 'webhook.disabled', '{"webhookId":"","reason":"gone"}', 'given-up', now() FROM endpoint, generate_series(1, 2)`,
    [workspace.id, await (await createSecretSeal(WEBHOOK_SEAL_KEY)).seal(`whsec_${WEBHOOK_SEAL_KEY}`)],
  );
  const [personId, memberId, sessionId, invitationId, passkeyId, accountId] = [
    newEntityId(),
    newEntityId(),
    newEntityId(),
    newEntityId(),
    newEntityId(),
    newEntityId(),
  ];
  await client.query(
    `WITH person AS (
       INSERT INTO people (id, name, email) VALUES ('${personId}', 'An object', '${personId}@example.com')
     ),
     account AS (
       INSERT INTO accounts (id, person_id, provider_id, account_id)
       VALUES ('${accountId}', '${personId}', 'https://accounts.google.com', '${accountId}')
     ),
     passkey AS (
       INSERT INTO passkeys (id, person_id, name, credential_id, public_key, counter, transports, is_synced)
       VALUES ('${passkeyId}', '${personId}', 'An object', '${passkeyId}', '', 0, '{}', false)
     ),
     session AS (
       INSERT INTO sessions (id, person_id, token, expires_at)
       VALUES ('${sessionId}', '${personId}', '${sessionId}', now() + interval '1 day')
     ),
     member AS (
       INSERT INTO members (id, workspace_id, person_id, role) VALUES ('${memberId}', $1, '${personId}', 'viewer')
     )
     INSERT INTO invitations (id, workspace_id, email, role, expires_at)
     VALUES ('${invitationId}', $1, '${invitationId}@example.com', 'viewer', now() + interval '1 day')`,
    [workspace.id],
  );
  const tag = `tag-${folderId}`;
  await client.query("INSERT INTO tags (id, workspace_id, name) VALUES ($1, $2, $3)", [
    folderId,
    workspace.id,
    tag,
  ]);
  return {
    webhookId: toPublicId("whk", webhookId),
    tag,
    folderId: toPublicId("fld", folderId),
    memberId: toPublicId("mem", memberId),
    sessionId: toPublicId("ses", sessionId),
    passkeyId: toPublicId("psk", passkeyId),
    accountId: toPublicId("acc", accountId),
    invitationId: toPublicId("inv", invitationId),
    linkId: toPublicId("lnk", linkId),
    alias,
    host: workspace.host,
    slug: linkId.slice(-12),
    keyId: toPublicId("key", keyId),
    domainId: toPublicId("dom", domainId),
    workspaceId: toPublicId("ws", workspace.id),
  };
}

type KeyChange = {
  readonly expiresAt?: string;
  readonly revokedAt?: string;
  readonly bounds?: StoredBound;
};

async function addWorkspace(client: pg.Client): Promise<Workspace> {
  const id = newEntityId();
  const domainId = newEntityId();
  const host = `${id.slice(-12)}.example.com`;
  await client.query("INSERT INTO workspaces (id, name) VALUES ($1, 'Test')", [id]);
  await client.query("INSERT INTO domains (id, workspace_id, host, proof) VALUES ($1, $2, $3, 'vouched')", [
    domainId,
    id,
    host,
  ]);
  return { id, host, domainId };
}

async function addKey(
  client: pg.Client,
  workspace: Workspace,
  key: KeyChange & { readonly scopes: readonly Scope[] },
): Promise<string> {
  const secret = `hop_${randomBytes(16).toString("hex")}`;
  await client.query(
    `INSERT INTO api_keys (id, workspace_id, name, prefix, key_hash, scopes, expires_at, revoked_at, bounds, last_used_at)
     VALUES ($1, $2, 'Test', $3, decode($4, 'hex'), $5, $6, $7, $8, now())`,
    [
      newEntityId(),
      workspace.id,
      secret.slice(0, 8),
      await hashApiKey(secret),
      key.scopes,
      key.expiresAt ?? null,
      key.revokedAt ?? null,
      key.bounds ?? null,
    ],
  );
  return secret;
}
