/**
 * Runs what an account has received: the modules, assets, bindings and flags of each Worker's answering version, in one
 * workerd, with queues, KV, Durable Objects and rate limits behind them. Only the database's endpoint is replaced.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { objectAt, textAt, toJsonObject } from "@hopline/ops/deploy/json-object";
import type { LocalWorkerOptions } from "@hopline/testkit/runtime/worker-options";
import { type LocalLog, startWorkers } from "@hopline/testkit/runtime/worker-runtime";
import { MAIN_MODULE } from "@hopline/testkit/workspace/bundle-worker";
import { BUNDLES, WORKERS } from "@hopline/testkit/workspace/workspace";
import type { Binding, Consumer, FakeAccount, FakeWorker, Version } from "./account-state.ts";

export type UploadedOptions = {
  readonly account: FakeAccount;
  /** Ends the names of the Workers. */
  readonly suffix: string;
  readonly databaseUrl: string;
  readonly sqlEndpointUrl: string;
  /** In place of what was uploaded: what leads to services of others. */
  readonly vars: Readonly<Record<string, string>>;
  /** Where modules and assets are put. */
  readonly folder: string;
  readonly onLog: (log: LocalLog) => void;
};

export async function runUploaded(options: UploadedOptions): ReturnType<typeof startWorkers> {
  const { account, suffix } = options;
  const folders = new Map<string, string>();
  for (const [name, manifest] of account.assetManifests) {
    folders.set(name, await writeAssets(account, manifest, join(options.folder, name)));
  }
  return startWorkers({
    bundles: BUNDLES,
    databaseUrl: options.databaseUrl,
    sqlEndpointUrl: options.sqlEndpointUrl,
    port: 0,
    hasSideDoor: true,
    persistDirectory: null,
    onLog: options.onLog,
    arrange: (local) => {
      const name = local.name + suffix;
      const { assets } = local;
      return {
        ...toLocalWorker(account, name, options),
        ...(assets === undefined ? {} : { assets: { ...assets, directory: folders.get(name) ?? "" } }),
      };
    },
  });
}

/** Whether a version of each Worker has been uploaded that is more than a draft. */
export function isComplete({ workers }: FakeAccount, suffix: string): boolean {
  return WORKERS.every(
    ({ name }) => findVersion(workers.get(`hopline-${name}${suffix}`))?.mainModule === MAIN_MODULE,
  );
}

/** The one that answers. */
function findVersion(worker: FakeWorker | undefined): Version | undefined {
  const answering = worker?.deployments[0]?.versions[0]?.version_id;
  return worker?.versions.find(({ id }) => id === answering);
}

function toLocalWorker(account: FakeAccount, name: string, options: UploadedOptions): LocalWorkerOptions {
  const version = findVersion(account.workers.get(name));
  if (version === undefined) {
    throw new Error(`no version of ${name} answers`);
  }
  const root = join(options.folder, name);
  const of = (type: string) => version.bindings.filter((binding) => binding.type === type);
  return {
    name,
    compatibilityDate: version.compatibilityDate,
    compatibilityFlags: [...version.compatibilityFlags],
    modules: listModules(version).map(({ name: module, bytes }) => ({
      type: "ESModule",
      path: join(root, module),
      contents: Buffer.from(bytes).toString(),
    })),
    rootPath: root,
    modulesRoot: root,
    stripCfConnectingIp: false,
    bindings: { ...toVariables(version), NEON_SQL_ENDPOINT: options.sqlEndpointUrl, ...options.vars },
    kvNamespaces: toRecord(of("kv_namespace"), (binding) => ({ id: String(binding["namespace_id"]) })),
    queueProducers: toRecord(of("queue"), (binding) => ({ queueName: String(binding["queue_name"]) })),
    queueConsumers: Object.fromEntries(
      account.queues.flatMap(({ queue_name, consumers }) =>
        consumers
          .filter(({ script }) => script === name)
          .map((consumer) => [queue_name, toSettings(consumer)]),
      ),
    ),
    serviceBindings: toRecord(of("service"), (binding) => ({
      name: String(binding["service"]),
      ...(typeof binding["entrypoint"] === "string" && { entrypoint: binding["entrypoint"] }),
    })),
    durableObjects: toRecord(of("durable_object_namespace"), (binding) => ({
      className: String(binding["class_name"]),
      ...(typeof binding["script_name"] === "string"
        ? { scriptName: binding["script_name"] }
        : { useSQLite: true }),
    })),
    ratelimits: toRecord(of("ratelimit"), (binding) => ({
      namespace_id: String(binding["namespace_id"]),
      simple: toLimit(binding),
    })),
  };
}

/** The one that it begins with comes first. Source maps are uploaded beside them. */
function listModules({ mainModule, modules }: Version): Version["modules"] {
  const ours = modules.filter(({ type }) => type === "application/javascript+module");
  return ours.toSorted((one, other) => Number(other.name === mainModule) - Number(one.name === mainModule));
}

function toVariables({ bindings }: Version): Record<string, string> {
  const texts = bindings.filter(({ type }) => type === "plain_text" || type === "secret_text");
  return toRecord(texts, (binding) => textAt(binding, "text") ?? "");
}

function toLimit(binding: Binding): { limit: number; period: 10 | 60 } {
  const simple = objectAt(binding, "simple");
  return { limit: Number(simple["limit"]), period: simple["period"] === 10 ? 10 : 60 };
}

function toSettings({ body }: Consumer) {
  const settings = objectAt(toJsonObject(body), "settings");
  const deadLetterQueue = textAt(toJsonObject(body), "dead_letter_queue");
  return {
    maxBatchSize: Number(settings["batch_size"]),
    ...(settings["max_wait_time_ms"] === undefined
      ? {}
      : { maxBatchTimeout: Number(settings["max_wait_time_ms"]) / 1000 }),
    maxRetries: Number(settings["max_retries"]),
    ...(deadLetterQueue === null ? {} : { deadLetterQueue }),
  };
}

function toRecord<T>(bindings: readonly Binding[], toValue: (binding: Binding) => T): Record<string, T> {
  return Object.fromEntries(bindings.map((binding) => [binding.name, toValue(binding)]));
}

async function writeAssets(
  account: FakeAccount,
  manifest: Readonly<Record<string, string>>,
  folder: string,
): Promise<string> {
  for (const [path, hash] of Object.entries(manifest)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), Buffer.from(account.assets.get(hash) ?? "", "base64"));
  }
  return folder;
}
