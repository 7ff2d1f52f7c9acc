/** A deployment of the real Workers on the models of the platform: isolates that come and go, with bindings as wrangler.jsonc names them. */
import { asRole } from "@hopline/testkit/postgres/worker-roles";
import { createCacheApi } from "../platform/cache-api.ts";
import { type SimulatedClickHouse, CLICKHOUSE_URL, isForClickHouse } from "../platform/clickhouse.ts";
import { createDurableObjects } from "../platform/durable-object.ts";
import { createKv, type Kv, type OnWrite } from "../platform/kv.ts";
import { createNetwork, createWeather } from "../platform/network.ts";
import type { SimulatedDatabase } from "../platform/postgres.ts";
import { createQueues } from "../platform/queues.ts";
import { createRateLimit } from "../platform/rate-limit.ts";
import { createGlobals } from "../runtime/isolate-globals.ts";
import type { Context, WorkerCode, WorkerExports, WorkerName } from "../runtime/load-worker.ts";
import { type Invocation, invoke, type RequestScope } from "../runtime/request-scope.ts";
import type { Seeded } from "../time/seeded.ts";
import type { VirtualTime } from "../time/virtual-time.ts";
import { APP_ORIGIN, AUTH_SECRET } from "./workspaces.ts";

export type Code = Readonly<Record<WorkerName, WorkerCode>>;

/** What checks want to know, when it happens. */
export type Observer = {
  readonly onAnnounced: (key: string, version: number) => void;
  readonly onKvWritten: OnWrite;
  /** A click queue has a message of the isolate, whatever that hears of it. */
  readonly onAccepted: (isolate: string, body: unknown) => void;
  readonly onSpilled: (isolate: string, text: string) => void;
  /** A line of a Worker's log. */
  readonly onLog: (isolate: string, line: string) => void;
  /** A request to the rest of the world. */
  readonly onOutside: (request: Request) => Promise<Response>;
  /** A statement that may have changed something was done. */
  readonly onWrite: () => Promise<void>;
};

export type Isolate = {
  readonly name: string;
  readonly worker: WorkerName;
  readonly colo: string;
  readonly parts: Parts;
  readonly fetch: (request: Request) => Invocation<Response>;
  readonly queue: (batch: object) => Invocation<unknown>;
  readonly scheduled: () => Invocation<unknown>;
  /** Its memory is gone, and all that runs in it. */
  readonly evict: () => void;
};

export type Deployment = ReturnType<typeof createDeployment>;

type Parts = { readonly exports: WorkerExports; readonly env: object };

const SQL_ENDPOINT = "https://database.simulated.example/sql";
export const SEAL_KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const SECRETS: Readonly<Record<WorkerName, Readonly<Record<string, string>>>> = {
  producer: { SEAL_KEY },
  consumer: { SEAL_KEY, VISITOR_SECRET: "visitors of a life" },
  api: {
    METRICS_TOKEN: "metrics of a life",
    APP_ORIGIN,
    AUTH_SECRET,
    WEBHOOK_SEAL_KEY: SEAL_KEY,
    VOUCHED_SUFFIXES: "example.com",
    REQUESTS_PER_MINUTE: "100000",
  },
};
/** Isolates of the API, and of the consumer. */
const SHARED_BY = 2;
const CLICKS = /^hopline-clicks-\d+$/;

