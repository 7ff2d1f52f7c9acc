/**
 * Builds a Worker's web app with Vite, for `pnpm build`, `pnpm dev` and the whole-system tests alike.
 *
 * Nothing is built when nothing has changed: a hash over the sources is kept beside the files.
 */
import { createHash } from "node:crypto";
import { glob, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Failure } from "../console/failure.ts";
import { inWorkspace } from "./workspace.ts";

/** Relative to the root, or absolute. */
export type Web = { readonly root: string; readonly directory: string };

/** Of the Worker's folder; packages/client is bundled into the app, too. */
const SOURCES = ["app/**/*.{ts,tsx,css,json}", "public/**", "index.html", "vite.config.ts", "package.json"];
const CLIENT = "packages/client/src";
/** The words of rules, which the app takes from packages/core. */
const WORDS = "packages/core/src/rules/device-names.ts";

/** Rejects with a `Failure` that carries Vite's own message. */
export async function buildWeb(web: Web): Promise<void> {
  const directory = inWorkspace(web.directory);
  const keyPath = `${directory}.sha256`;
  const key = await hashSources(web);
  const isBuilt = await readFile(join(directory, "index.html")).then(
    () => true,
    () => false,
  );
  if (isBuilt && key === (await readFile(keyPath, "utf8").catch(() => null))) {
    return;
  }
  await rm(keyPath, { force: true });
  const { build } = await import("vite");
  const before = process.env["NODE_ENV"];
  // Vite takes the variable's word for what is built, and tests have their own.
  process.env["NODE_ENV"] = "production";
  try {
    await build({
      root: inWorkspace(web.root),
      configFile: join(inWorkspace(web.root), "vite.config.ts"),
      logLevel: "silent",
      build: { outDir: directory },
    });
  } catch (cause) {
    throw new Failure(`The web app in ${web.root} could not be built: ${String(cause)}`, { cause });
  } finally {
    if (before === undefined) {
      delete process.env["NODE_ENV"];
    } else {
      process.env["NODE_ENV"] = before;
    }
  }
  await writeFile(keyPath, key);
}

/** Whether a saved file, by its absolute path, may change what is built. */
export function isWebSource(path: string, { root }: Web): boolean {
  const folders = ["app", "public", "index.html", "vite.config.ts"].map((name) =>
    join(inWorkspace(root), name),
  );
  return [...folders, inWorkspace(CLIENT)].some((folder) => path === folder || path.startsWith(`${folder}/`));
}

async function hashSources({ root }: Web): Promise<string> {
  const paths = ["pnpm-lock.yaml", "tsconfig.base.json", WORDS].map(inWorkspace);
  for await (const path of glob(SOURCES, { cwd: inWorkspace(root), withFileTypes: true })) {
    if (path.isFile()) {
      paths.push(join(path.parentPath, path.name));
    }
  }
  for await (const name of glob("*.ts", { cwd: inWorkspace(CLIENT) })) {
    paths.push(join(inWorkspace(CLIENT), name));
  }
  const hash = createHash("sha256");
  for (const path of paths.toSorted()) {
    hash.update(path).update(await readFile(path));
  }
  return hash.digest("hex");
}
