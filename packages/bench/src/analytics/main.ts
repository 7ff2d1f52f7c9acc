/**
 * The bench of the analytics: fills a scratch database and times every endpoint. Started by `pnpm bench --only
 * analytics`; progress goes to the error output, the timings to the standard output as one line of JSON.
 *
 * node packages/bench/src/analytics/main.ts CLICKS ROUNDS [PART OF A CASE'S NAME]. With BENCH_DATABASE_URL a database that is filled already is used.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { migrate } from "@hopline/testkit/postgres/migrate";
import { startSqlEndpoint } from "@hopline/testkit/sql-endpoint/sql-endpoint";
import pg from "pg";
import { hashApiKey } from "@hopline/api/keys/api-key";
import { type ApiApp, createApp } from "@hopline/api/http/app";
import { newEntityId } from "@hopline/api/http/entity-id";
import { LIVE_SETTINGS } from "@hopline/api/live/stream-clicks";
import { createPublisher } from "@hopline/api/publishing/publish-changes";
import { openDatabase } from "@hopline/api/database";
import { createFakeEdge } from "../../../../workers/api/test/publishing/fake-edge.ts";
import { checkAnswers } from "./check-answers.ts";
import { fillClicks, WORKSPACE_ID } from "./fill-clicks.ts";
import { timeEndpoints } from "./time-endpoints.ts";

const MIGRATIONS = join(import.meta.dirname, "../../../../migrations");
const [clicks = "10000000", rounds = "20", only = ""] = process.argv.slice(2);
const filled = process.env["BENCH_DATABASE_URL"];

const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

if (filled === undefined) {
  await benchScratch();
} else {
  await bench(filled);
}

async function benchScratch(): Promise<void> {
  const server = await openDatabaseServer({
    environment: process.env,
    durable: false,
    onLog: () => undefined,
  });
  const scratch = await server.createScratchDatabase();
  try {
    await migrate(scratch.url, { directory: MIGRATIONS, onProgress: () => undefined });
    const clients = [
      new pg.Client({ connectionString: scratch.url }),
      new pg.Client({ connectionString: scratch.url }),
    ] as const;
    await Promise.all(clients.map((client) => client.connect()));
    await fillClicks(clients, { clicks: Number(clicks), onStep: (what) => say(`filling: ${what}`) });
    await Promise.all(clients.map((client) => client.end()));
    await bench(scratch.url);
  } finally {
    await scratch.drop();
    await server.stop();
  }
}

async function bench(databaseUrl: string): Promise<void> {
  const endpoint = await startSqlEndpoint({ databaseUrl });
  const key = await addKey(databaseUrl);
  const app = openApp(databaseUrl, endpoint.url);
  await requireExact(databaseUrl, app, key);
  const timings = await timeEndpoints(app, {
    key,
    rounds: Number(rounds),
    only,
    onCase: ({ name, status, medianMs, p95Ms }) =>
      say(`${name}: ${status === 200 ? `${medianMs.toFixed(0)} ms, p95 ${p95Ms.toFixed(0)}` : status}`),
  });
  await endpoint.stop();
  process.stdout.write(`${JSON.stringify(timings)}\n`);
}

async function requireExact(databaseUrl: string, app: ApiApp, key: string): Promise<void> {
  say("checking the answers");
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await checkAnswers(client, async (path, parameters) => {
    const url = `/api/v1/analytics/${path}?${new URLSearchParams(parameters).toString()}`;
    const response = await app.request(url, { headers: { authorization: `Bearer ${key}` } });
    return response.status === 200 ? response.json() : {};
  });
  await client.end();
}

function openApp(databaseUrl: string, sqlEndpoint: string) {
  const edge = createFakeEdge();
  const database = openDatabase({ databaseUrl, sqlEndpoint });
  const log = () => undefined;
  return createApp({
    database,
    publisher: createPublisher({
      database,
      kv: edge.kv,
      feed: edge.feed,
      newLeaseId: newEntityId,
      leaseSeconds: 15,
      log,
    }),
    kv: edge.kv,
    feed: edge.feed,
    appSchemes: new Set(),
    nowMs: Date.now,
    randomBytes: (count) => new Uint8Array(randomBytes(count)),
    log,
    access: { requestsPerMinute: 1_000_000, corsOrigins: [], verifySession: null },
    metricsToken: "",
    live: LIVE_SETTINGS,
    assets: { fetch: () => Promise.resolve(new Response(null, { status: 404 })) },
    wait: (ms) => sleep(ms),
  });
}

async function addKey(databaseUrl: string): Promise<string> {
  const secret = `hop_${randomBytes(16).toString("hex")}`;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `INSERT INTO api_keys (id, workspace_id, name, prefix, key_hash, scopes)
     VALUES ($1, $2, 'bench', 'hop_', decode($3, 'hex'), '{analytics:read}')`,
    [newEntityId(), WORKSPACE_ID, await hashApiKey(secret)],
  );
  await client.end();
  return secret;
}
