/**
 * `pnpm test [vitest's arguments] [--full]`: runs the tests, with `--full` also soaks and property tests in their full
 * size. `pnpm test:watch` passes `--watch`. The database comes from provide-database.ts, when a test needs one.
 */
import { parseCLI, startVitest } from "vitest/node";

const given = process.argv.slice(2);
if (given.includes("--full")) {
  process.env["HOPLINE_FULL"] = "1";
}
const { filter, options } = parseCLI(["vitest", ...given.filter((argument) => argument !== "--full")]);
const vitest = await startVitest("test", filter, { run: !given.includes("--watch"), ...options });
if (vitest.shouldKeepServer() !== true) {
  await vitest.exit();
}
