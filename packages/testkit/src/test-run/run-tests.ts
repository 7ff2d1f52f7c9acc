/**
 * `pnpm test [Vitest's arguments] [--full]`: runs the tests; with `--full` also soaks, and property tests in the size they
 * name. The database comes from provide-database.ts, when a test needs one.
 *
 * `pnpm rehearse` runs the project of that name instead, which `pnpm test` leaves out: the commands that deploy, for minutes.
 *
 * `pnpm test:watch` runs the pure tests, then those again that a saved file touches. `pnpm test:watch --project contract`
 * does the same for tests over the database, which is kept until the watch ends.
 */
import { enableCompileCache } from "node:module";

import { inWorkspace } from "../workspace/workspace.ts";
import { emptyOldCaches } from "./empty-old-caches.ts";

const COMPILED = inWorkspace("node_modules/.cache/compiled");
/** Of `fsModuleCache` in vitest.config.ts. */
const TRANSFORMED = inWorkspace("node_modules/.experimental-vitest-cache");

emptyOldCaches([COMPILED, TRANSFORMED], Date.now());
// Each worker of Vitest's and each wrangler would compile the same packages anew, a second each.
process.env["NODE_COMPILE_CACHE"] ??= COMPILED;
enableCompileCache(process.env["NODE_COMPILE_CACHE"]);
const { parseCLI, startVitest } = await import("vitest/node");

const given = process.argv.slice(2);
if (given.includes("--full")) {
  process.env["HOPLINE_FULL"] = "1";
}
const OURS = ["--full", "--rehearse"];
const { filter, options } = parseCLI(["vitest", ...given.filter((argument) => !OURS.includes(argument))]);
const isWatch = options.watch === true;
const ofWatch = isWatch ? { project: options.project ?? ["unit"] } : { run: true };
const ofRehearsal = {
  project: given.includes("--rehearse") ? ["rehearsal"] : (options.project ?? ["!rehearsal"]),
};
const vitest = await startVitest("test", filter, { ...options, ...ofRehearsal, ...ofWatch });
if (!isWatch) {
  await vitest.exit();
}
