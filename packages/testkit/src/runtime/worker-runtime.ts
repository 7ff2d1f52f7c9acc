/**
 * Runs the Workers' bundles in one local workerd with simulated KV, queues and Durable Objects.
 *
 * Owns the process of the runtime and its ports; knows nothing of what the Workers do. Queues live in its memory: they
 * are gone when it stops or reloads, so a test that cares calls `drain` first. Messages that are to be tried again later are not
 * counted there: who has such waits for what they lead to.
 */
import { setTimeout as delay } from "node:timers/promises";

import { CLOCK_NAME } from "@hopline/core/clock/work-clock";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";

import { Failure } from "../console/failure.ts";
import {
  FRONT_DOOR_SCRIPT,
  LOCAL_CF,
  SIDE_DOOR_ADDRESS,
  SIDE_DOOR_SCRIPT,
  SIDE_DOOR_WORKER,
} from "./front-door.ts";
import {
  type LocalWorkerOptions,
  queueBindingNames,
  readWorkerOptions,
  type WorkerBundle,
} from "./worker-options.ts";

const HOST = "127.0.0.1";
const FRONT_DOOR = "local-front-door";
const SIDE_DOOR = "local-side-door";
const DASHBOARD_DOOR = "local-dashboard-door";
const DASHBOARD = "hopline-dashboard";
const API = "hopline-api";
const EVERY_MINUTE = "* * * * *";
/**
 * How long the backlog must stay empty: a click lingers up to 100 ms before it is sent, and a batch leaves the backlog
 * when it is handed over, not when it is written.
 */
const SETTLED_AFTER_MS = 600;
const DRAIN_POLL_MS = 100;
/** Fixed, so that what one run spilled another can open. Known to everyone: it guards nothing but local clicks. */
const LOCAL_SEAL_KEY = "bG9jYWwgb25seTogZ3VhcmRzIG5vdGhpbmcgYXQgYWw=";
const LOCAL_VISITOR_SECRET = "local only: tells the visitors of one laptop apart";
/** Opens /api/metrics of the local stack to every reader of this file. */
const LOCAL_METRICS_TOKEN = "local-metrics";

/** Signs the sessions of `pnpm dev`, on this machine alone. */
const LOCAL_AUTH_SECRET = "local only: signs the sessions of one laptop";

export type LocalLog = { readonly level: string; readonly message: string };

export type WorkerRuntimeOptions = {
  /** The first one is the front door: it answers the public port. */
  readonly bundles: readonly WorkerBundle[];
  /** `postgresql://user:password@host/database`; handed to every Worker as DATABASE_URL. */
  readonly databaseUrl: string;
  /** Absolute URL of the /sql endpoint; handed to every Worker as NEON_SQL_ENDPOINT. */
  readonly sqlEndpointUrl: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Where the dashboard answers, if its Worker is among the bundles. */
  readonly dashboardPort?: number;
  /** Whether `send` reaches each Worker. */
  readonly hasSideDoor?: boolean;
  /** Where KV and Durable Objects keep their data; null: in memory. */
  readonly persistDirectory: string | null;
  /** Further variables and secrets, for every Worker. */
  readonly vars?: Readonly<Record<string, string>>;
  /**
   * Further isolates of the first Worker, as other data centres would run them: one for each entry, with its variables
   * on top. They share KV, Durable Objects and the Cache API, and nothing of their memory.
   */
  readonly furtherIsolates?: readonly Readonly<Record<string, string>>[];
  /** For tests that put something between a Worker and its platform: gets each Worker's options, gives back those to run. */
  readonly arrange?: (worker: LocalWorkerOptions) => LocalWorkerOptions;
  /** What the Workers print, line by line, and the runtime's own warnings. */
  readonly onLog: (log: LocalLog) => void;
};

export type WorkerRuntime = Awaited<ReturnType<typeof startWorkers>>;

