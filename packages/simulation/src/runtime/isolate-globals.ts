/** The globals of one isolate: its clock, its randomness, its timers and its network, in place of Node's. */
import { inScope, currentScope } from "./request-scope.ts";
import type { Seeded } from "../time/seeded.ts";
import type { VirtualTime } from "../time/virtual-time.ts";

export type IsolatePlatform = {
  readonly time: VirtualTime;
  readonly random: Seeded;
  /** How far the isolate's clock is ahead now, milliseconds. */
  readonly aheadMs: () => number;
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
  /** The data centre's Cache API. */
  readonly cache: object;
  readonly log: (line: string) => void;
};

/** By name, in the order in which a Worker's factory takes them. */
export function createGlobals(platform: IsolatePlatform): Readonly<Record<string, unknown>> {
  const { time, random, aheadMs, log } = platform;
  const nowMs = (): number => Math.floor(time.nowMs() + aheadMs());
  const timers = new Map<number, true>();
  let lastTimer = 0;
  const setTimer = (run: (...values: unknown[]) => void, ms = 0, ...values: unknown[]): number => {
    const timer = (lastTimer += 1);
    timers.set(timer, true);
    const ring = inScope(currentScope(), () => run(...values));
    time.at(time.nowMs() + Math.max(0, Number(ms) || 0), () => {
      if (timers.delete(timer)) {
        ring();
      }
    });
    return timer;
  };
  const globals: Record<string, unknown> = {
    Date: new Proxy(Date, {
      construct: (target, given) => Reflect.construct(target, given.length === 0 ? [nowMs()] : given),
      get: (target, name) => (name === "now" ? nowMs : Reflect.get(target, name)),
    }),
    Math: Object.create(Math, { random: { value: random.next } }),
    performance: { now: nowMs, timeOrigin: 0 },
    setTimeout: setTimer,
    clearTimeout: (timer: number) => void timers.delete(timer),
    scheduler: { wait: (ms: number) => new Promise<void>((resolve) => setTimer(() => resolve(), ms)) },
    AbortSignal: new Proxy(AbortSignal, {
      get: (target, name) =>
        name === "timeout"
          ? (ms: number) => {
              const controller = new AbortController();
              const abort = (): void =>
                controller.abort(new DOMException("no answer in time", "TimeoutError"));
              time.at(time.nowMs() + ms, inScope(currentScope(), abort));
              return controller.signal;
            }
          : Reflect.get(target, name),
    }),
    crypto: createCrypto(platform),
    fetch: platform.fetch,
    caches: { default: platform.cache },
    console: { log, info: log, warn: log, error: log, debug: () => undefined },
    navigator: { userAgent: "Cloudflare-Workers" },
  };
  const globalObject: unknown = Object.create(
    globalThis,
    Object.fromEntries(Object.entries(globals).map(([name, value]) => [name, { value, writable: true }])),
  );
  return { ...globals, globalThis: globalObject, self: globalObject };
}

/** Web Crypto computes in threads: its answers come while the clock stands still, one after the other. */
function createCrypto({ time, random }: IsolatePlatform): object {
  const getRandomValues = (array: Uint8Array): Uint8Array => array.map(() => random.between(0, 255));
  return {
    getRandomValues(array: Uint8Array) {
      array.set(getRandomValues(array));
      return array;
    },
    randomUUID() {
      const hex = Buffer.from(getRandomValues(new Uint8Array(16))).toString("hex");
      const variant = random.pick(["8", "9", "a", "b"]);
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
    },
    subtle: new Proxy(crypto.subtle, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        return typeof method === "function"
          ? (...values: unknown[]) => time.outside(async () => Reflect.apply(method, target, values))
          : method;
      },
    }),
  };
}
