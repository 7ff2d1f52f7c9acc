/** Judges an upload of a Worker as Cloudflare does: what it binds, how large it is, what it asks of the runtime. Pure. */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

import {
  objectAt,
  objectsAt,
  parseJsonObject,
  type JsonObject,
  textAt,
  textsAt,
} from "@hopline/ops/deploy/json-object";
import type { Binding, FakeAccount, FakeWorker, Module } from "./account-state.ts";
import * as refuse from "./refusals.ts";
import type { Refusal } from "./refusals.ts";

export type Upload = {
  readonly name: string;
  readonly metadata: JsonObject;
  readonly modules: readonly Module[];
  readonly exported: readonly string[];
};

const flags = parseJsonObject(
  readFileSync(new URL("compatibility-flags.json", import.meta.url), "utf8"),
  "compatibility-flags.json",
);
const KNOWN_FLAGS = new Set(textsAt(flags, "known"));
const EXPERIMENTAL_FLAGS = new Set(textsAt(flags, "experimental"));

/** Null where it is taken. `today`: YYYY-MM-DD. */
export function checkUpload(account: FakeAccount, upload: Upload, today: string): Refusal | null {
  const worker = account.workers.get(upload.name);
  return (
    (account.subdomain === null ? refuse.SUBDOMAIN_REQUIRED : null) ??
    checkName(account, upload.name) ??
    checkSize(account, upload) ??
    checkCompatibility(upload.metadata, today) ??
    checkMigrations(account, worker, upload) ??
    first(objectsAt(upload.metadata, "bindings"), (binding) => checkBinding(account, upload, binding)) ??
    checkVariables(account, objectsAt(upload.metadata, "bindings"))
  );
}

/** The bindings of the new version: with what it inherits and keeps of the one before. */
export function resolveBindings(worker: FakeWorker | undefined, metadata: JsonObject): readonly Binding[] {
  const before = worker?.versions.at(-1)?.bindings ?? [];
  const given = objectsAt(metadata, "bindings").map((binding): Binding => {
    const name = textAt(binding, "name") ?? "";
    const inherited = before.find((candidate) => candidate.name === name);
    return binding["type"] === "inherit" && inherited !== undefined
      ? inherited
      : { ...binding, name, type: textAt(binding, "type") ?? "" };
  });
  const kept = textsAt(metadata, "keep_bindings");
  const names = new Set(given.map(({ name }) => name));
  return [...given, ...before.filter(({ name, type }) => kept.includes(type) && !names.has(name))];
}

function checkName(account: FakeAccount, name: string): Refusal | null {
  const { workers } = refuse.LIMITS[account.plan];
  if (!/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name) || name.length > refuse.MAX_NAME_LENGTH) {
    return refuse.invalid(`"${name}" is no name of a Worker`);
  }
  const isNew = !account.workers.has(name);
  return isNew && account.workers.size >= workers
    ? refuse.invalid(`The account has ${workers} Workers already`)
    : null;
}

function checkSize(account: FakeAccount, { modules }: Upload): Refusal | null {
  const code = modules.filter(({ type }) => !type.includes("source-map"));
  const bytes = code.reduce((sum, module) => sum + module.bytes.byteLength, 0);
  const compressed = code.reduce((sum, module) => sum + gzipSync(module.bytes, { level: 1 }).byteLength, 0);
  const isTooLarge =
    bytes > refuse.MAX_UNCOMPRESSED_BYTES || compressed > refuse.LIMITS[account.plan].scriptBytes;
  return isTooLarge ? refuse.TOO_LARGE : null;
}

function checkCompatibility(metadata: JsonObject, today: string): Refusal | null {
  const date = textAt(metadata, "compatibility_date");
  if (date !== null && date > today) {
    return refuse.invalid(
      `Can't set compatibility date in the future: "${date}". Today's date (UTC) is "${today}".`,
    );
  }
  return first(textsAt(metadata, "compatibility_flags"), (flag) => {
    if (EXPERIMENTAL_FLAGS.has(flag)) {
      return refuse.invalid(
        `The compatibility flag ${flag} is experimental and may break or be removed in a future version.`,
      );
    }
    return KNOWN_FLAGS.has(flag) ? null : refuse.invalid(`No such compatibility flag: ${flag}`);
  });
}

