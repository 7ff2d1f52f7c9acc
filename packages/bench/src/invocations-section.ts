/**
 * CPU time of invocations by kind, in the production bundles: of the whole workerd, which simulates KV, queues and Durable Objects
 * beside them, so each figure is a little too high. One after the other, so that the process's time is that invocation's.
 */
import { readFileSync } from "node:fs";

import { consoleProgress } from "@hopline/testkit/console/progress";
import { openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { buildWorkers } from "@hopline/testkit/workspace/build-workers";

import { readCpuMicroseconds } from "./cpu-meter.ts";
import type { Section } from "./section.ts";
import { percentile } from "./statistics.ts";
import { formatTable } from "./table.ts";
import { seedStack, type Stack, withStack } from "./with-stack.ts";

const INVOCATIONS = 200;
/** The first ones load what later ones have. */
const WARM_UP = 20;

export const invocationsSection: Section = {
  title: `Invocations: CPU time of workerd for each kind, ${INVOCATIONS} of each`,
  async run({ rounds, say }) {
    await buildWorkers(consoleProgress());
    const server = await openDatabaseServer();
    try {
      return await withStack(
        server,
        { onError: say, vars: { REQUESTS_PER_MINUTE: "1000000" } },
        async (stack) => {
          const pid = findWorkerd();
          const kinds = Object.entries(await listKinds(stack));
          const measured: { readonly kind: string; readonly samples: readonly number[] }[] = [];
          for (const [kind, invoke] of kinds) {
            say(kind);
            const samples: number[] = [];
            for (let index = -WARM_UP; index < (rounds ?? INVOCATIONS); index += 1) {
              const before = readCpuMicroseconds(pid);
              await invoke(index + WARM_UP);
              samples.push((readCpuMicroseconds(pid) - before) / 1_000);
            }
            measured.push({ kind, samples: samples.slice(WARM_UP) });
          }
          return {
            figures: measured.flatMap(({ kind, samples }) =>
              [50, 99].map((percent) => ({
                name: `invocations.${kind}.p${percent}`,
                value: percentile(samples, percent),
                unit: "ms" as const,
              })),
            ),
            lines: formatTable([
              ["", "p50", "p99"],
              ...measured.map(({ kind, samples }) => [
                kind,
                ...[50, 99].map((percent) => `${percentile(samples, percent).toFixed(1)} ms`),
              ]),
            ]),
          };
        },
      );
    } finally {
      await server.stop();
    }
  },
};

async function listKinds(
  stack: Stack,
): Promise<Readonly<Record<string, (index: number) => Promise<unknown>>>> {
  const { runtime } = stack;
  const { apiKey } = await seedStack(stack);
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const call = async (path: string, status: number, init: RequestInit = {}): Promise<void> => {
    const response = await fetch(`${runtime.url}${path}`, { redirect: "manual", headers, ...init });
    await response.arrayBuffer();
    if (response.status !== status) {
      throw new Error(`invocations bench: ${path} answered ${response.status}`);
    }
  };
  const create = (slug: string) =>
    call("/api/v1/links", 201, {
      method: "POST",
      body: JSON.stringify({ url: "https://example.com/", slug }),
    });
  await create("measured");
  return {
    redirect: () => call("/measured", 302),
    read: () => call("/api/v1/links", 200),
    write: (index) => create(`written-${index}`),
    // Each from a network of its own: a network has few requests without a key.
    document: (index) =>
      call("/api/openapi.json", 200, { headers: { "cf-connecting-ip": `203.0.${index}.1` } }),
    "job of the API, something announced": () => runtime.runJobs("hopline-api"),
    "job of the consumer, something spilled": () => runtime.runJobs("hopline-consumer"),
  };
}

/** The one that this process has started. */
function findWorkerd(): number {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8")
    .trim()
    .split(" ");
  const pid = children.find((child) => readFileSync(`/proc/${child}/comm`, "utf8").trim() === "workerd");
  if (pid === undefined) {
    throw new Error("invariant: the stack has started a workerd");
  }
  return Number(pid);
}
