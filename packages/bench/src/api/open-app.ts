/** The API itself, in this process, for sections that time its answers. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import { openDatabase } from "@hopline/api/database";
import { type ApiApp, createApp } from "@hopline/api/app";
import { newEntityId } from "@hopline/api/http/entity-id";
import { hashApiKey, type Scope } from "@hopline/api/http/api-key";
import { LIVE_SETTINGS } from "@hopline/api/live/stream-clicks";
import { createKvBudget } from "@hopline/api/publishing/kv-budget";
import { createPublisher } from "@hopline/api/publishing/publish-changes";
import pg, { type Client } from "pg";

import { createFakeEdge } from "../../../../workers/api/test/publishing/fake-edge.ts";

/** Its edge is two maps, and nothing limits its requests. */
export function openApp(databaseUrl: string, sqlEndpoint: string): ApiApp {
  const edge = createFakeEdge();
  const database = openDatabase({ databaseUrl, sqlEndpoint });
  const log = () => undefined;
  return createApp({
    database,
    publisher: createPublisher({
      database,
      kv: edge.kv,
      feed: edge.feed,
      wakeUps: edge.wakeUps,
      budget: createKvBudget(0, database),
      newLeaseId: newEntityId,
      leaseSeconds: 15,
      log,
    }),
    kv: edge.kv,
    feed: edge.feed,
    networkLimits: { failedKeys: undefined, anonymous: undefined },
    appSchemes: new Set(),
    vouchedSuffixes: [],
    customHostnames: null,
    lookUpTexts: () => Promise.reject(new Error("the bench proves no host")),
    nowMs: Date.now,
    randomBytes: (count) => new Uint8Array(randomBytes(count)),
    log,
    access: { requestsPerMinute: 1_000_000, corsOrigins: [], verifySession: null },
    metricsToken: "",
    assets: { fetch: () => Promise.reject(new Error("the bench asks for no page")) },
    live: LIVE_SETTINGS,
    wait: (ms) => sleep(ms),
  });
}

/** The key. */
export async function addKey(client: Client, workspaceId: string, scope: Scope): Promise<string> {
  const secret = `hop_${randomBytes(16).toString("hex")}`;
  await client.query(
    `INSERT INTO api_keys (id, workspace_id, name, prefix, key_hash, scopes)
     VALUES ($1, $2, 'bench', 'hop_', decode($3, 'hex'), $4)`,
    [newEntityId(), workspaceId, await hashApiKey(secret), [scope]],
  );
  return secret;
}

export async function withClient<T>(databaseUrl: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