function checkMigrations(
  account: FakeAccount,
  worker: FakeWorker | undefined,
  upload: Upload,
): Refusal | null {
  const migrations = objectAt(upload.metadata, "migrations");
  if (
    Object.keys(migrations).length > 0 &&
    (textAt(migrations, "old_tag") ?? null) !== (worker?.migrationTag ?? null)
  ) {
    return refuse.MIGRATION_CONFLICT;
  }
  const steps = objectsAt(migrations, "steps");
  const isPlain = steps.some((step) => textsAt(step, "new_classes").length > 0);
  if (isPlain && account.plan === "free") {
    return refuse.SQLITE_ONLY;
  }
  const gone = new Set(
    steps.flatMap((step) => [
      ...textsAt(step, "deleted_classes"),
      ...objectsAt(step, "renamed_classes").flatMap((entry) => textAt(entry, "from") ?? []),
    ]),
  );
  const missing = [...(worker?.classes ?? [])].find(
    (name) => !gone.has(name) && !upload.exported.includes(name),
  );
  return missing === undefined ? null : refuse.missingClass(missing);
}

function checkBinding(account: FakeAccount, upload: Upload, binding: JsonObject): Refusal | null {
  const name = textAt(binding, "name") ?? "";
  switch (binding["type"]) {
    case "inherit": {
      const before = account.workers.get(upload.name)?.versions.at(-1)?.bindings ?? [];
      return before.some((candidate) => candidate.name === name) ? null : refuse.cannotInherit(name);
    }
    case "kv_namespace": {
      const id = textAt(binding, "namespace_id") ?? "";
      return account.namespaces.some((namespace) => namespace.id === id) ? null : refuse.noSuchKv(id);
    }
    case "queue": {
      const queue = textAt(binding, "queue_name") ?? "";
      return account.queues.some(({ queue_name }) => queue_name === queue)
        ? null
        : refuse.noSuchQueueBinding(queue);
    }
    case "service": {
      const service = textAt(binding, "service") ?? "";
      const entrypoint = textAt(binding, "entrypoint");
      const exported = service === upload.name ? upload.exported : findExported(account, service);
      const isThere = exported !== null && (entrypoint === null || exported.includes(entrypoint));
      return isThere ? null : refuse.noSuchService(name);
    }
    case "durable_object_namespace":
      return checkClass(account, upload, binding);
    default:
      return null;
  }
}

function checkClass(account: FakeAccount, upload: Upload, binding: JsonObject): Refusal | null {
  const className = textAt(binding, "class_name") ?? "";
  const owner = textAt(binding, "script_name") ?? upload.name;
  const steps = objectsAt(objectAt(upload.metadata, "migrations"), "steps");
  const isNew =
    owner === upload.name &&
    steps.some((step) =>
      [
        ...textsAt(step, "new_sqlite_classes"),
        ...textsAt(step, "new_classes"),
        ...objectsAt(step, "renamed_classes").map((entry) => textAt(entry, "to")),
      ].includes(className),
    );
  return isNew || account.workers.get(owner)?.classes.has(className) === true
    ? null
    : refuse.noSuchClass(className);
}

/** https://developers.cloudflare.com/workers/platform/limits/#environment-variables: number with secrets, and size of each. */
function checkVariables(account: FakeAccount, bindings: readonly JsonObject[]): Refusal | null {
  const { variables } = refuse.LIMITS[account.plan];
  const texts = bindings.filter(
    ({ type }) => type === "plain_text" || type === "secret_text" || type === "inherit",
  );
  const large = texts.find(
    (binding) => Buffer.byteLength(textAt(binding, "text") ?? "") > refuse.MAX_VARIABLE_BYTES,
  );
  if (large !== undefined) {
    return refuse.invalid(`The variable ${textAt(large, "name")} is larger than 5 KB`);
  }
  return texts.length > variables ? refuse.invalid(`A Worker has at most ${variables} variables`) : null;
}

function findExported(account: FakeAccount, name: string): readonly string[] | null {
  return account.workers.get(name)?.versions.at(-1)?.exported ?? null;
}

function first<T>(list: readonly T[], judge: (entry: T) => Refusal | null): Refusal | null {
  for (const entry of list) {
    const found = judge(entry);
    if (found !== null) {
      return found;
    }
  }
  return null;
}