/** Starts the Workers and waits until they answer. Rejects with a `Failure` when the runtime cannot start. */
export async function startWorkers(options: WorkerRuntimeOptions) {
  const ports = { public: options.port, direct: 0 };
  let workers = await readAllOptions(options, options.bundles);
  const before = signalListeners();
  const miniflare = new Miniflare(toMiniflareOptions(options, workers, ports));
  dropListenersSince(before);
  const front = workers[0];
  if (front === undefined) {
    throw new Error("invariant: there is a first Worker");
  }
  await startOrExplain(miniflare, options);
  dropListenersSince(before);
  const publicUrl = await miniflare.unsafeGetDirectURL(FRONT_DOOR);
  const producerUrl = await miniflare.unsafeGetDirectURL(front.name);
  const furtherUrls: readonly string[] = await Promise.all(
    (options.furtherIsolates ?? []).map(
      async (_vars, index) => (await miniflare.unsafeGetDirectURL(isolateName(front.name, index))).origin,
    ),
  );
  ports.public = Number(publicUrl.port);
  ports.direct = Number(producerUrl.port);

  return {
    /** What a visitor would call: with `cf` object and CF-Connecting-IP. No slash at the end. */
    url: publicUrl.origin,
    /** The first Worker without the front door, for load tests: twice as fast; address and `cf` only as the client sends them. */
    producerUrl: producerUrl.origin,
    /** The same for each isolate of `furtherIsolates`. */
    furtherUrls,
    /** Where a Worker answers to which `arrange` gave a socket of its own. */
    getDirectUrl: async (worker: string): Promise<string> =>
      (await miniflare.unsafeGetDirectURL(worker)).origin,
    /** A Worker's bindings (KV, queues, services, variables) as it sees them; `worker` as named in its configuration. */
    getBindings: <Env = Record<string, unknown>>(worker: string) => miniflare.getBindings<Env>(worker),
    /** Sends a request to a Worker under any address, with `hasSideDoor`. */
    send: async (worker: string, address: string, init: RequestInit): Promise<Response> => {
      const headers = new Headers(init.headers);
      headers.set(SIDE_DOOR_WORKER, worker);
      headers.set(SIDE_DOOR_ADDRESS, address);
      const door = await miniflare.unsafeGetDirectURL(SIDE_DOOR);
      return fetch(door, { ...init, headers, redirect: "manual" });
    },
    /** The KV namespace behind a binding of a Worker, by default the first one. */
    getKv: (binding: string, worker = front.name) => miniflare.getKVNamespace(binding, worker),
    /** Hands these messages to a Worker as one batch of a queue. */
    deliver: async (worker: string, queue: string, bodies: readonly unknown[]) => {
      const timestamp = new Date();
      const messages = bodies.map((body, index) => ({ id: `${index}`, timestamp, attempts: 1, body }));
      return (await miniflare.getWorker(worker)).queue(queue, messages);
    },
    /** Runs a Worker's scheduled handler now, as its clock would. Its jobs rest if nothing was announced. */
    dispatchScheduled: async (worker: string) =>
      (await miniflare.getWorker(worker)).scheduled({ cron: EVERY_MINUTE }),
    /** The same after the announcement of work that the caller has put into the database or the spill behind the Workers' backs. */
    runJobs: async (worker: string, api: string = API) => {
      const { CHANGE_FEED: clocks } = await miniflare.getBindings<{
        CHANGE_FEED: {
          getByName(name: string): { fetch(url: string, init: RequestInit): Promise<unknown> };
        };
      }>(api);
      await clocks.getByName(CLOCK_NAME).fetch("https://clock/clock/spilled", { method: "POST" });
      await (await miniflare.getWorker(worker)).scheduled({ cron: EVERY_MINUTE });
    },
    /** Replaces the Workers' code and configuration; ports, KV and Durable Objects stay, queues are emptied. */
    reload: async (bundles: readonly WorkerBundle[] = options.bundles): Promise<void> => {
      workers = await readAllOptions(options, bundles);
      await miniflare.setOptions(toMiniflareOptions(options, workers, ports));
    },
    /** Waits until no queue has a message left. Resolves to how many there still are when the time is up. */
    drain: (timeoutMs: number) => drainQueues(() => countBacklog(miniflare, workers), timeoutMs),
    /** Ends the runtime. What is still in a queue is lost. */
    stop: () => miniflare.dispose(),
    [Symbol.asyncDispose]: () => miniflare.dispose(),
  };
}

async function readAllOptions(options: WorkerRuntimeOptions, bundles: readonly WorkerBundle[]) {
  const vars = {
    SEAL_KEY: LOCAL_SEAL_KEY,
    VISITOR_SECRET: LOCAL_VISITOR_SECRET,
    METRICS_TOKEN: LOCAL_METRICS_TOKEN,
    AUTH_SECRET: LOCAL_AUTH_SECRET,
    WEBHOOK_SEAL_KEY: LOCAL_SEAL_KEY,
    ...options.vars,
    DATABASE_URL: options.databaseUrl,
    NEON_SQL_ENDPOINT: options.sqlEndpointUrl,
  };
  const { arrange = (worker) => worker } = options;
  return Promise.all(bundles.map(async (bundle) => arrange(await readWorkerOptions(bundle, vars))));
}

