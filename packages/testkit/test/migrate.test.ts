import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { migrate } from "../src/postgres/migrate.ts";
import { createScratchDatabase, type ScratchDatabase } from "../src/postgres/scratch-database.ts";
import { describeCapabilities, readCapabilities } from "../src/postgres/server-capabilities.ts";
import { queryOnce } from "./query-once.ts";

let database: ScratchDatabase;
let directory = "";
let lines: string[] = [];

beforeEach(async () => {
  database = await createScratchDatabase(process.env["DATABASE_URL"] ?? "");
  directory = mkdtempSync(join(tmpdir(), "hopline-test-"));
  lines = [];
});
afterEach(async () => {
  rmSync(directory, { recursive: true });
  await database.drop();
});

function put(files: Readonly<Record<string, string>>): void {
  for (const [name, sql] of Object.entries(files)) {
    writeFileSync(join(directory, name), sql);
  }
}

const run = () => migrate(database.url, { directory, onProgress: (line) => lines.push(line) });
const LINKS = "CREATE TABLE link (id int PRIMARY KEY);\nCREATE INDEX link_by_id ON link (id);\n";
const CLICKS = "CREATE TABLE click (link_id int REFERENCES link);\nINSERT INTO link VALUES (1);\n";

describe("migrating", () => {
  it("applies every file in order, once, and records it", async () => {
    put({ "0001_links.sql": LINKS, "0002_clicks.sql": CLICKS, "README.md": "not a migration" });
    expect((await run()).applied).toEqual(["0001_links.sql", "0002_clicks.sql"]);
    expect(lines).toEqual([
      expect.stringMatching(/^0001_links\.sql applied in \d+ ms$/),
      expect.stringMatching(/^0002_clicks\.sql applied in \d+ ms$/),
      expect.stringMatching(/^Schema up to date: 2 migrations, 2 new; Postgres \d+\.\d+ with/),
    ]);
    const recorded =
      "SELECT version, name, length(checksum) AS n, applied_at <= now() AS past FROM schema_migrations";
    expect(await queryOnce(database.url, recorded)).toEqual([
      { version: 1, name: "links", n: 64, past: true },
      { version: 2, name: "clicks", n: 64, past: true },
    ]);
    expect((await run()).applied).toEqual([]);
    expect(lines.at(-1)).toMatch(/2 migrations, 0 new/);
  });

  it("lets many runners at once apply each file exactly once", async () => {
    put({ "0001_links.sql": `${LINKS} SELECT pg_sleep(0.05);`, "0002_clicks.sql": CLICKS });
    const reports = await Promise.all(Array.from({ length: 6 }, run));
    expect(reports.flatMap((report) => report.applied).toSorted()).toEqual([
      "0001_links.sql",
      "0002_clicks.sql",
    ]);
    expect(await queryOnce(database.url, "SELECT id FROM link")).toEqual([{ id: 1 }]);
  });

  it("does not mind CRLF line ends in another checkout", async () => {
    put({ "0001_links.sql": LINKS });
    await run();
    put({ "0001_links.sql": LINKS.replaceAll("\n", "\r\n") });
    expect((await run()).applied).toEqual([]);
  });
});

