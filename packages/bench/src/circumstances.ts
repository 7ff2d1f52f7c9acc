/** The circumstances a recorded figure needs to mean anything later: when, on what machine, which commit, which command. */
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import os from "node:os";

import { WORKSPACE_ROOT } from "@hopline/testkit/workspace/workspace";

export type Circumstances = {
  /** RFC 3339, UTC. */
  readonly date: string;
  readonly command: string;
  readonly commit: string;
  readonly hasUncommittedChanges: boolean;
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly memoryGiB: number;
    readonly system: string;
    /** Load average of the minute before: above the number of cores, something else was running. */
    readonly loadBefore: number;
  };
  readonly versions: { readonly [name: string]: string };
};

/** @param command as in package.json: `bench`. Its arguments are this process's own. */
export function readCircumstances(command: string): Circumstances {
  return {
    date: new Date().toISOString(),
    command: ["pnpm", command, ...process.argv.slice(2)].join(" "),
    commit: git("rev-parse", "HEAD"),
    hasUncommittedChanges: git("status", "--porcelain") !== "",
    machine: {
      cpu: os.cpus()[0]?.model.trim() ?? "unknown",
      cores: os.availableParallelism(),
      memoryGiB: Math.round(os.totalmem() / 2 ** 30),
      system: `${process.platform} ${os.release()}`,
      loadBefore: Math.round((os.loadavg()[0] ?? 0) * 100) / 100,
    },
    versions: {
      node: process.versions.node,
      workerd: packageVersion("workerd"),
      wrangler: packageVersion("wrangler"),
    },
  };
}

/** Empty where there is no git, as in an unpacked archive. */
function git(...gitArguments: readonly string[]): string {
  try {
    const options = { cwd: WORKSPACE_ROOT, encoding: "utf8", stdio: "pipe" } as const;
    return execFileSync("git", gitArguments, options).trim();
  } catch {
    return "";
  }
}

function packageVersion(name: string): string {
  const manifest = createRequire(import.meta.url)(`${name}/package.json`) as { readonly version: string };
  return manifest.version;
}