function toMiniflareOptions(
  options: WorkerRuntimeOptions,
  workers: readonly LocalWorkerOptions[],
  ports: { readonly public: number; readonly direct: number },
) {
  const [front, ...others] = workers;
  if (front === undefined) {
    throw new Error("invariant: there is a first Worker");
  }
  return convertV4MiniflareOptions({
    host: HOST,
    port: 0,
    // Given, so that it is not fetched.
    cf: LOCAL_CF,
    telemetry: { enabled: false },
    log: createRuntimeLog(options.onLog),
    handleStructuredLogs: ({ level, message }) => options.onLog({ level, message }),
    ...(options.persistDirectory === null ? {} : { resourcePersistencePath: options.persistDirectory }),
    workers: [
      { ...front, unsafeDirectSockets: [{ host: HOST, port: ports.direct }] },
      ...(options.furtherIsolates ?? []).map((vars, index) => ({
        ...front,
        name: isolateName(front.name, index),
        bindings: { ...front.bindings, ...vars },
        unsafeDirectSockets: [{ host: HOST, port: 0 }],
      })),
      ...others,
      toDoor(FRONT_DOOR, { leadsTo: front, port: ports.public }),
      ...others
        .filter(({ name }) => name === DASHBOARD && options.dashboardPort !== undefined)
        .map((dashboard) => toDoor(DASHBOARD_DOOR, { leadsTo: dashboard, port: options.dashboardPort ?? 0 })),
      ...(options.hasSideDoor === true ? [toSideDoor(workers)] : []),
    ],
  });
}

function toDoor(
  name: string,
  { leadsTo, port }: { readonly leadsTo: LocalWorkerOptions; readonly port: number },
) {
  return {
    name,
    compatibilityDate: leadsTo.compatibilityDate ?? "2026-10-20",
    modules: [{ type: "ESModule" as const, path: "front-door.js", contents: FRONT_DOOR_SCRIPT }],
    serviceBindings: { WORKER: leadsTo.name },
    bindings: { CF: LOCAL_CF },
    unsafeDirectSockets: [{ host: HOST, port }],
  };
}

function toSideDoor(workers: readonly LocalWorkerOptions[]) {
  return {
    name: SIDE_DOOR,
    compatibilityDate: workers[0]?.compatibilityDate ?? "2026-10-20",
    modules: [{ type: "ESModule" as const, path: "side-door.js", contents: SIDE_DOOR_SCRIPT }],
    serviceBindings: Object.fromEntries(workers.map(({ name }) => [name, name])),
    bindings: { CF: LOCAL_CF },
    unsafeDirectSockets: [{ host: HOST, port: 0 }],
  };
}

function isolateName(worker: string, index: number): string {
  return `${worker}-isolate-${index + 2}`;
}

async function startOrExplain(miniflare: Miniflare, options: WorkerRuntimeOptions): Promise<void> {
  try {
    await miniflare.ready;
  } catch (cause) {
    await miniflare.dispose().catch(() => undefined);
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Failure(`The Workers' runtime did not start on port ${options.port}: ${message}`, { cause });
  }
}

async function countBacklog(miniflare: Miniflare, workers: readonly LocalWorkerOptions[]): Promise<number> {
  let messages = 0;
  for (const worker of workers) {
    const bindings = await miniflare.getBindings<
      Record<string, { metrics(): Promise<{ backlogCount: number }> }>
    >(worker.name);
    for (const name of queueBindingNames(worker)) {
      messages += (await bindings[name]?.metrics())?.backlogCount ?? 0;
    }
  }
  return messages;
}

async function drainQueues(countMessages: () => Promise<number>, timeoutMs: number): Promise<number> {
  const endsAtMs = performance.now() + timeoutMs;
  let emptySinceMs: number | null = null;
  for (;;) {
    const messages = await countMessages();
    const nowMs = performance.now();
    emptySinceMs = messages === 0 ? (emptySinceMs ?? nowMs) : null;
    if ((emptySinceMs !== null && nowMs - emptySinceMs >= SETTLED_AFTER_MS) || nowMs >= endsAtMs) {
      return messages;
    }
    await delay(DRAIN_POLL_MS);
  }
}

/** Miniflare's own notes go where the Workers' lines go. A subclass, because that is Miniflare's way to say where. */
function createRuntimeLog(onLog: (log: LocalLog) => void): Log {
  class RuntimeLog extends Log {
    override logWithLevel(level: LogLevel, message: string): void {
      if (level <= LogLevel.WARN) {
        onLog({ level: level === LogLevel.WARN ? "warn" : "error", message });
      }
    }
  }
  return new RuntimeLog(LogLevel.WARN);
}

/** Miniflare ends the whole process on a signal, before anything else can be put in order: that is not its decision. */
const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function signalListeners(): readonly ReadonlySet<NodeJS.SignalsListener>[] {
  return ENDING_SIGNALS.map((signal) => new Set(process.listeners(signal)));
}

function dropListenersSince(before: readonly ReadonlySet<NodeJS.SignalsListener>[]): void {
  for (const [index, signal] of ENDING_SIGNALS.entries()) {
    for (const listener of process.listeners(signal)) {
      if (before[index]?.has(listener) !== true) {
        process.removeListener(signal, listener);
      }
    }
  }
}
