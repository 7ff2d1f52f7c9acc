/** The contract with @neondatabase/serverless: the real driver, over the real endpoint, over a real Postgres. */
import { neon, neonConfig, NeonDbError } from "@neondatabase/serverless";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";

import {
  createScratchDatabase,
  type ScratchDatabase,
  TEMPLATE_VARIABLE,
} from "../src/postgres/scratch-database.ts";
import { type SqlEndpoint, startSqlEndpoint } from "../src/sql-endpoint/sql-endpoint.ts";
import { queryOnce } from "./query-once.ts";
import { waitUntil } from "./wait-until.ts";

/** Names a host that does not exist: the endpoint talks to its own database only. */
const sql = neon("postgresql://someone:sekret@nowhere.invalid/elsewhere");

let database: ScratchDatabase;
let endpoint: SqlEndpoint;

beforeAll(async () => {
  database = await createScratchDatabase(process.env["DATABASE_URL"] ?? "");
  endpoint = await startSqlEndpoint({ databaseUrl: database.url, maxBytes: 1024 * 1024 });
  neonConfig.fetchEndpoint = () => endpoint.url;
  await sql`CREATE TABLE account (
    id integer PRIMARY KEY, email text CONSTRAINT account_email_key UNIQUE, balance integer CHECK (balance >= 0))`;
});

afterAll(async () => {
  await endpoint.stop();
  await database.drop();
});

async function failureOf(query: Promise<unknown>): Promise<NeonDbError> {
  const error: unknown = await query.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof NeonDbError) {
    return error;
  }
  throw new Error("expected a NeonDbError");
}

/** What a client other than the driver sends. */
function post(body: string, headers: Record<string, string> = {}): Promise<Response> {
  const always = { "Neon-Connection-String": "postgresql://nobody@nowhere.invalid/x" };
  return fetch(endpoint.url, { method: "POST", body, headers: { ...always, ...headers } });
}

/** How many backends are busy with a statement that contains the mark. */
async function countRunning(mark: string): Promise<number> {
  const rows = await queryOnce(
    database.url,
    `SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE state = 'active' AND query LIKE '%${mark}%' AND pid <> pg_backend_pid()`,
  );
  return Number(rows[0]?.["n"]);
}

it("plans a text anew each time, as Neon does, but in a test run only once", async () => {
  const asked = "SELECT $1::int + 41 AS v";
  const kept = "SELECT count(*)::int AS n FROM pg_prepared_statements WHERE statement = $1";
  const countKept = async (times: number) => {
    await using own = await startSqlEndpoint({ databaseUrl: database.url, maxConnections: 1 });
    neonConfig.fetchEndpoint = () => own.url;
    onTestFinished(() => void (neonConfig.fetchEndpoint = () => endpoint.url));
    for (let time = 0; time < times; time += 1) {
      expect(await sql.query(asked, [time])).toEqual([{ v: 41 + time }]);
    }
    return (await sql.query(kept, [asked]))[0]?.["n"];
  };
  expect(await countKept(3)).toBe(1);
  vi.stubEnv(TEMPLATE_VARIABLE, undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await countKept(3)).toBe(0);
});