export function createDeployment(deps: {
  readonly code: Code;
  readonly time: VirtualTime;
  readonly random: Seeded;
  readonly database: SimulatedDatabase;
  /** Where clicks are counted in it. */
  readonly clickHouse: SimulatedClickHouse | null;
  readonly feedDistanceMs: number;
  readonly variables: Readonly<Record<string, string>>;
  readonly observer: Observer;
}) {
  const { code, time, random, database, clickHouse, observer } = deps;
  const weather = createWeather(time, random.fork("weather"));
  const network = createNetwork(time, random.fork("network"));
  const kvOf = (name: string): Kv => createKv({ time, weather, network, random: random.fork(name) });
  const [links, spill] = [kvOf("links"), kvOf("spill")];
  const caches = new Map<string, object>();
  const isolates = new Map<string, Isolate>();
  const steps = new Map<string, number>();
  const balance = random.fork("balance");
  let started = 0;

  const feed = createDurableObjects({
    network,
    weather,
    random: random.fork("feed"),
    create(state) {
      const { exports, env } = anyOf("api").parts;
      return construct(exports["ChangeFeed"], [state, env]);
    },
    onCall(method, [changes]) {
      if (method === "append" && Array.isArray(changes)) {
        for (const { key, version } of changes as readonly { key: string; version: number }[]) {
          observer.onAnnounced(key, version);
        }
      }
    },
  });
  const queues = createQueues({
    time,
    weather,
    network,
    random: random.fork("queues"),
    consumers: [...code.consumer.config.consumers, ...code.api.config.consumers],
    async deliver(batch) {
      const owner = code.api.config.consumers.some(({ queue }) => queue === batch.queue) ? "api" : "consumer";
      await untilAnswered(anyOf(owner).queue(batch), time);
    },
  });

  /** Modules in a memory of their own. */
  function startModule(worker: WorkerName, name: string, colo: string): WorkerExports {
    const own = random.fork(name);
    const aheadMs = own.between(-15, 15);
    const cache = caches.get(colo) ?? createCacheApi(time, random.fork(`cache of ${colo}`), network);
    caches.set(colo, cache);
    return code[worker].start(
      createGlobals({
        time,
        random: own,
        aheadMs: () => aheadMs + (steps.get(colo) ?? 0),
        cache,
        log: (line) => observer.onLog(name, line),
        fetch: createFetch(own.fork("network")),
      }),
    );
  }

  /** A store on a bad day. What it does really takes time. */
  function callStore(
    own: Seeded,
    store: "database" | "clickhouse",
    work: () => Promise<Response>,
  ): Promise<Response> {
    const isDown = weather.strikes(`${store}.down`);
    const isLost = weather.strikes(`${store}.answer-lost`);
    const hangs = weather.strikes(`${store}.hangs`);
    const slowMs = weather.strikes(`${store}.slow`) ? own.between(50, 350) : 0;
    return network.call(
      () => {
        if (isDown) {
          throw new TypeError("fetch failed");
        }
        return work();
      },
      { thereMs: own.between(1, 12) + slowMs, end: hangs ? "hangs" : isLost ? "lost" : undefined },
    );
  }

  function createFetch(own: Seeded) {
    return async (address: string | URL, init: RequestInit = {}): Promise<Response> => {
      const url = String(address);
      const signal = init.signal ?? null;
      if (clickHouse !== null && isForClickHouse(url)) {
        const work = () => time.outside(() => clickHouse.answer(url, init));
        return untilAborted(callStore(own, "clickhouse", work), signal);
      }
      if (url !== SQL_ENDPOINT) {
        return network.call(() => observer.onOutside(new Request(url, { ...init, signal: null })), {
          thereMs: own.between(5, 300),
          end: own.chance(0.05) ? "lost" : undefined,
        });
      }
      const body = typeof init.body === "string" ? init.body : "";
      const answered = callStore(own, "database", async () => {
        const answer = await time.outside(() =>
          database.answer({ body, headers: new Headers(init.headers), nowMs: time.nowMs() }),
        );
        if (/\b(?:insert|update|delete|claim_uses|return_uses)\b/i.test(body)) {
          await observer.onWrite();
        }
        return answer;
      });
      return untilAborted(answered, signal);
    };
  }

  function envOf(worker: WorkerName, name: string, colo: string): object {
    const { config } = code[worker];
    const limits = config.rateLimits.map(
      (limit) => [limit.name, createRateLimit(time, limit.simple)] as const,
    );
    return {
      ...config.vars,
      ...SECRETS[worker],
      ...deps.variables,
      ...(clickHouse !== null && { CLICKHOUSE_URL }),
      DATABASE_URL: asRole(`hopline_${worker}`),
      NEON_SQL_ENDPOINT: SQL_ENDPOINT,
      LINKS: links.bind(colo, observer.onKvWritten),
      SPILL: spill.bind(colo, (_key, text) => observer.onSpilled(name, text)),
      CHANGE_FEED: feed.bind(Math.min(deps.feedDistanceMs, 250)),
      CHANGE_FEED_MODE: deps.feedDistanceMs === Infinity ? "off" : "on",
      ...Object.fromEntries(limits),
      ...Object.fromEntries(
        config.producers.map(({ binding, queue }) => [
          binding,
          queues.bind(queue, (body) => CLICKS.test(queue) && observer.onAccepted(name, body)),
        ]),
      ),
      API: {
        fetch: (request: Request) => network.call(() => anyOf("api").fetch(request).answer, { thereMs: 1 }),
      },
      USED_UP_LINKS: {
        fetch: () => callEntrypoint(anyOf("api").parts, ["UsedUpLinks", "fetch"]),
      },
    };
  }

  /** Another entrypoint of an isolate: its name and its method. */
  function callEntrypoint(
    { exports, env }: Parts,
    [entrypoint, method]: readonly [string, string],
    values: readonly unknown[] = [],
  ): Promise<unknown> {
    const work = (): Promise<unknown> =>
      invoke(time, (scope) => {
        const made = construct(exports[entrypoint], [scope, env]);
        return Reflect.apply(Reflect.get(made, method), made, values) as Promise<unknown>;
      }).answer;
    return network.call(work, { thereMs: 1 });
  }

  function startIsolate(worker: WorkerName, colo: string): Isolate {
    started += 1;
    const name = `${worker} ${started} in ${colo}`;
    const exports = startModule(worker, name, colo);
    const env = envOf(worker, name, colo);
    const scopes = new Set<RequestScope>();
    const run = <Result>(handler: "fetch" | "queue" | "scheduled", first: unknown): Invocation<Result> => {
      return invoke(time, (scope) => {
        scopes.add(scope);
        return exports.default[handler]?.(first, env, toContext(scope)) as Result | Promise<Result>;
      });
    };
    const toContext = (scope: RequestScope): Context =>
      Object.assign(Object.create(scope), {
        waitUntil: scope.waitUntil,
        passThroughOnException: () => undefined,
        exports: {
          SpillShare: {
            drain: (keys: readonly string[]) =>
              callEntrypoint({ exports, env }, ["SpillShare", "drain"], [keys]),
          },
        },
      }) as Context;
    return {
      name,
      worker,
      colo,
      parts: { exports, env },
      fetch: (request) => run("fetch", request),
      queue: (batch) => run("queue", batch),
      scheduled: () => run("scheduled", { scheduledTime: time.nowMs(), cron: "* * * * *" }),
      evict() {
        scopes.forEach((scope) => (scope.isAlive = false));
        scopes.clear();
      },
    };
  }

  function isolateAt(slot: string, worker: WorkerName, colo: string): Isolate {
    const isolate = isolates.get(slot) ?? startIsolate(worker, colo);
    isolates.set(slot, isolate);
    return isolate;
  }
  /** One of the isolates that share its work. */
  const anyOf = (worker: "api" | "consumer"): Isolate =>
    isolateAt(`${worker} ${balance.between(1, SHARED_BY)}`, worker, "home");

  return {
    time,
    weather,
    links,
    spill,
    queues,
    feed,
    /** The producer's isolate of that number in a data centre: a new one if there is none. */
    producerAt: (colo: string, index: number) => isolateAt(`${colo} ${index}`, "producer", colo),
    /** Those that are there. */
    producers: (): readonly Isolate[] => [...isolates.values()].filter(({ worker }) => worker === "producer"),
    anyOf,
    stepClocks: (colo: string, byMs: number) => void steps.set(colo, (steps.get(colo) ?? 0) + byMs),
    evict(isolate: Isolate): void {
      isolate.evict();
      for (const [slot, kept] of isolates) {
        if (kept === isolate) {
          isolates.delete(slot);
        }
      }
    },
  };
}

const construct = (of: unknown, values: readonly unknown[]): object =>
  Reflect.construct(of as new (...given: unknown[]) => object, values);

function untilAborted<Result>(answered: Promise<Result>, signal: AbortSignal | null): Promise<Result> {
  return signal === null
    ? answered
    : new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        answered.then(resolve, reject);
      });
}

/** A handler's quarter of an hour (Cloudflare, Queues limits). One that is lost with its isolate never answers. */
const HANDLER_MS = 15 * 60_000;

function untilAnswered<Result>({ scope, answer }: Invocation<Result>, time: VirtualTime): Promise<Result> {
  return new Promise((resolve, reject) => {
    answer.then(resolve, reject);
    const look = (leftMs: number): void => {
      if (!scope.isAlive || leftMs <= 0) {
        reject(new Error("the handler was lost"));
      } else {
        time.at(time.nowMs() + 5_000, () => look(leftMs - 5_000));
      }
    };
    look(HANDLER_MS);
  });
}
