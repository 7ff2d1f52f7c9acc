/**
 * From the answer of an import until all of its links are in KV: the API's own publishing queue, production bundles in one
 * workerd, a Postgres that commits to disk. Locally one publisher runs at a time, and the simulated KV is what bounds it;
 * on Cloudflare's network they run in parallel (workers/api/src/publishing/README.md, Imports).
 */
import { setTimeout as delay } from "node:timers/promises";

import { consoleProgress } from "@hopline/testkit/console/progress";
import { type DatabaseServer, openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { DURABLE } from "@hopline/testkit/postgres/postgres-server";
import { buildWorkers } from "@hopline/testkit/workspace/build-workers";

import type { Section } from "./section.ts";
import { median } from "./statistics.ts";
import { seedStack, withStack } from "./with-stack.ts";

const LINKS = 20_000;
const ROUNDS = 1;
const POLL_MS = 250;
const GIVE_UP_AFTER_MS = 300_000;

type Round = { readonly importMs: number; readonly inKvMs: number; readonly statements: number };

export const importSection: Section = {
  title: `Import: ${LINKS} links, until KV has all of them`,
  async run({ rounds, say }) {
    await buildWorkers(consoleProgress());
    await using server = await openDatabaseServer({ settings: DURABLE });
    const results: Round[] = [];
    while (results.length < (rounds ?? ROUNDS)) {
      results.push(await runRound(server, say));
    }
    const medianOf = (of: keyof Round) => median(results.map((round) => round[of]));
    const samples = results.map(({ inKvMs }) => inKvMs);
    return {
      figures: [{ name: "import.in-kv-after-answer", unit: "ms", value: median(samples), samples }],
      lines: [
        `${LINKS} links imported in ${seconds(medianOf("importMs"))} s; all in KV ${seconds(median(samples))} s after the answer`,
        `${medianOf("statements")} requests to the database in that time`,
      ],
    };
  },
};

function runRound(server: DatabaseServer, say: (status: string) => void): Promise<Round> {
  return withStack(server, { onError: say }, async (stack) => {
    const { database, runtime, sqlEndpoint } = stack;
    const { apiKey } = await seedStack(stack);
    const host = new URL(runtime.url).host;
    const startedAtMs = performance.now();
    const rows = Array.from({ length: LINKS }, (_, index) => `Imported${index},https://example.com/${index}`);
    const response = await fetch(`${runtime.url}/api/v1/links/import`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "text/csv" },
      body: ["slug,url", ...rows].join("\n"),
    });
    const report = await response.text();
    if (!report.includes(`"created":${LINKS},`)) {
      throw new Error(`import bench: the API answered ${response.status}: ${report.slice(0, 200)}`);
    }
    const answeredAtMs = performance.now();
    let statements = 0;
    sqlEndpoint.setFault(() => {
      statements += 1;
      return null;
    });
    for (;;) {
      const { rows: waiting } = await database.query<{ links: number }>(
        "SELECT count(*)::int AS links FROM work WHERE kind = 'publish-import'",
      );
      const links = waiting[0]?.links ?? 0;
      if (links === 0) {
        break;
      }
      if (performance.now() - answeredAtMs > GIVE_UP_AFTER_MS) {
        throw new Error(`import bench: ${links} links are not in KV after ${GIVE_UP_AFTER_MS / 1_000} s`);
      }
      say(`${links} of ${LINKS} links are not in KV yet`);
      await delay(POLL_MS);
    }
    const inKvMs = performance.now() - answeredAtMs;
    const kv = await runtime.getKv("LINKS");
    for (const index of [0, LINKS / 2, LINKS - 1]) {
      if ((await kv.get(`${host}/Imported${index}`, "text")) === null) {
        throw new Error(`import bench: link ${index} has no row of work, and is not in KV`);
      }
    }
    return { importMs: answeredAtMs - startedAtMs, inKvMs, statements };
  });
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1_000).toFixed(1);
}