describe("values", () => {
  it.each([
    ["int8", "SELECT 9007199254740993::int8 AS v", "9007199254740993"],
    ["numeric", "SELECT 0.10::numeric AS v", "0.10"],
    ["int4", "SELECT 5::int4 AS v", 5],
    ["float8", "SELECT 0.1::float8 AS v", 0.1],
    ["bool", "SELECT true AS v", true],
    [
      "timestamptz",
      "SELECT '2026-02-03 04:05:06.789+00'::timestamptz AS v",
      new Date("2026-02-03T04:05:06.789Z"),
    ],
    ["jsonb", `SELECT '{"a":[1,null]}'::jsonb AS v`, { a: [1, null] }],
    ["text[]", `SELECT ARRAY['a,b','c"d',NULL,'']::text[] AS v`, ["a,b", 'c"d', null, ""]],
    [
      "uuid",
      "SELECT '00000000-0000-4000-8000-000000000001'::uuid AS v",
      "00000000-0000-4000-8000-000000000001",
    ],
    ["null", "SELECT NULL::text AS v", null],
    ["empty text", "SELECT ''::text AS v", ""],
    ["Unicode", "SELECT 'žluťoučký 🐎' AS v", "žluťoučký 🐎"],
  ])("%s arrives as the driver reads it from Neon", async (_, query, expected) => {
    expect(await sql.query(query)).toEqual([{ v: expected }]);
  });

  it("bytea goes both ways", async () => {
    const bytes = Buffer.from([0, 1, 254, 255]);
    const [row] = await sql`SELECT ${bytes}::bytea AS v`;
    expect(Buffer.from(row?.["v"])).toEqual(bytes);
  });

  it("arrays as parameters become rows", async () => {
    const at = new Date("2026-01-01T00:00:00Z");
    const rows = await sql.query(
      "SELECT * FROM unnest($1::int[], $2::text[], $3::timestamptz[], $4::jsonb[]) AS r (n, t, at, j)",
      [
        [1, 2],
        ['a,{}"\\', null],
        [at, at],
        [JSON.stringify({ x: 1 }), null],
      ],
    );
    expect(rows).toEqual([
      { n: 1, t: 'a,{}"\\', at, j: { x: 1 } },
      { n: 2, t: null, at, j: null },
    ]);
  });

  it("full results describe command, count and columns", async () => {
    const result = await sql.query("SELECT id, email FROM account WHERE false", [], { fullResults: true });
    expect(result).toMatchObject({ command: "SELECT", rowCount: 0, rowAsArray: false, rows: [] });
    const [{ oid } = { oid: 0 }] = await queryOnce(
      database.url,
      "SELECT 'account'::regclass::oid::int AS oid",
    );
    expect(result.fields).toEqual([
      {
        name: "id",
        dataTypeID: 23,
        tableID: oid,
        columnID: 1,
        dataTypeSize: 4,
        dataTypeModifier: -1,
        format: "text",
      },
      {
        name: "email",
        dataTypeID: 25,
        tableID: oid,
        columnID: 2,
        dataTypeSize: -1,
        dataTypeModifier: -1,
        format: "text",
      },
    ]);
  });

  it("array mode gives rows as arrays, also with two columns of one name", async () => {
    expect(await sql.query("SELECT 1 AS a, 2 AS a", [], { arrayMode: true })).toEqual([[1, 2]]);
  });

  it("cells are the server's own text, and rows are arrays", async () => {
    const query =
      "SELECT 1::int4 AS i, 2::int8 AS b, true AS t, '{\"k\":1}'::jsonb AS j, '{1,NULL}'::int[] AS l, NULL AS n";
    expect(await (await post(JSON.stringify({ query }))).json()).toMatchObject({
      rowAsArray: true,
      rows: [["1", "2", "t", '{"k": 1}', "{1,NULL}", null]],
    });
  });

  it("parameters that are not text are put into Postgres's form", async () => {
    const query = "SELECT $1::int + ($2::int[])[1] AS v, $3::jsonb AS j";
    const response = await post(JSON.stringify({ query, params: [1, [2, null], { a: "b" }] }));
    expect(await response.json()).toMatchObject({ rows: [["3", '{"a": "b"}']] });
  });
});