describe("refusing", () => {
  it("keeps nothing of a file that fails, and names file, line and reason", async () => {
    put({
      "0001_links.sql": LINKS,
      "0002_broken.sql": "CREATE TABLE half (n int);\n\nINSERT INTO hlaf VALUES (1);",
    });
    await expect(run()).rejects.toThrow(
      '0002_broken.sql line 3: relation "hlaf" does not exist [42P01]; nothing of it was kept.',
    );
    expect(
      await queryOnce(database.url, "SELECT to_regclass('half') AS half, to_regclass('link')::text AS link"),
    ).toEqual([{ half: null, link: "link" }]);
    put({ "0002_broken.sql": "CREATE TABLE whole (n int);" });
    expect((await run()).applied).toEqual(["0002_broken.sql"]);
  });

  it("names a file that was changed after it had been applied, before anything else is done", async () => {
    put({ "0001_links.sql": LINKS });
    await run();
    put({ "0001_links.sql": `${LINKS}-- a thought\n`, "0002_clicks.sql": CLICKS });
    await expect(run()).rejects.toThrow(/^0001_links\.sql was changed after it had been applied/);
    expect(await queryOnce(database.url, "SELECT to_regclass('click') AS click")).toEqual([{ click: null }]);
  });

  it("says that the database is ahead of the checkout", async () => {
    put({ "0001_links.sql": LINKS, "0002_clicks.sql": CLICKS });
    await run();
    rmSync(join(directory, "0002_clicks.sql"));
    await expect(run()).rejects.toThrow(
      "The database is ahead: it has migration 2, this checkout ends at 1.",
    );
  });

  it.each([
    [
      "a gap",
      { "0001_a.sql": "", "0003_c.sql": "" },
      "Migration 0002 is missing: 0003_c.sql comes in its place.",
    ],
    ["a start above one", { "0002_b.sql": "" }, "Migration 0001 is missing: 0002_b.sql comes in its place."],
    [
      "a number used twice",
      { "0001_a.sql": "", "0001_b.sql": "" },
      "the same number: 0001_a.sql and 0001_b.sql",
    ],
    ["a name out of form", { "1-init.sql": "" }, "1-init.sql is not a migration's name"],
  ])("refuses %s", async (_, files, message) => {
    put(files);
    await expect(run()).rejects.toThrow(message);
  });

  it("refuses a file that ends its own transaction", async () => {
    put({ "0001_commits.sql": "CREATE TABLE a (n int); COMMIT; CREATE TABLE b (n int);" });
    await expect(run()).rejects.toThrow(
      "0001_commits.sql ends its own transaction: take out its BEGIN and COMMIT.",
    );
  });

  it("says what a login without rights needs, and not its password", async () => {
    const role = `${database.name}_reader`;
    await queryOnce(
      database.url,
      `CREATE ROLE ${role} LOGIN PASSWORD 'sekret'; REVOKE CREATE ON SCHEMA public FROM PUBLIC`,
    );
    const url = new URL(database.url);
    url.username = role;
    url.password = "sekret";
    put({ "0001_links.sql": LINKS });
    const failure = await migrate(url.href, { directory, onProgress: () => undefined }).catch(
      (e: unknown) => e,
    );
    await queryOnce(database.url, `DROP ROLE ${role}`);
    expect(String(failure)).toContain("The login in DATABASE_URL may not create tables in this database");
    expect(String(failure)).not.toContain("sekret");
  });
});

describe("capabilities", () => {
  async function ask(): ReturnType<typeof readCapabilities> {
    const client = new pg.Client(database.url);
    await client.connect();
    return readCapabilities(client).finally(() => client.end());
  }

  it("describe this server, with TimescaleDB once it is created", async () => {
    const before = await ask();
    expect(before.serverVersion).toMatch(/^\d+\.\d+$/);
    expect(before.timescale).toBeNull();
    const preloaded = await queryOnce(
      database.url,
      "SELECT current_setting('shared_preload_libraries') AS libraries",
    );
    const expected = process.env["EXPECTED_TIMESCALE_LICENSE"];
    if (expected !== undefined || String(preloaded[0]?.["libraries"]).includes("timescaledb")) {
      await queryOnce(database.url, "CREATE EXTENSION timescaledb");
      const license = expected ?? expect.stringMatching(/^(apache|timescale)$/);
      expect((await ask()).timescale).toEqual({ version: expect.stringMatching(/^2\.\d+/), license });
    }
  });

  it.each([
    [null, "Postgres 18.4 without TimescaleDB"],
    [{ version: "2.17.1", license: "apache" }, "Postgres 18.4 with TimescaleDB 2.17.1 (Apache edition)"],
    [
      { version: "2.28.3", license: "timescale" },
      "Postgres 18.4 with TimescaleDB 2.28.3 (Community edition)",
    ],
  ] as const)("read as a line: %o", (timescale, line) => {
    expect(describeCapabilities({ serverVersion: "18.4", timescale })).toBe(line);
  });
});
