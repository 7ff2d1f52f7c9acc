/**
 * Judges the producer's bundle: how many bytes an isolate must parse before its first redirect, and whether anything
 * is among them that has no place there. Pure; reads esbuild's metafile (https://esbuild.github.io/api/#metafile).
 *
 * What is only reached by `import()` (the database driver) is in modules of its own, which are loaded when first needed. The
 * module that the Worker begins with, and those that it imports, count as start-up, esbuild's own glue included.
 */
import { basename } from "node:path";
import { fail, ok, type Result } from "@hopline/core/decode/result";
import { MAIN_MODULE } from "./bundle-worker.ts";

/** 64 KB, minified, without what is loaded by `import()`: the database driver. */
export const PRODUCER_START_UP_BUDGET_BYTES = 65_536;

/** Packages that may not be reached by a static import of the producer. The driver may be reached by `import()`. */
export const FORBIDDEN_AT_START_UP: readonly string[] = [
  "zod",
  "hono",
  "@hono/zod-openapi",
  "drizzle-orm",
  "bowser",
  "isbot",
  "my-ua-parser",
  "ua-parser-js",
  "@neondatabase/serverless",
  "@clickhouse/client-web",
  "better-auth",
  "@simplewebauthn/server",
  "oauth4webapi",
  "@modelcontextprotocol/server",
  "tldts",
  "fast-png",
  "jose",
];

export type MetafileImport = { readonly path: string; readonly kind: string; readonly external?: boolean };
/** The parts of esbuild's metafile that are read here. */
export type Metafile = {
  readonly inputs: Readonly<Record<string, { readonly imports: readonly MetafileImport[] }>>;
  readonly outputs: Readonly<
    Record<
      string,
      {
        readonly bytes: number;
        readonly entryPoint?: string;
        readonly imports: readonly MetafileImport[];
        readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>;
      }
    >
  >;
};

/** A package that must not be there, and the imports that lead to it, entry first. */
export type ForbiddenImport = { readonly packageName: string; readonly chain: readonly string[] };
export type BundleWeight = {
  readonly startUpBytes: number;
  readonly lazyBytes: number;
  readonly forbidden: readonly ForbiddenImport[];
};

/** Weighs the bundle. Fails when the metafile names no entry point: then nothing can be said about it. */
export function weighBundle(metafile: Metafile): Result<BundleWeight, { readonly reason: "no_entry_point" }> {
  const [outputPath, output] =
    Object.entries(metafile.outputs).find(([path]) => basename(path) === MAIN_MODULE) ?? [];
  const entryPoint = output?.entryPoint;
  if (outputPath === undefined || entryPoint === undefined || metafile.inputs[entryPoint] === undefined) {
    return fail({ reason: "no_entry_point" });
  }
  const atStart = findReached(outputPath, (path) => metafile.outputs[path]?.imports ?? []);
  const importers = findReached(entryPoint, (path) => metafile.inputs[path]?.imports ?? []);
  let startUpBytes = 0;
  let lazyBytes = 0;
  for (const [path, { bytes }] of Object.entries(metafile.outputs)) {
    startUpBytes += atStart.has(path) ? bytes : 0;
    lazyBytes += atStart.has(path) || path.endsWith(".map") ? 0 : bytes;
  }
  const forbidden = new Map<string, ForbiddenImport>();
  for (const path of importers.keys()) {
    const packageName = toPackageName(path);
    if (packageName !== null && FORBIDDEN_AT_START_UP.includes(packageName) && !forbidden.has(packageName)) {
      forbidden.set(packageName, { packageName, chain: toChain(importers, path) });
    }
  }
  return ok({ startUpBytes, lazyBytes, forbidden: [...forbidden.values()] });
}

/** The complaints about a bundle, one line each; empty when it is as it should be. */
export function judgeBundle(weight: BundleWeight, budgetBytes: number): readonly string[] {
  const complaints = weight.forbidden.map(
    ({ packageName, chain }) => `${packageName} is imported at start-up: ${chain.join(" > ")}`,
  );
  if (weight.startUpBytes > budgetBytes) {
    const excessBytes = weight.startUpBytes - budgetBytes;
    complaints.push(
      `start-up is ${excessBytes.toLocaleString("en")} bytes over its budget of ${toKb(budgetBytes)} KB`,
    );
  }
  return complaints;
}

/** `start-up 12.3 KB of 40 KB, lazy 146 KB`. */
export function describeWeight(weight: BundleWeight, budgetBytes: number): string {
  return `start-up ${(weight.startUpBytes / 1024).toFixed(1)} KB of ${toKb(budgetBytes)} KB, lazy ${toKb(weight.lazyBytes)} KB`;
}

/** Everything reached without an `import()`, with what first imported it. */
function findReached(
  start: string,
  importsOf: (path: string) => readonly MetafileImport[],
): ReadonlyMap<string, string | null> {
  const importers = new Map<string, string | null>([[start, null]]);
  for (const [path] of importers) {
    for (const imported of importsOf(path)) {
      const isStatic = imported.kind !== "dynamic-import" && imported.external !== true;
      if (isStatic && !importers.has(imported.path)) {
        importers.set(imported.path, path);
      }
    }
  }
  return importers;
}

function toChain(importers: ReadonlyMap<string, string | null>, path: string): readonly string[] {
  const chain: string[] = [];
  for (let current: string | null = path; current !== null; current = importers.get(current) ?? null) {
    // pnpm's path says everything twice; from the last node_modules on it is what one would import.
    chain.unshift(current.slice(Math.max(0, current.lastIndexOf("node_modules/"))));
  }
  return chain;
}

/** `…/node_modules/@hono/zod-openapi/dist/index.js` to `@hono/zod-openapi`; null for our own sources. */
function toPackageName(path: string): string | null {
  return /.*(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? null;
}

function toKb(bytes: number): string {
  return String(Math.round(bytes / 1024));
}
