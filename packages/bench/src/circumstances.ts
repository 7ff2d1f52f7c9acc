/** What a recorded figure must stand beside to be worth anything later: when, on what, of which state, by which command. */
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { availableParallelism, cpus, loadavg, release } from "node:os";

import { WORKSPACE_ROOT } from "@hopline/testkit/workspace/workspace";

export type Circumstances = {
  /** RFC 3339, UTC. */
  readonly date: string;
  readonly command: string;
  readonly commit: string;
  /** True when files differed from that commit. */
  readonly hasUncommittedChanges: boolean;
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly system: string;
    /** Of the minute before the bench: above the number of cores, somebody else was at work. */
    readonly loadBefore: number;
  };
  readonly versions: { readonly node: string; readonly workerd: string; readonly wrangler: string };
};

export function readCircumstances(now: Date, commandArguments: readonly string[]): Circumstances {
  return {
    date: now.toISOString(),
    command: ["pnpm bench", ...commandArguments].join(" "),
    commit: git("rev-parse", "HEAD"),
    hasUncommittedChanges: git("status", "--porcelain") !== "",
    machine: {
      cpu: cpus()[0]?.model ?? "unknown",
      cores: availableParallelism(),
      system: `${process.platform} ${release()}`,
      loadBefore: loadavg()[0] ?? 0,
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
    return execFileSync("git", gitArguments, {
      cwd: WORKSPACE_ROOT,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "";
  }
}

function packageVersion(name: string): string {
  const manifest: unknown = createRequire(import.meta.url)(`${name}/package.json`);
  return typeof manifest === "object" && manifest !== null && "version" in manifest
    ? String(manifest.version)
    : "unknown";
}
