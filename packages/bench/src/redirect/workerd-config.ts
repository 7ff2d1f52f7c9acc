/**
 * Writes what `workerd serve` needs into one folder: the target's modules, the platform's stubs and the configuration
 * that ties them together. Format: workerd.capnp of the pinned workerd.
 */
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { encodeChangePage, MADE_AT_HEADER } from "@hopline/core/feed/change-page";

import { type CapnpBinding, quote } from "./producer-bindings.ts";
import { CF_HEADER } from "./visitors.ts";

/** What the KV stub holds: every slug with this beginning has this record. */
export type KvRecords = readonly { readonly slugPrefix: string; readonly text: string }[];

export type WorkerdTarget = {
  readonly compatibilityDate: string;
  readonly compatibilityFlags: readonly string[];
  readonly bindings: readonly CapnpBinding[];
  /** The main module comes first. */
  readonly modules: readonly WorkerModule[];
  readonly records: KvRecords;
};

export type WorkerModule = { readonly name: string; readonly source: string };

/** A feed that has nothing to tell, as the API's Durable Object would say it. */
const QUIET_FEED = {
  page: encodeChangePage({ feedId: "b0b0b0b0b0b0b0b0", oldest: 1, last: 0, changes: [] }),
  tag: '"b0b0b0b0b0b0b0b0-0"',
  madeAtHeader: MADE_AT_HEADER,
};

const WORKERS = join(import.meta.dirname, "workers");

/** Empties `directory`, fills it and returns the path of the configuration; its constant is named `config`. */
export async function writeWorkerdConfig(directory: string, target: WorkerdTarget): Promise<string> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(join(directory, "target"), { recursive: true });
  for (const { name, source } of target.modules) {
    await writeFile(join(directory, "target", name), source);
  }
  for (const name of ["platform.js", "rate-limit.js"]) {
    await copyFile(join(WORKERS, name), join(directory, name));
  }
  await writeFile(join(directory, "records.json"), JSON.stringify(target.records));
  await writeFile(join(directory, "feed.json"), JSON.stringify(QUIET_FEED));
  const configPath = join(directory, "workerd.capnp");
  await writeFile(configPath, configText(target));
  return configPath;
}

/** The ES modules of a bundle folder: wrangler leaves its metafile, maps and a README there as well. */
export async function readBundle(directory: string): Promise<readonly WorkerModule[]> {
  const names = (await readdir(directory)).filter((name) => /\.m?js$/.test(name));
  // `index.js` is the main module's name whatever the entry's.
  const ordered = names.toSorted((one, other) => Number(other === "index.js") - Number(one === "index.js"));
  return Promise.all(
    ordered.map(async (name) => ({ name, source: await readFile(join(directory, name), "utf8") })),
  );
}

function configText(target: WorkerdTarget): string {
  const modules = target.modules.map(
    ({ name }) => `(name = ${quote(name)}, esModule = embed ${quote(`target/${name}`)})`,
  );
  const flags = target.compatibilityFlags.map(quote);
  const date = quote(target.compatibilityDate);
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "target", worker = .target), (name = "platform", worker = .platform)],
  sockets = [
    (name = "http", address = "127.0.0.1:0", service = "target",
      http = (cfBlobHeader = ${quote(CF_HEADER)}, forwardedProtoHeader = "x-forwarded-proto")),
    (name = "control", address = "127.0.0.1:0", service = (name = "platform", entrypoint = "control"), http = ()),
  ],
  extensions = [(modules = [(name = "bench:rate-limit", internal = true, esModule = embed "rate-limit.js")])],
);

const target :Workerd.Worker = (
  modules = [${modules.join(", ")}],
  compatibilityDate = ${date},
  compatibilityFlags = [${flags.join(", ")}],
  bindings = [
    ${target.bindings.join(",\n    ")}
  ],
  globalOutbound = (name = "platform", entrypoint = "sql"),
  cacheApiOutbound = (name = "platform", entrypoint = "cache"),
);

const platform :Workerd.Worker = (
  modules = [(name = "platform.js", esModule = embed "platform.js")],
  compatibilityDate = ${date},
  bindings = [(name = "RECORDS", json = embed "records.json"), (name = "FEED", json = embed "feed.json")],
  durableObjectNamespaces = [(className = "QuietFeed", uniqueKey = "feed")],
  durableObjectStorage = (inMemory = void),
);
`;
}
