/** Weighs what a browser loads before the web app's first page is there: the entry of Vite's manifest and what it imports. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { inWorkspace } from "./workspace.ts";

/** 200 KB of JavaScript, gzipped. */
export const WEB_BUDGET_BYTES = 204_800;

type Chunk = { readonly file: string; readonly isEntry?: boolean; readonly imports?: readonly string[] };
type Manifest = { readonly [name: string]: Chunk };

/** Gzipped bytes of the entry alone, and together with the page of that source. */
export type WebWeight = { readonly entryBytes: number; readonly withPageBytes: number };

/** `page` is a source as the manifest names it: `app/links/links-page.tsx`. Rejects when the app was not built. */
export async function weighWeb(directory: string, page: string): Promise<WebWeight> {
  const folder = inWorkspace(directory);
  const manifest = JSON.parse(await readFile(join(folder, ".vite/manifest.json"), "utf8")) as Manifest;
  const entry = Object.keys(manifest).filter((name) => manifest[name]?.isEntry === true);
  const weigh = async (files: ReadonlySet<string>): Promise<number> => {
    const sizes = await Promise.all(
      [...files].map(async (file) => gzipSync(await readFile(join(folder, file))).length),
    );
    return sizes.reduce((total, size) => total + size, 0);
  };
  return {
    entryBytes: await weigh(filesOf(manifest, entry)),
    withPageBytes: await weigh(filesOf(manifest, [...entry, page])),
  };
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
