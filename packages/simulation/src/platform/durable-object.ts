/**
 * One Durable Object class: an instance a name, with storage that outlives it. A reset takes the instance's memory and fails the calls
 * that are under way. Calls arrive one at a time; values are copied on their way.
 */
import { DatabaseSync } from "node:sqlite";
import type { Seeded } from "../time/seeded.ts";
import type { Network, Weather } from "./network.ts";

export type DurableObjects = {
  /** A namespace binding, so far away from who uses it. */
  readonly bind: (distanceMs: number) => object;
  /** As when the platform moves all objects. */
  readonly reset: () => void;
};

type Instance = { readonly object: object; isGone: boolean };

const RESET = "Durable Object reset because its code was updated.";

export function createDurableObjects(deps: {
  readonly network: Network;
  readonly weather: Weather;
  readonly random: Seeded;
  readonly create: (state: object) => object;
  /** Before a method is called. */
  readonly onCall: (method: string, values: readonly unknown[]) => void;
}): DurableObjects {
  const { network, weather, random, create, onCall } = deps;
  const storages = new Map<string, object>();
  const instances = new Map<string, Instance>();
  const open = (name: string): Instance => {
    const storage = storages.get(name) ?? createStorage();
    storages.set(name, storage);
    const opened = instances.get(name) ?? { object: create({ storage }), isGone: false };
    instances.set(name, opened);
    return opened;
  };
  const call = (name: string, method: string, values: readonly unknown[], distanceMs: number) => {
    const isDown = weather.strikes("feed.down");
    const slowMs = weather.strikes("feed.slow") ? random.between(200, 2_000) : 0;
    return network.call(
      async () => {
        if (isDown) {
          throw new Error("Network connection lost.");
        }
        const instance = open(name);
        const run: unknown = Reflect.get(instance.object, method);
        if (typeof run !== "function") {
          throw new TypeError(`The RPC receiver does not implement the method "${method}".`);
        }
        onCall(method, values);
        const given = values.map((value) => (value instanceof Request ? value : structuredClone(value)));
        const result: unknown = await Reflect.apply(run, instance.object, given);
        if (instance.isGone) {
          throw new Error(RESET);
        }
        return result instanceof Response ? result : structuredClone(result);
      },
      {
        thereMs: distanceMs / 2 + slowMs,
        end: weather.strikes("feed.answer-lost") ? "lost" : undefined,
      },
    );
  };
  return {
    reset() {
      for (const instance of instances.values()) {
        instance.isGone = true;
      }
      instances.clear();
    },
    bind: (distanceMs) => ({
      getByName: (name: string) =>
        new Proxy(
          {},
          {
            get: (_target, method) =>
              method === "fetch"
                ? (url: string | Request, init?: RequestInit) =>
                    call(name, "fetch", [url instanceof Request ? url : new Request(url, init)], distanceMs)
                : (...values: unknown[]) => call(name, String(method), values, distanceMs),
          },
        ),
    }),
  };
}

/** SQLite in memory, and the synchronous key-value storage. */
function createStorage(): object {
  const database = new DatabaseSync(":memory:");
  const prepared = new Map<string, ReturnType<typeof database.prepare>>();
  const values = new Map<string, unknown>();
  let alarmAtMs: number | null = null;
  return {
    sql: {
      exec(text: string, ...parameters: (string | number | null)[]) {
        const statement = prepared.get(text) ?? database.prepare(text);
        prepared.set(text, statement);
        const rows = statement.all(...parameters);
        return { toArray: () => rows, one: () => rows[0] };
      },
    },
    transactionSync<Result>(work: () => Result): Result {
      database.exec("BEGIN");
      try {
        const result = work();
        database.exec("COMMIT");
        return result;
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
    },
    kv: {
      get: (key: string) => structuredClone(values.get(key)),
      put: (key: string, value: unknown) => void values.set(key, structuredClone(value)),
      delete: (key: string) => values.delete(key),
    },
    getAlarm: async () => alarmAtMs,
    setAlarm: async (atMs: number) => void (alarmAtMs = atMs),
  };
}
