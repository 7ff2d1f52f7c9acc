/**
 * The API over a real Postgres: a scratch database with the migrations applied, the /sql endpoint in front of it, the
 * application on top. The edge is two maps; publishing can be made to fail.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { migrate } from "@hopline/local/migrate";
import { openDatabaseServer } from "@hopline/local/database-server";
import { startSqlEndpoint } from "@hopline/local/sql-endpoint";
import pg from "pg";
import type { ApiApp } from "../src/api-context.ts";
import { createFakeEdge } from "./fake-edge.ts";
import { hashApiKey, type Scope } from "../src/api-key.ts";
import { createApp } from "../src/app.ts";
import { newEntityId } from "../src/entity-id.ts";
import type { LogEvent } from "../src/log.ts";
import { createPublisher, type PublisherDeps } from "../src/publishing/publish-changes.ts";
import { openDatabase } from "../src/store/database.ts";

const MIGRATIONS = join(import.meta.dirname, "../../../migrations");

export type Workspace = { readonly id: string; readonly host: string; readonly domainId: string };

export async function openStage() {
  const server = await openDatabaseServer({
    environment: process.env,
    durable: false,
    onLog: () => undefined,
  });
  const scratch = await server.createScratchDatabase();
  await migrate(scratch.url, { directory: MIGRATIONS, onProgress: () => undefined });
  const endpoint = await startSqlEndpoint({ databaseUrl: scratch.url });
  const client = new pg.Client({ connectionString: scratch.url });
  await client.connect();
  const log: LogEvent[] = [];
  const edge = createFakeEdge();
  const database = openDatabase({ databaseUrl: scratch.url, sqlEndpoint: endpoint.url });
  const openPublisher = (change: Partial<PublisherDeps> = {}) =>
    createPublisher({
      database,
      kv: edge.kv,
      feed: edge.feed,
      newLeaseId: randomUUID,
      leaseSeconds: 15,
      log: (event) => log.push(event),
      ...change,
    });
  const publisher = openPublisher();
  const app: ApiApp = createApp({
    database,
    publisher,
    randomBytes: (count) => new Uint8Array(randomBytes(count)),
    log: (event) => log.push(event),
  });
  return {
    app,
    client,
    endpoint,
    database,
    publisher,
    /** Another publisher: another process, to all intents. */
    openPublisher,
    edge,
    log,
    addWorkspace: () => addWorkspace(client),
    addKey: (workspace: Workspace, scopes: readonly Scope[], change: KeyChange = {}) =>
      addKey(client, workspace, { scopes, ...change }),
    async close(): Promise<void> {
      await client.end();
      await endpoint.stop();
      await scratch.drop();
      await server.stop();
    },
  };
}

export type Stage = Awaited<ReturnType<typeof openStage>>;

type KeyChange = { readonly expiresAt?: string; readonly revokedAt?: string };

async function addWorkspace(client: pg.Client): Promise<Workspace> {
  const id = newEntityId();
  const domainId = newEntityId();
  const host = `${id.slice(-12)}.example.com`;
  await client.query("INSERT INTO workspaces (id, name) VALUES ($1, 'Test')", [id]);
  await client.query("INSERT INTO domains (id, workspace_id, host) VALUES ($1, $2, $3)", [
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
    `INSERT INTO api_keys (id, workspace_id, name, prefix, key_hash, scopes, expires_at, revoked_at)
     VALUES ($1, $2, 'Test', $3, decode($4, 'hex'), $5, $6, $7)`,
    [
      newEntityId(),
      workspace.id,
      secret.slice(0, 8),
      await hashApiKey(secret),
      key.scopes,
      key.expiresAt ?? null,
      key.revokedAt ?? null,
    ],
  );
  return secret;
}