describe("errors", () => {
  it("carry what Postgres said about a broken constraint", async () => {
    await sql`INSERT INTO account VALUES (1, 'a@example.com', 5)`;
    const error = await failureOf(sql`INSERT INTO account VALUES (2, 'a@example.com', 5)`);
    expect(error).toMatchObject({
      code: "23505",
      severity: "ERROR",
      schema: "public",
      table: "account",
      constraint: "account_email_key",
      detail: "Key (email)=(a@example.com) already exists.",
    });
  });

  it("carry the position of a syntax error", async () => {
    expect(await failureOf(sql.query("SELECT FROM WHERE"))).toMatchObject({ code: "42601", position: "13" });
  });

  it("refuse several statements in one query, as Neon does", async () => {
    expect(await failureOf(sql.query("SELECT 1; SELECT 2"))).toMatchObject({ code: "42601" });
  });

  it("leave the connection fit for the next query", async () => {
    await Promise.all(Array.from({ length: 40 }, () => failureOf(sql.query("SELECT 1/0"))));
    expect(await sql`SELECT 1 AS n`).toEqual([{ n: 1 }]);
  });

  it.each([
    ["not JSON", "{", 400, "the request body is not valid JSON"],
    [
      "not an object",
      "[]",
      400,
      "the request body has to be {query, params} or {queries: [{query, params}]}",
    ],
    ["no query", "{}", 400, "the request body has to be {query, params} or {queries: [{query, params}]}"],
    ["params out of form", '{"query":"SELECT 1","params":{}}', 400, "params has to be an array"],
    [
      "a broken batch",
      '{"queries":[{"query":1}]}',
      400,
      "the request body has to be {query, params} or {queries: [{query, params}]}",
    ],
    [
      "more than the limit",
      `{"query":"${"x".repeat(1024 * 1024)}"}`,
      413,
      "request is too large (max is 1048576 bytes)",
    ],
    [
      "a large answer",
      `{"query":"SELECT repeat('x', 1048576)"}`,
      507,
      "response is too large (max is 1048576 bytes)",
    ],
  ])("answer a body that is %s", async (_, body, status, message) => {
    const response = await post(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ message });
  });

  it("answer a request without the header a web page cannot send", async () => {
    const response = await fetch(endpoint.url, { method: "POST", body: '{"query":"SELECT 1"}' });
    expect(response.status).toBe(400);
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  });

  it.each([
    ["GET", "/sql", 405],
    ["POST", "/", 404],
  ])("answer %s %s with %d", async (method, path, status) => {
    expect((await fetch(new URL(path, endpoint.url), { method })).status).toBe(status);
  });

  it("are a 500 without a code when the database cannot be reached", async () => {
    const url = new URL(database.url);
    url.port = "1";
    const lonely = await startSqlEndpoint({ databaseUrl: url.href });
    const headers = { "Neon-Connection-String": "x" };
    const response = await fetch(lonely.url, { method: "POST", body: '{"query":"SELECT 1"}', headers });
    await lonely.stop();
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({
      message: expect.stringContaining("ECONNREFUSED"),
      code: "",
    });
  });

  it("are a 400 with the code when the database does not exist", async () => {
    const url = new URL(database.url);
    url.pathname = "/not_there";
    const lonely = await startSqlEndpoint({ databaseUrl: url.href });
    const headers = { "Neon-Connection-String": "x" };
    const response = await fetch(lonely.url, { method: "POST", body: '{"query":"SELECT 1"}', headers });
    await lonely.stop();
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: "3D000" });
  });
});

