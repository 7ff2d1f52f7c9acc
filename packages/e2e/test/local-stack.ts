/**
 * The whole of Hopline for one test file: a scratch database, the /sql endpoint in front of it, the production bundles
 * in workerd, the demo data. Every started thing is ended by `close`, in reverse.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type HoplineClient } from "@hopline/client/client";
import {
  openScratchStack,
  type ScratchStack,
  type ScratchStackOptions,
} from "@hopline/testkit/stack/scratch-stack";
import { asRole } from "@hopline/testkit/postgres/worker-roles";
import { type DemoData, seedDemo } from "@hopline/testkit/stack/seed";
import type { LocalWorkerOptions } from "@hopline/testkit/runtime/worker-options";
import {
  startWorkers,
  type WorkerRuntime,
  type WorkerRuntimeOptions,
} from "@hopline/testkit/runtime/worker-runtime";
import { BUNDLES } from "@hopline/testkit/workspace/workspace";

export type LocalStack = ScratchStack & {
  readonly url: string;
  readonly runtime: WorkerRuntime;
  readonly demo: DemoData;
  /** The API through the front door, with the demo data's key. */
  readonly hopline: HoplineClient;
  /** What the Workers printed so far. */
  readonly logLines: readonly string[];
};

/** In place of the two seconds (ten for dead letters) that a queue waits for a full batch. */
const BATCH_SECONDS = 0.2;

const VARS = {
  // In place of a second.
  CLICK_LINGER_MS: "100",
  // Bounds against hanging, in place of 250, 1,500 and 800 ms: where other tests run beside it, a read may take longer than those.
  KV_TIMEOUT_MS: "10000",
  DATABASE_TIMEOUT_MS: "10000",
  VISIT_TIMEOUT_MS: "10000",
  // Nothing limits how often a test may look whether something has happened.
  REQUESTS_PER_MINUTE: "100000",
};

export type LocalStackOptions = Pick<
  WorkerRuntimeOptions,
  "furtherIsolates" | "arrange" | "vars" | "dashboardPort"
> &
  ScratchStackOptions;

export async function openLocalStack(options: LocalStackOptions = {}): Promise<LocalStack> {
  const endings: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of endings.toReversed()) {
      await end();
    }
  };
  try {
    return { ...(await startStack(endings, options)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startStack(
  endings: (() => Promise<unknown>)[],
  options: LocalStackOptions,
): Promise<Omit<LocalStack, "close">> {
  const scratch = await openScratchStack(options);
  endings.push(() => scratch.close());
  const logLines: string[] = [];
  const { arrange = (worker) => worker } = options;
  const runtime = await startWorkers({
    ...options,
    vars: { ...VARS, ...options.vars },
    // Each Worker has the privileges of its own role in packages/db/roles.sql, as in a deployment.
    arrange: (worker) =>
      arrange(
        withShortBatches({
          ...worker,
          bindings: { ...worker.bindings, DATABASE_URL: asRole(worker.name) },
        }),
      ),
    bundles: BUNDLES,
    databaseUrl: asRole("hopline_reader"),
    sqlEndpointUrl: scratch.sqlEndpoint.url,
    port: 0,
    persistDirectory: null,
    onLog: ({ message }) => logLines.push(message),
  });
  endings.push(() => runtime.stop());
  const stateDirectory = await mkdtemp(join(tmpdir(), "hopline-e2e-"));
  endings.push(() => rm(stateDirectory, { recursive: true }));
  const host = new URL(runtime.url).host;
  const demo = await seedDemo({ databaseUrl: scratch.databaseUrl, stateDirectory, host });
  const hopline = createClient({ baseUrl: runtime.url, key: demo.apiKey, maxRetries: 0 });
  return { ...scratch, url: runtime.url, runtime, demo, hopline, logLines };
}

function withShortBatches(worker: LocalWorkerOptions): LocalWorkerOptions {
  const { queueConsumers } = worker;
  if (queueConsumers === undefined || Array.isArray(queueConsumers)) {
    return worker;
  }
  const consumers = Object.entries(queueConsumers).map(([queue, consumer]) => [
    queue,
    { ...consumer, maxBatchTimeout: BATCH_SECONDS },
  ]);
  return { ...worker, queueConsumers: Object.fromEntries(consumers) };
}
