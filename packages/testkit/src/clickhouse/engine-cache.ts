/**
 * Where ClickHouse's embedded engine (npm `chdb`, half a gigabyte) is kept on this machine: in the user's cache, never in
 * the checkout and never part of `pnpm install`. `pnpm clickhouse fetch` fetches it.
 *
 * Version and checksums are those of packages/testkit/clickhouse-engine/package-lock.json; another version gets a folder
 * of its own.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { execa } from "execa";

import { Failure } from "../console/failure.ts";

const MANIFEST = join(import.meta.dirname, "../../clickhouse-engine");
const FETCH_COMMAND = "npx -y pnpm@12 clickhouse fetch";

/** What a test or a command says when the engine is missing. */
export const HOW_TO_FETCH: string = `run \`${FETCH_COMMAND}\` first (half a gigabyte, once per machine)`;

/** The folder to import `chdb` from, or null where it was never fetched. */
export function findClickHouseEngine(): string | null {
  const directory = engineDirectory();
  return existsSync(join(directory, "node_modules/chdb/package.json")) ? directory : null;
}

/** Fetches the engine unless it is there already. Resolves to its folder. */
export async function fetchClickHouseEngine(): Promise<string> {
  const found = findClickHouseEngine();
  if (found !== null) {
    return found;
  }
  const directory = engineDirectory();
  mkdirSync(join(directory, ".."), { recursive: true });
  // Installed aside and renamed, so that a folder under its final name is complete, also with two fetches at once.
  const unfinished = mkdtempSync(`${directory}.`);
  try {
    cpSync(MANIFEST, unfinished, { recursive: true });
    // Its install script only compiles where no ready-made library exists.
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--omit=peer"];
    const run = await execa("npm", ["install", ...flags], { cwd: unfinished, reject: false, all: true });
    if (run.failed) {
      throw new Failure(`ClickHouse's engine could not be fetched: ${run.all || run.shortMessage}`);
    }
    if (!existsSync(directory)) {
      renameSync(unfinished, directory);
    }
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return directory;
}

function engineDirectory(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(MANIFEST, "package.json"), "utf8"));
  const version = /"chdb":"([^"]+)"/.exec(JSON.stringify(manifest))?.[1] ?? "";
  const cache = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  return join(cache, "hopline", `chdb-${version}`);
}

/** For tests: whether the engine is there, and what the name of a group of tests ends with where it is not. */
export const HAS_CLICKHOUSE: boolean = findClickHouseEngine() !== null;
export const CLICKHOUSE_HINT: string = HAS_CLICKHOUSE ? "" : ` (skipped: ${HOW_TO_FETCH})`;
