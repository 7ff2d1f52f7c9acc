/**
 * Lists of 100 from a workspace of 100,000 links, in a database that has as many of others: every order under every filter,
 * from the beginning and from the middle, through the application itself. The CPU that Postgres takes says more than the time
 * where other things run on the machine.
 */
import { LINK_SORTS } from "@hopline/core/link/link-sorts";
import { openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { openClient } from "@hopline/testkit/postgres/open-client";
import { startSqlEndpoint } from "@hopline/testkit/sql-endpoint/sql-endpoint";
import type pg from "pg";

import { FILTERS, fillLinks, WORKSPACE_ID } from "../../../../workers/api/test/links/fill-links.ts";
import { addKey } from "../add-key.ts";
import { openApp } from "../analytics/analytics-section.ts";
import { readCpuMicroseconds } from "../cpu-meter.ts";
import type { Gate } from "../gates.ts";
import type { Figure, Section } from "../section.ts";
import { percentile } from "../statistics.ts";
import { formatTable } from "../table.ts";

const LINKS = 100_000;
const ROUNDS = 20;
const BAR_MS = 50;

type Timing = {
  readonly filter: string;
  readonly sort: string;
  readonly tookMs: readonly number[];
  /** Of Postgres, for one list; `null`: it is on another machine. */
  readonly cpuMs: number | null;
};

export const listsSection: Section = {
  title: `Lists: 100 of ${LINKS} links, every order under every filter`,
  async run({ rounds, say }) {
    await using server = await openDatabaseServer();
    await using scratch = await server.createMigratedDatabase();
    await using endpoint = await startSqlEndpoint({ databaseUrl: scratch.url });
    await using client = await openClient(scratch.url);
    say("filling");
    await fillLinks(client, LINKS);
    const key = await addKey(client, WORKSPACE_ID, "links:read");
    const app = openApp(scratch.url, endpoint.url);
    const ask = async (query: string) => {
      const startedAtMs = performance.now();
      const response = await app.request(`/api/v1/links?limit=100&${query}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      const { nextCursor } = (await response.json()) as { readonly nextCursor: string | null };
      if (response.status !== 200) {
        throw new Error(`lists bench: ${query} was answered with ${response.status}`);
      }
      return { nextCursor, tookMs: performance.now() - startedAtMs };
    };
    const timings: Timing[] = [];
    for (const [filter, query] of Object.entries(FILTERS)) {
      for (const sort of LINK_SORTS) {
        say(`${filter}, ${sort}`);
        const { nextCursor } = await ask(`${query}&sort=${sort}`);
        const next = nextCursor === null ? "" : `&cursor=${nextCursor}`;
        const tookMs: number[] = [];
        const cpuBeforeMs = await readCpuMs(client);
        while (tookMs.length < (rounds ?? ROUNDS)) {
          const { tookMs: took } = await ask(`${query}&sort=${sort}${tookMs.length % 2 === 0 ? "" : next}`);
          tookMs.push(took);
        }
        const cpuMs = await readCpuMs(client);
        timings.push({
          filter,
          sort,
          tookMs,
          cpuMs: cpuMs === null || cpuBeforeMs === null ? null : (cpuMs - cpuBeforeMs) / tookMs.length,
        });
      }
    }
    return report(timings);
  },
};

/** Of all connections to the database so far, but for the one that asks. */
async function readCpuMs(client: pg.Client): Promise<number | null> {
  if ((process.env["DATABASE_URL"] ?? "") !== "") {
    return null;
  }
  const { rows } = await client.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  );
  return rows.reduce((sum, { pid }) => sum + readCpuMicroseconds(pid) / 1_000, 0);
}

function report(timings: readonly Timing[]) {
  const named = timings.map(({ filter, sort, tookMs, cpuMs }) => ({
    cpuMs,
    name: `lists.p95: ${filter}, ${sort}`,
    value: percentile(tookMs, 95),
    median: percentile(tookMs, 50),
  }));
  const costOf = ({ cpuMs, value }: (typeof named)[number]) => cpuMs ?? value;
  const slowest = named.toSorted((one, other) => costOf(other) - costOf(one)).slice(0, 25);
  return {
    figures: named.map(({ name, value }): Figure => ({ name, value, unit: "ms" })),
    gates: named.map(({ name }): Gate => ({
      section: "lists",
      figure: name,
      title: name.replace("lists.p95: ", ""),
      unit: "ms",
      bar: { atMost: BAR_MS },
      source: "a person waits for a list; 100 of 100,000 links",
    })),
    lines: [
      `${timings.length} lists; median of all medians ${percentile(
        named.map(({ median }) => median),
        50,
      ).toFixed(1)} ms; the slowest:`,
      ...formatTable([
        ["", "CPU of Postgres, ms", "median, ms", "p95, ms"],
        ...slowest.map(({ name, cpuMs, median, value }) => [
          name.replace("lists.p95: ", ""),
          cpuMs?.toFixed(1) ?? "",
          median.toFixed(1),
          value.toFixed(1),
        ]),
      ]),
    ],
  };
}
