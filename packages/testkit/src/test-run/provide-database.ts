/**
 * The database of a whole test run: one server, and one migrated database on it that test files copy.
 *
 * Runs in Vitest's own process before the first file of a project that needs it, once for all of them. In watch mode
 * both are kept until the watcher ends. Nothing is started where DATABASE_URL names a server.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { STATE_VARIABLE } from "../workspace/workspace.ts";
import { openDatabaseServer } from "../postgres/database-server.ts";
import { createTemplateDatabase, TEMPLATE_VARIABLE } from "../postgres/scratch-database.ts";

export default async function provideDatabase(): Promise<(() => Promise<void>) | undefined> {
  // Another project's set-up has been here before: Vitest runs this file once a project.
  if (process.env[TEMPLATE_VARIABLE] !== undefined) {
    return undefined;
  }
  const stateDirectory = await mkdtemp(join(tmpdir(), "hopline-test-"));
  process.env[STATE_VARIABLE] = stateDirectory;
  // Where no disk has to be waited for, files are copied for less than half the CPU that the write-ahead log takes (31 and 66 ms).
  const strategy = (process.env["DATABASE_URL"] ?? "") === "" ? " STRATEGY FILE_COPY" : "";
  // A generic plan is made once a connection; custom plans were a third of what Postgres did for the API's tests.
  const settings = { plan_cache_mode: "force_generic_plan" };
  const server = await openDatabaseServer({ onLog: console.log, isInMemory: true, settings });
  console.log(server.label);
  const template = await createTemplateDatabase(server.url);
  process.env["DATABASE_URL"] = server.url;
  process.env[TEMPLATE_VARIABLE] = `${template.name}${strategy}`;
  return async () => {
    await template.drop();
    await server.stop();
    await rm(stateDirectory, { recursive: true, force: true });
  };
}
