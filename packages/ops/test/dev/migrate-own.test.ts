/** A database of `pnpm dev` whose migrations have been edited since. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { afterAll, expect, it } from "vitest";
import { queryOnce } from "../../../testkit/test/query-once.ts";
import { migrateOwn } from "../../src/dev/migrate-own.ts";

const server = await openDatabaseServer();
const scratch = await server.createScratchDatabase();
const directory = await mkdtemp(join(tmpdir(), "hopline-own-"));
const [migrations, state] = [join(directory, "migrations"), join(directory, "state")];

afterAll(async () => {
  await scratch.drop();
  await server.stop();
  await rm(directory, { recursive: true });
});

it("is made anew with what mirrors it, and only then", async () => {
  await mkdir(migrations);
  await mkdir(join(state, "workers"), { recursive: true });
  await writeFile(join(state, "dev.lock"), "");
  const run = async (sql: string) => {
    await writeFile(join(migrations, "0001_links.sql"), sql);
    const { isNew } = await migrateOwn(scratch.url, state, { directory: migrations, onProgress: () => {} });
    return isNew;
  };
  const rows = () => queryOnce(scratch.url, "SELECT count(*)::int AS count FROM links");

  expect(await run("CREATE TABLE links (id int)")).toBe(false);
  await queryOnce(scratch.url, "INSERT INTO links VALUES (1)");
  expect(await run("CREATE TABLE links (id int)")).toBe(false);
  expect([await rows(), existsSync(join(state, "workers"))]).toEqual([[{ count: 1 }], true]);

  expect(await run("CREATE TABLE links (id int, slug text)")).toBe(true);
  expect([await rows(), existsSync(join(state, "workers")), existsSync(join(state, "dev.lock"))]).toEqual([
    [{ count: 0 }],
    false,
    true,
  ]);
});
