/**
 * Sends the requests: a closed loop, each connection sends the next one as soon as it is answered. Every status is
 * compared; the rest of the answers was checked before. Undici costs 30 to 35 µs a request, less than half of what workerd
 * needs for a constant answer, so the target is the bottleneck.
 */
import { Client, type Dispatcher } from "undici";

import { VISITOR_HEADERS } from "./visitors.ts";

export type LoadJob = {
  readonly port: number;
  /** Requested in turn; or, when `isEachNew`, prefixes of slugs of which none is requested twice. */
  readonly slugs: readonly string[];
  readonly isEachNew: boolean;
  /** Where the numbering of new slugs begins. */
  readonly firstNumber: number;
  readonly requests: number;
  readonly connections: number;
  readonly expectedStatus: number;
  /** For one answer; ten seconds without it. */
  readonly timeoutMs?: number;
};

export type LoadResult = {
  /** Answers with another status than the expected one. */
  readonly unexpected: number;
  readonly elapsedMs: number;
  /** One for each answer. */
  readonly latenciesMs: readonly number[];
};

const TIMEOUT_MS = 10_000;

/** Rejects when a request cannot be sent, its connection breaks or its answer takes 10 seconds. */
export async function generateLoad(job: LoadJob): Promise<LoadResult> {
  const { timeoutMs = TIMEOUT_MS } = job;
  const requests = Array.from({ length: job.requests }, (_, index) => toRequest(job, index)).values();
  const clients = Array.from(
    { length: job.connections },
    () => new Client(`http://127.0.0.1:${job.port}`, { headersTimeout: timeoutMs, bodyTimeout: timeoutMs }),
  );
  const latenciesMs: number[] = [];
  let unexpected = 0;
  const onAnswer = (status: number, latencyMs: number): void => {
    latenciesMs.push(latencyMs);
    unexpected += status === job.expectedStatus ? 0 : 1;
  };
  const startedAtMs = performance.now();
  try {
    await Promise.all(clients.map((client) => keepAsking(client, requests, onAnswer)));
    return { unexpected, elapsedMs: performance.now() - startedAtMs, latenciesMs };
  } finally {
    await Promise.all(clients.map((client) => client.destroy()));
  }
}

/** One connection's loop, without a promise for each request: the generator must not be the bottleneck. */
function keepAsking(
  client: Client,
  requests: Iterator<Dispatcher.DispatchOptions>,
  onAnswer: (status: number, latencyMs: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let sentAtMs = 0;
    let status = 0;
    const askNext = (): void => {
      const next = requests.next();
      if (next.done === true) {
        resolve();
        return;
      }
      sentAtMs = performance.now();
      client.dispatch(next.value, handler);
    };
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => undefined,
      onResponseStart: (_controller, statusCode) => {
        status = statusCode;
      },
      onResponseData: () => undefined,
      onResponseEnd: () => {
        onAnswer(status, performance.now() - sentAtMs);
        askNext();
      },
      onResponseError: (_controller, error) => reject(error),
    };
    askNext();
  });
}

function toRequest(job: LoadJob, index: number): Dispatcher.DispatchOptions {
  const slug = job.slugs[index % job.slugs.length] ?? "";
  return {
    method: "GET",
    path: `/${slug}${job.isEachNew ? (job.firstNumber + index).toString(36) : ""}`,
    headers: [...(VISITOR_HEADERS[index % VISITOR_HEADERS.length] ?? [])],
  };
}