describe("transactions", () => {
  it("return one result for each query", async () => {
    const results = await sql.transaction([sql`SELECT 1 AS a`, sql`SELECT 2 AS b WHERE false`]);
    expect(results).toEqual([[{ a: 1 }], []]);
  });

  it("take back everything when one query fails", async () => {
    const before = await sql`SELECT count(*) AS n FROM account`;
    const insert = sql`INSERT INTO account VALUES (100, 'b@example.com', 1)`;
    const error = await failureOf(sql.transaction([insert, sql`INSERT INTO account VALUES (101, 'c', -1)`]));
    expect(error).toMatchObject({ code: "23514", constraint: "account_balance_check" });
    expect(await sql`SELECT count(*) AS n FROM account`).toEqual(before);
  });

  it.each(["ReadUncommitted", "ReadCommitted", "RepeatableRead", "Serializable"] as const)(
    "run at isolation level %s",
    async (isolationLevel) => {
      const [[row] = []] = await sql.transaction(
        [sql`SELECT current_setting('transaction_isolation') AS level`],
        {
          isolationLevel,
        },
      );
      expect(String(row?.["level"]).replaceAll(" ", "")).toBe(isolationLevel.toLowerCase());
    },
  );

  it("can be read-only and deferrable", async () => {
    const settings = sql`SELECT current_setting('transaction_read_only') AS r, current_setting('transaction_deferrable') AS d`;
    expect(await sql.transaction([settings], { readOnly: true, deferrable: true })).toEqual([
      [{ r: "on", d: "on" }],
    ]);
    expect(await sql.transaction([settings])).toEqual([[{ r: "off", d: "off" }]]);
  });

  it("refuse an isolation level that does not exist", async () => {
    const response = await post('{"queries":[]}', { "Neon-Batch-Isolation-Level": "Chaos" });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { message: "invalid isolation level" },
    ]);
  });

  it("that a query leaves open do not reach later requests", async () => {
    await sql.query("BEGIN");
    const ids = Array.from({ length: 30 }, (_, n) => 300 + n);
    await Promise.all(ids.map((id) => sql`INSERT INTO account (id) VALUES (${id})`));
    const committed = await queryOnce(database.url, "SELECT count(*)::int AS n FROM account WHERE id >= 300");
    expect(committed).toEqual([{ n: 30 }]);
  });
});

describe("many and slow requests", () => {
  it("more requests than connections all get their own answer", async () => {
    const numbers = Array.from({ length: 200 }, (_, n) => n);
    const answers = await Promise.all(
      numbers.map((n) => sql`SELECT ${n}::int AS n, pg_sleep(0.005)::text AS s`),
    );
    expect(answers.map(([row]) => row?.["n"])).toEqual(numbers);
  });

  it("an aborted request is cancelled in the database", async () => {
    const abort = new AbortController();
    const fetchOptions = { signal: abort.signal };
    const failure = failureOf(sql.query("SELECT pg_sleep(600) AS aborted_one", [], { fetchOptions }));
    await waitUntil("it runs", async () => (await countRunning("aborted_one")) === 1);
    abort.abort();
    expect((await failure).sourceError?.name).toBe("AbortError");
    await waitUntil("it is cancelled", async () => (await countRunning("aborted_one")) === 0);
    expect(await sql`SELECT 1 AS n`).toEqual([{ n: 1 }]);
  });

  it("an aborted transaction is cancelled and leaves nothing", async () => {
    const abort = new AbortController();
    const failure = failureOf(
      sql.transaction(
        [sql`INSERT INTO account VALUES (200, 'd', 1)`, sql`SELECT pg_sleep(600) AS aborted_two`],
        {
          fetchOptions: { signal: abort.signal },
        },
      ),
    );
    await waitUntil("it runs", async () => (await countRunning("aborted_two")) === 1);
    abort.abort();
    await failure;
    await waitUntil("it is cancelled", async () => (await countRunning("aborted_two")) === 0);
    expect(await sql`SELECT * FROM account WHERE id = 200`).toEqual([]);
  });

  it("stopping cancels what still runs", async () => {
    const own = await startSqlEndpoint({ databaseUrl: database.url });
    const headers = { "Neon-Connection-String": "x" };
    const body = '{"query":"SELECT pg_sleep(600) AS stopped_one"}';
    const lost = fetch(own.url, { method: "POST", body, headers }).catch((error: unknown) => error);
    await waitUntil("it runs", async () => (await countRunning("stopped_one")) === 1);
    await own.stop();
    expect(await lost).toBeInstanceOf(Error);
    expect(await countRunning("stopped_one")).toBe(0);
  });
});
