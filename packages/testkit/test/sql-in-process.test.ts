/** What a statement gets without a socket is what it gets with one. */
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";

import { createScratchDatabase, type ScratchDatabase } from "../src/postgres/scratch-database.ts";
import { fetchInProcess } from "../src/sql-endpoint/in-process.ts";
import { type SqlEndpoint, startSqlEndpoint } from "../src/sql-endpoint/sql-endpoint.ts";
import { queryOnce } from "./query-once.ts";
import { waitUntil } from "./wait-until.ts";

let database: ScratchDatabase;
let endpoint: SqlEndpoint;

beforeAll(async () => {
  database = await createScratchDatabase(process.env["DATABASE_URL"] ?? "");
  endpoint = await startSqlEndpoint({ databaseUrl: database.url, maxBytes: 10_000 });
});
afterAll(async () => {
  await endpoint.stop();
  await database.drop();
});

const post = (way: typeof fetch, body: string, init: RequestInit = {}) =>
  way(endpoint.url, {
    method: "POST",
    body,
    headers: { "Neon-Connection-String": "postgresql://nobody@nowhere.invalid/x" },
    ...init,
  });

async function describeAnswer(answer: Response) {
  return [answer.status, answer.headers.get("content-type"), await answer.text()];
}

it.each([
  ["a statement", { query: "SELECT $1::int + 1 AS n, 'ü' AS text", params: [1] }],
  ["a transaction", { queries: [{ query: "SELECT 1 AS a" }, { query: "SELECT 2 AS b WHERE false" }] }],
  ["a refused statement", { query: "SELECT 1/0" }],
  ["a body out of form", { params: [] }],
  ["an answer beyond the limit", { query: "SELECT repeat('x', 10000)" }],
])("%s is answered alike", async (_what, body) => {
  const text = JSON.stringify(body);
  const [inProcess, overNetwork] = [await post(fetchInProcess, text), await post(fetch, text)];
  expect(await describeAnswer(inProcess)).toEqual(await describeAnswer(overNetwork));
});

it("an aborted statement is cancelled in the database", async () => {
  const countRunning = async () => {
    const running = `SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%in_process%' AND pid <> pg_backend_pid()`;
    return (await queryOnce(database.url, running)).length;
  };
  const abort = new AbortController();
  const body = JSON.stringify({ query: "SELECT pg_sleep(600) AS in_process" });
  const failed = post(fetchInProcess, body, { signal: abort.signal }).catch((error: unknown) => error);
  await waitUntil("it runs", async () => (await countRunning()) === 1);
  abort.abort();
  expect(await failed).toMatchObject({ name: "AbortError" });
  await waitUntil("it is cancelled", async () => (await countRunning()) === 0);
  await expect(post(fetchInProcess, body, { signal: abort.signal })).rejects.toMatchObject({
    name: "AbortError",
  });
});

it("takes the socket while there are faults, and finds nothing there once the endpoint has stopped", async () => {
  const body = JSON.stringify({ query: "SELECT 1" });
  endpoint.setFault(() => ({ kind: "reset" }));
  onTestFinished(() => endpoint.setFault(null));
  await expect(post(fetchInProcess, body)).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
  endpoint.setFault(null);
  expect((await post(fetchInProcess, body)).status).toBe(200);
  const other = await startSqlEndpoint({ databaseUrl: database.url });
  await other.stop();
  await expect(fetchInProcess(other.url, { method: "POST", body })).rejects.toMatchObject({
    cause: { code: "ECONNREFUSED" },
  });
});
