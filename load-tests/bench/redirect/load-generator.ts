/**
 * The load generator, a process of its own: its CPU time is not the target's. Closed loop: each connection asks again as
 * soon as it is answered. Every answer's status is compared; what is in the answers was checked before.
 */
import type { LoadJob, LoadResult } from "./load-job.ts";
import { type HttpClient, openClient } from "./http-client.ts";
import { visitorHeaderBlocks } from "./visitors.ts";

const headerBlocks = visitorHeaderBlocks();

process.on("message", (message) => {
  void run(message as LoadJob).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  );
});

async function run(job: LoadJob): Promise<LoadResult> {
  const clients = await Promise.all(Array.from({ length: job.connections }, () => openClient(job.port)));
  const progress = { sent: 0, answered: 0, unexpected: 0, latenciesMs: new Float64Array(job.requests) };
  const startMs = performance.now();
  const deadlineMs = startMs + job.maxMs;
  const work = async (client: HttpClient): Promise<void> => {
    while (progress.sent < job.requests && performance.now() < deadlineMs) {
      const requestText = makeRequest(job, progress.sent);
      progress.sent += 1;
      const sentMs = performance.now();
      const status = await client.send(requestText);
      progress.latenciesMs[progress.answered] = performance.now() - sentMs;
      progress.answered += 1;
      progress.unexpected += status === job.expectedStatus ? 0 : 1;
    }
  };
  try {
    await Promise.all(clients.map(work));
  } finally {
    for (const client of clients) {
      client.close();
    }
  }
  return {
    answered: progress.answered,
    unexpected: progress.unexpected,
    elapsedMs: performance.now() - startMs,
    latenciesMs: progress.latenciesMs.slice(0, progress.answered),
  };
}

function makeRequest(job: LoadJob, index: number): string {
  const slug = job.slugs[index % job.slugs.length] ?? "";
  const path = job.isEachNew ? `${slug}${(job.firstNumber + index).toString(36)}` : slug;
  return `GET /${path} HTTP/1.1\r\n${headerBlocks[index % headerBlocks.length] ?? ""}`;
}
