/**
 * Times of the analytics' endpoints over ten million clicks, by the bench that lives beside the API: it drives the
 * application in its own process, over a database that it fills first (some minutes).
 */
import { spawn } from "node:child_process";
import { join } from "node:path";

import { endWithUs } from "../redirect/child-process.ts";
import type { Section, SectionOptions, SectionReport } from "../section.ts";
import { formatTable } from "../table.ts";

export const analyticsSection: Section = {
  title: "Analytics: every endpoint over 10 million clicks of 90 days",
  run: runAnalytics,
};

const BENCH = join(import.meta.dirname, "../analytics/main.ts");
const CLICKS = 10_000_000;
const ROUNDS = 20;

type Timing = {
  readonly name: string;
  readonly barMs: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly status: number;
};

async function runAnalytics({ rounds }: SectionOptions): Promise<SectionReport> {
  const timings = await readTimings(rounds ?? ROUNDS);
  const answered = timings.filter(({ status }) => status === 200);
  const refused = timings.filter(({ status }) => status !== 200);
  // As a share of its own bar: a question with two filters has more time than one without.
  const slowestMs = Math.max(...answered.map(({ p95Ms, barMs }) => (p95Ms / barMs) * 300));
  return {
    figures: [
      ...(refused.length === 0
        ? [{ name: "analytics.slowest-endpoint.p95", value: slowestMs, unit: "ms" as const }]
        : []),
      ...answered.map(({ name, p95Ms }) => ({
        name: `analytics.p95: ${name}`,
        value: p95Ms,
        unit: "ms" as const,
      })),
    ],
    unmeasured: refused.map(({ name, status }) => ({
      name: "analytics.slowest-endpoint.p95",
      why: `${name} was answered ${status}`,
    })),
    lines: formatTable(
      timings.map(({ name, status, medianMs, p95Ms, barMs }) => [
        name,
        status === 200 ? `${medianMs.toFixed(0)} ms` : `refused: ${status}`,
        status === 200 ? `p95 ${p95Ms.toFixed(0)} ms` : "",
        `bar ${barMs} ms`,
      ]),
    ),
  };
}

function readTimings(rounds: number): Promise<readonly Timing[]> {
  const child = spawn(process.execPath, [BENCH, String(CLICKS), String(rounds)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  endWithUs(child);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) {
        resolve(JSON.parse(Buffer.concat(chunks).toString("utf8")) as readonly Timing[]);
      } else {
        reject(new Error(`The bench of the analytics ended with ${code}: what it said stands above.`));
      }
    });
  });
}
