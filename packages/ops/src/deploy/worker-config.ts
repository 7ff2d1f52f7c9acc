/**
 * What a Worker's wrangler.jsonc says about the account it is deployed to: the resources it binds, the Workers it
 * calls, the queues it reads, the secrets it needs. Nothing of it is written anywhere else.
 */
import { readFile } from "node:fs/promises";

import { Failure } from "@hopline/testkit/console/failure";
import { inWorkspace, WORKERS, type WorkerSource } from "@hopline/testkit/workspace/workspace";
import { type JsonObject, objectAt, objectsAt, parseJsonObject, textAt, textsAt } from "./json-object.ts";

export type WorkerConfig = {
  readonly source: WorkerSource;
  /** The Worker's name before an environment's suffix. */
  readonly name: string;
  readonly compatibilityDate: string;
  readonly kvBindings: readonly string[];
  /** The Workers it calls, by service binding or as the owner of a Durable Object. */
  readonly callees: readonly Callee[];
  readonly sendsTo: readonly string[];
  readonly readsFrom: readonly string[];
  readonly deadLetterQueues: readonly string[];
  readonly secrets: readonly string[];
  /** The whole file, for what is passed on unchanged. */
  readonly raw: JsonObject;
};

export type Callee = {
  /** Its name before an environment's suffix. */
  readonly worker: string;
  /** The entrypoint or the Durable Object's class; null for the Worker's own `fetch`. */
  readonly entrypoint: string | null;
};

/** All of them, in the order of WORKERS. Rejects with a `Failure` that names the file. */
export async function readWorkerConfigs(): Promise<readonly WorkerConfig[]> {
  return Promise.all(
    WORKERS.map(async (source) =>
      parseWorkerConfig(source, await readFile(inWorkspace(source.configPath), "utf8")),
    ),
  );
}

export function parseWorkerConfig(source: WorkerSource, text: string): WorkerConfig {
  const raw = parseJsonObject(text, source.configPath);
  const queues = objectAt(raw, "queues");
  const consumers = objectsAt(queues, "consumers");
  const objects = objectsAt(objectAt(raw, "durable_objects"), "bindings");
  return {
    source,
    name: requireText(raw, "name", source.configPath),
    compatibilityDate: requireText(raw, "compatibility_date", source.configPath),
    kvBindings: textsOf(objectsAt(raw, "kv_namespaces"), "binding"),
    callees: [
      ...readCallees(objectsAt(raw, "services"), "service", "entrypoint"),
      ...readCallees(objects, "script_name", "class_name"),
    ],
    sendsTo: textsOf(objectsAt(queues, "producers"), "queue"),
    readsFrom: textsOf(consumers, "queue"),
    deadLetterQueues: textsOf(consumers, "dead_letter_queue"),
    secrets: textsAt(objectAt(raw, "secrets"), "required"),
    raw,
  };
}

function readCallees(
  bindings: readonly JsonObject[],
  workerKey: string,
  entrypointKey: string,
): readonly Callee[] {
  return bindings.flatMap((binding) => {
    const worker = textAt(binding, workerKey);
    return worker === null ? [] : [{ worker, entrypoint: textAt(binding, entrypointKey) }];
  });
}

function textsOf(objects: readonly JsonObject[], key: string): readonly string[] {
  return objects.flatMap((object) => textAt(object, key) ?? []);
}

function requireText(raw: JsonObject, key: string, path: string): string {
  const text = textAt(raw, key);
  if (text === null || text === "") {
    throw new Failure(`${path} has no "${key}".`);
  }
  return text;
}
