/** CPU time of invocations by kind, in the production bundles. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createSetUpLink } from "@hopline/ops/operate/set-up-link";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { buildWorkers } from "@hopline/testkit/workspace/build-workers";

import { type Measured, measureInvocations } from "./invocations/measure-invocations.ts";
import type { Section, SectionReport } from "./section.ts";
import { percentile } from "./statistics.ts";
import { formatTable } from "./table.ts";
import { type Stack, withStack } from "./with-stack.ts";

const INVOCATIONS = 200;
const WARM_UP = 20;
const ORIGIN = "https://app.example.com";

export const invocationsSection: Section = {
  title: `Invocations: CPU time of workerd for each kind, ${INVOCATIONS} of each`,
  async run({ rounds, say }) {
    await buildWorkers(consoleProgress());
    const server = await openDatabaseServer();
    const folder = await mkdtemp(join(tmpdir(), "hopline-bench-"));
    const vars = { REQUESTS_PER_MINUTE: "1000000", APP_ORIGIN: ORIGIN };
    try {
      return await withStack(server, { onError: say, vars, hasSideDoor: true }, async (stack) => {
        const person = await makePerson(stack);
        const options = { count: rounds ?? INVOCATIONS, warmUp: WARM_UP, say };
        return toReport(await measureInvocations({ ...stack, folder, suffix: "", person }, options));
      });
    } finally {
      await rm(folder, { recursive: true });
      await server.stop();
    }
  },
};

async function makePerson({ databaseUrl, runtime }: Stack) {
  const person = { origin: ORIGIN, email: "bench@example.com", password: "correct horse battery" };
  const { email, password } = person;
  const link = await createSetUpLink(databaseUrl, ORIGIN);
  const token = link === null ? "" : new URL(link).searchParams.get("token");
  const made = await runtime.send("hopline-dashboard", `${ORIGIN}/api/auth/set-up`, {
    method: "POST",
    headers: { origin: ORIGIN, "content-type": "application/json" },
    body: JSON.stringify({ token, email, password, name: "Bench" }),
  });
  if (made.status !== 200) {
    throw new Error(`invocations bench: set-up answered ${made.status}`);
  }
  return person;
}

const PERCENTILES = [50, 99] as const;

export function toReport(measured: readonly Measured[]): SectionReport {
  return {
    figures: measured.flatMap(({ kind, samples, requests }) => [
      ...PERCENTILES.map((percent) => ({
        name: `invocations.${kind}.p${percent}`,
        value: percentile(samples, percent),
        unit: "ms" as const,
      })),
      { name: `invocations.${kind}.requests`, value: requests, unit: "per request" as const },
    ]),
    lines: formatTable([
      ["", "p50", "p99", "requests to the database"],
      ...measured.map(({ kind, samples, requests }) => [
        kind,
        ...PERCENTILES.map((percent) => `${percentile(samples, percent).toFixed(1)} ms`),
        String(requests),
      ]),
    ]),
  };
}
