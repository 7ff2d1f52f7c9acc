/**
 * The Cloudflare account, through the wrangler command line: what it has, and the few things that are made in it.
 *
 * Wrangler brings its own login (CLOUDFLARE_API_TOKEN or `wrangler login`), retries and API versions; this file only
 * reads what it prints. Secrets travel on standard input, never in an argument that a list of processes shows.
 */
import { summariseWranglerError } from "@hopline/testkit/workspace/build-workers";
import { Failure } from "@hopline/testkit/console/failure";
import type { ToolRun } from "@hopline/testkit/console/run-tool";
import { isJsonObject, type JsonObject, textAt } from "./json-object.ts";

/** Runs wrangler with arguments and, where given, standard input. */
export type RunWrangler = (wranglerArguments: readonly string[], input?: string) => Promise<ToolRun>;

export type Account = {
  /** Title to id. */
  listKvNamespaces(): Promise<ReadonlyMap<string, string>>;
  createKvNamespace(title: string): Promise<void>;
  listQueues(): Promise<readonly string[]>;
  createQueue(name: string): Promise<void>;
  /** Names of a Worker's secrets; null where there is no such Worker. */
  listSecrets(worker: string): Promise<readonly string[] | null>;
  /** Sets secrets of a Worker, which is created empty when it is not there yet. */
  putSecrets(worker: string, values: ReadonlyMap<string, string>): Promise<void>;
};

/** A table's row of `wrangler queues list`: id, then name. */
const QUEUE_ROW = /^│ [0-9a-f]{32} +│ (\S+) +│/gm;
const MAX_QUEUE_PAGES = 500;
/** What wrangler says of a Worker that is not there. */
export const NO_WORKER = /Worker "[^"]+" not found|does not exist on your account|\[code: 10007\]/;

/** Every call rejects with a `Failure` that carries wrangler's own message. */
export function createAccount(runWrangler: RunWrangler): Account {
  const expect = async (doing: string, wranglerArguments: readonly string[], input?: string) => {
    const { exitCode, output } = await runWrangler(wranglerArguments, input);
    if (exitCode !== 0) {
      throw new Failure(`${doing} failed: ${summariseWranglerError(output)}`);
    }
    return output;
  };
  return {
    async listKvNamespaces() {
      const output = await expect("Listing the KV namespaces", ["kv", "namespace", "list"]);
      const namespaces = readJsonList(output);
      return new Map(namespaces.map((entry) => [textAt(entry, "title") ?? "", textAt(entry, "id") ?? ""]));
    },
    async createKvNamespace(title) {
      await expect(`Making the KV namespace ${title}`, ["kv", "namespace", "create", title]);
    },
    async listQueues() {
      const names: string[] = [];
      for (let page = 1; page <= MAX_QUEUE_PAGES; page += 1) {
        const output = await expect("Listing the queues", ["queues", "list", "--page", String(page)]);
        const found = [...output.matchAll(QUEUE_ROW)].map((row) => row[1] ?? "");
        if (found.length === 0) {
          break;
        }
        names.push(...found);
      }
      return names;
    },
    async createQueue(name) {
      await expect(`Making the queue ${name}`, ["queues", "create", name]);
    },
    async listSecrets(worker) {
      const { exitCode, output } = await runWrangler(["secret", "list", "--name", worker]);
      if (exitCode === 0) {
        return readJsonList(output).map((entry) => textAt(entry, "name") ?? "");
      }
      if (NO_WORKER.test(output)) {
        return null;
      }
      throw new Failure(`Listing the secrets of ${worker} failed: ${summariseWranglerError(output)}`);
    },
    async putSecrets(worker, values) {
      const input = JSON.stringify(Object.fromEntries(values));
      await expect(`Setting secrets of ${worker}`, ["secret", "bulk", "--name", worker], input);
    },
  };
}

/**
 * The objects of the JSON list in a tool's output; wrangler may put notices before and after it. The list stands on one
 * line, or ends with a bracket at a line's beginning: brackets further in are lists of its own.
 */
export function readJsonList(output: string): readonly JsonObject[] {
  const text = /^\[(?:[^\n]*\]$|\n[\s\S]*?^\]$)/m.exec(output)?.[0];
  try {
    const value: unknown = text === undefined ? [] : JSON.parse(text);
    return Array.isArray(value) ? value.filter(isJsonObject) : [];
  } catch (cause) {
    throw new Failure(`wrangler printed something that is not JSON: ${output.slice(0, 200)}`, { cause });
  }
}
