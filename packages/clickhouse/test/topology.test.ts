/**
 * The statements for every layout of servers, compared with golden files. Only those for one server are run, by the other tests of
 * this folder; replicas and shards need a cluster, which no test has.
 */
import { readMigrations } from "@hopline/testkit/postgres/migration-files";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { expect, it } from "vitest";

import { parseTopology, toStatements } from "../src/schema/topology.ts";

const migrations = readMigrations(inWorkspace("migrations/clickhouse"));

it.each([
  ["single.sql", ""],
  ["replicated.not-run.sql", "replicated:main"],
  ["distributed.not-run.sql", "distributed:main"],
])("golden/%s", async (file, text) => {
  const topology = parseTopology(text);
  const statements = topology === null ? [] : migrations.flatMap(({ sql }) => toStatements(sql, topology));
  await expect(`${statements.join(";\n\n")};\n`).toMatchFileSnapshot(`golden/${file}`);
});

it.each(["main", "replicated", "sharded:main", "replicated:a'b", "distributed:"])("refuses %j", (text) => {
  expect(parseTopology(text)).toBeNull();
});
