/** Weighs what a browser loads before the web app's first page is there: the entry of Vite's manifest and what it imports. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { inWorkspace } from "./workspace.ts";

/** 180 KB of JavaScript, gzipped. */
export const WEB_BUDGET_BYTES = 184_320;

type Chunk = {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
};
/** Sources that the router loads, as they are called. */
const PAGE = /-pages?\.tsx$/;

type Manifest = { readonly [name: string]: Chunk };

/** Gzipped bytes of the entry with one page, by its source as the manifest names it: `app/links/links-page.tsx`. */
export type PageWeight = { readonly page: string; readonly bytes: number };

/** Of every page, the heaviest first. Rejects when the app was not built. */
export async function weighPages(directory: string): Promise<readonly PageWeight[]> {
  const folder = inWorkspace(directory);
  const manifest = JSON.parse(await readFile(join(folder, ".vite/manifest.json"), "utf8")) as Manifest;
  const entry = Object.keys(manifest).filter((name) => manifest[name]?.isEntry === true);
  const sizes = new Map<string, Promise<number>>();
  const sizeOf = (file: string) => {
    const size = sizes.get(file) ?? readFile(join(folder, file)).then((script) => gzipSync(script).length);
    sizes.set(file, size);
    return size;
  };
  const pages = entry
    .flatMap((name) => manifest[name]?.dynamicImports ?? [])
    .filter((name) => PAGE.test(name));
  const weights = await Promise.all(
    pages.map(async (page) => {
      const all = await Promise.all([...filesOf(manifest, [...entry, page])].map(sizeOf));
      return { page, bytes: all.reduce((total, size) => total + size, 0) };
    }),
  );
  return weights.toSorted((one, other) => other.bytes - one.bytes);
}

/** Of these chunks and everything that they import statically. */
function filesOf(manifest: Manifest, names: readonly string[]): ReadonlySet<string> {
  const seen = new Set(names);
  for (const name of seen) {
    for (const imported of manifest[name]?.imports ?? []) {
      seen.add(imported);
    }
  }
  return new Set([...seen].flatMap((name) => manifest[name]?.file ?? []));
}
