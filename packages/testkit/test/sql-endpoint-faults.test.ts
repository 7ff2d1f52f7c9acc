/** Every fault that a chaos test can order, as the driver meets it. */
import { neon, neonConfig, NeonDbError } from "@neondatabase/serverless";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";

import { createScratchDatabase, type ScratchDatabase } from "../src/postgres/scratch-database.ts";
import { startPostgres } from "../src/postgres/postgres-server.ts";
import { type SqlEndpoint, startSqlEndpoint } from "../src/sql-endpoint/sql-endpoint.ts";
import type { SqlFaultRequest } from "../src/sql-endpoint/sql-fault.ts";
import { queryOnce } from "./query-once.ts";
import { waitUntil } from "./wait-until.ts";

const sql = neon("postgresql://someone@nowhere.invalid/elsewhere");

let database: ScratchDatabase;
let endpoint: SqlEndpoint;

beforeAll(async () => {
  database = await createScratchDatabase(process.env["DATABASE_URL"] ?? "");
  endpoint = await startSqlEndpoint({ databaseUrl: database.url });
  neonConfig.fetchEndpoint = () => endpoint.url;
  await sql`CREATE TABLE click (n integer PRIMARY KEY)`;
});
beforeEach(() => queryOnce(database.url, "TRUNCATE click"));
afterEach(() => endpoint.setFault(null));
afterAll(async () => {
  await endpoint.stop();
  await database.drop();
});

const insert = (n: number) => sql`INSERT INTO click VALUES (${n})`;
const stored = async () =>
  (await queryOnce(database.url, "SELECT n FROM click ORDER BY n")).map((row) => row["n"]);

it("a status is answered without executing", async () => {
  endpoint.setFault(() => ({ kind: "status", status: 503, message: "compute is asleep" }));
  await expect(insert(1)).rejects.toThrow(/HTTP status 503.*compute is asleep/);
  expect(await stored()).toEqual([]);
});

it("a reset loses the request before it is executed", async () => {
  endpoint.setFault(() => ({ kind: "reset" }));
  const error: unknown = await insert(1).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(NeonDbError);
  expect(error).toHaveProperty("sourceError");
  expect(await stored()).toEqual([]);
});

it("an answer can be lost after the commit", async () => {
  endpoint.setFault(() => ({ kind: "execute-then-reset" }));
  await expect(insert(1)).rejects.toThrow(/Error connecting to database/);
  expect(await stored()).toEqual([1]);
});

it("a hanging request goes on when the fault is cleared", async () => {
  let seen = 0;
  endpoint.setFault(() => {
    seen += 1;
    return { kind: "hang" };
  });
  const hanging = insert(1).then(() => "done");
  await waitUntil("the request hangs", () => seen === 1);
  expect(await stored()).toEqual([]);
  endpoint.setFault(null);
  await expect(hanging).resolves.toBe("done");
  expect(await stored()).toEqual([1]);
});

it("a hanging request that its client gave up is never executed", async () => {
  endpoint.setFault(({ statements }) => (statements[0]?.params[0] === "1" ? { kind: "hang" } : null));
  const fetchOptions = { signal: AbortSignal.timeout(50) };
  const lost = sql.query("INSERT INTO click VALUES ($1)", [1], { fetchOptions });
  await expect(lost).rejects.toMatchObject({ sourceError: { name: "TimeoutError" } });
  // Later requests are served after the endpoint has seen the connection close: it happened before they were sent.
  for (const n of [2, 3, 4]) {
    await insert(n);
  }
  endpoint.setFault(null);
  await insert(5);
  expect(await stored()).toEqual([2, 3, 4, 5]);
});

it("a hanging request is refused, not executed, when the endpoint stops", async () => {
  const own = await startSqlEndpoint({ databaseUrl: database.url });
  let seen = 0;
  own.setFault(() => {
    seen += 1;
    return { kind: "hang" };
  });
  const headers = { "Neon-Connection-String": "x" };
  const response = fetch(own.url, {
    method: "POST",
    body: '{"query":"INSERT INTO click VALUES (1)"}',
    headers,
  });
  await waitUntil("the request hangs", () => seen === 1);
  await own.stop();
  expect((await response).status).toBe(503);
  expect(await stored()).toEqual([]);
});

it("a delayed request is executed after the delay", async () => {
  endpoint.setFault(() => ({ kind: "delay", delayMs: 20 }));
  await insert(1);
  expect(await stored()).toEqual([1]);
});

it("a decision sees statements, kind and number, and hits only the request it means", async () => {
  const seen: SqlFaultRequest[] = [];
  endpoint.setFault((request) => {
    seen.push(request);
    return request.statements.some(({ params }) => params[0] === "2") ? { kind: "reset" } : null;
  });
  await insert(1);
  await expect(insert(2)).rejects.toThrow(/Error connecting/);
  await sql.transaction([insert(3), insert(4)]);
  expect(await stored()).toEqual([1, 3, 4]);
  const first = seen[0]?.number ?? 0;
  expect(seen).toEqual([
    { number: first, statements: [expect.objectContaining({ params: ["1"] })], isTransaction: false },
    { number: first + 1, statements: [expect.objectContaining({ params: ["2"] })], isTransaction: false },
    { number: first + 2, statements: [expect.anything(), expect.anything()], isTransaction: true },
  ]);
});

it("a database that crashes and comes back is an error in between and nothing afterwards", async () => {
  const postgres = await startPostgres();
  const own = await startSqlEndpoint({ databaseUrl: postgres.url });
  const ask = (query: string) =>
    fetch(own.url, {
      method: "POST",
      body: JSON.stringify({ query }),
      headers: { "Neon-Connection-String": "x" },
    });
  await ask("CREATE TABLE kept AS SELECT 1 AS n");
  const running = ask("SELECT pg_sleep(600) AS lost_one");
  const count =
    "SELECT count(*)::int AS n FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%lost_one%'";
  await waitUntil("it runs", async () => (await queryOnce(postgres.url, count))[0]?.["n"] === 2);
  await postgres.halt("fast");
  // What Neon answers too: the statement's error is a 400 also where the connection was lost under it.
  const lost = await running;
  expect([lost.status, await lost.json()]).toMatchObject([400, { code: "57P01", severity: "FATAL" }]);
  const refused = await ask("SELECT 1");
  expect([refused.status, await refused.json()]).toMatchObject([500, { code: "" }]);
  await postgres.start();
  expect(await (await ask("SELECT n FROM kept")).json()).toMatchObject({ rows: [["1"]] });
  await own.stop();
  await postgres.stop();
});
