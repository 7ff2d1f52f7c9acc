/**
 * Workers KV, as its documentation has it: a data centre keeps what it has read for a minute (or `cacheTtl`), absences too; one key takes
 * one write a second; writes are seen at once only by who does not hold a copy. https://developers.cloudflare.com/kv/concepts/how-kv-works
 */
import type { Seeded } from "../time/seeded.ts";
import type { VirtualTime } from "../time/virtual-time.ts";
import type { Network, Weather } from "./network.ts";

export type Kv = {
  /** What was written last. */
  readonly stored: ReadonlyMap<string, string>;
  /** The binding of an isolate in that data centre. */
  readonly bind: (colo: string, onWrite: OnWrite) => object;
};

/** A write was done, whatever its isolate hears of that. `isLate`: one that hung. */
export type OnWrite = (key: string, text: string, isLate: boolean) => void;

type Value = { readonly text: string; readonly metadata: unknown };
type Copy = { readonly value: Value | null; readonly readAtMs: number };
type ReadOptions = { readonly cacheTtl?: number } | string | undefined;

const COPY_SECONDS = 60;
const WRITE_EVERY_MS = 1_000;
/** A write that hangs ends with the invocation that made it: of a scheduled one or one of a queue after a quarter of an hour at the latest. */
export const HANGS_MS = 180_000;
const LIST_LIMIT = 1_000;

export function createKv(deps: {
  readonly time: VirtualTime;
  readonly random: Seeded;
  readonly weather: Weather;
  readonly network: Network;
}): Kv {
  const { time, random, weather, network } = deps;
  const values = new Map<string, Value>();
  const stored = new Map<string, string>();
  const writtenAtMs = new Map<string, number>();
  /** By data centre. */
  const copiesOf = new Map<string, Map<string, Copy>>();
  const write = (key: string, value: Value | null): void => {
    writtenAtMs.set(key, time.nowMs());
    if (value === null) {
      values.delete(key);
      stored.delete(key);
    } else {
      values.set(key, value);
      stored.set(key, value.text);
    }
  };
  const change = (
    key: string,
    value: Value | null,
    onDone = (_isLate: boolean): void => undefined,
  ): Promise<void> => {
    const isRefused = weather.strikes("kv.write-refused");
    const hangs = weather.strikes("kv.write-hangs");
    return network.call(
      () => {
        if (isRefused) {
          throw new Error("KV PUT failed: 503 Service Unavailable");
        }
        if (time.nowMs() - (writtenAtMs.get(key) ?? -Infinity) < WRITE_EVERY_MS) {
          throw new Error("KV PUT failed: 429 Too Many Requests");
        }
        const finish = (): void => {
          write(key, value);
          onDone(hangs);
        };
        if (!hangs) {
          finish();
        } else if (random.chance(0.5)) {
          // One that is never answered may be done late, after newer ones.
          time.at(time.nowMs() + random.between(0, HANGS_MS), finish);
        }
      },
      { thereMs: random.between(10, 80), end: hangs ? "hangs" : undefined },
    );
  };
  return {
    stored,
    bind(colo, onWrite) {
      const copies = copiesOf.get(colo) ?? new Map<string, Copy>();
      copiesOf.set(colo, copies);
      const lookUp = (key: string, options: ReadOptions): Value | null => {
        const seconds = typeof options === "object" ? (options.cacheTtl ?? COPY_SECONDS) : COPY_SECONDS;
        const copy = copies.get(key);
        if (copy !== undefined && time.nowMs() - copy.readAtMs < seconds * 1_000) {
          return copy.value;
        }
        const value = values.get(key) ?? null;
        copies.set(key, { value, readAtMs: time.nowMs() });
        return value;
      };
      const read = <Result>(find: () => Result): Promise<Result> => {
        const fails = weather.strikes("kv.read-fails");
        const end = weather.strikes("kv.read-hangs") ? "hangs" : undefined;
        return network.call(
          () => {
            if (fails) {
              throw new Error("KV GET failed: 500 Internal Server Error");
            }
            return find();
          },
          { thereMs: random.between(1, 30), end },
        );
      };
      return {
        get: (keys: string | readonly string[], options?: ReadOptions) =>
          read(() =>
            typeof keys === "string"
              ? (lookUp(keys, options)?.text ?? null)
              : new Map(keys.map((key) => [key, lookUp(key, options)?.text ?? null])),
          ),
        getWithMetadata: (key: string, options?: ReadOptions) =>
          read(() => {
            const value = lookUp(key, options);
            return { value: value?.text ?? null, metadata: value?.metadata ?? null, cacheStatus: null };
          }),
        put: (key: string, text: string, options?: { readonly metadata?: unknown }) =>
          change(key, { text, metadata: structuredClone(options?.metadata ?? null) }, (isLate) =>
            onWrite(key, text, isLate),
          ),
        delete: (key: string) => change(key, null),
        list: ({ prefix = "", limit = LIST_LIMIT, cursor = "" } = {}) =>
          read(() => {
            const found = [...values.keys()]
              .filter((key) => key.startsWith(prefix) && key > cursor)
              .toSorted();
            const names = found.slice(0, limit);
            const isLast = names.length === found.length;
            return {
              keys: names.map((name) => ({ name })),
              list_complete: isLast,
              ...(isLast ? {} : { cursor: names.at(-1) }),
            };
          }),
      };
    },
  };
}
