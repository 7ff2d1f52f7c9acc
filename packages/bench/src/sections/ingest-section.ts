/**
 * Clicks per second through the consumer's own statement (packages/bench/src/sections/ingest.ts), on the server that
 * DATABASE_URL names, or else on an embedded Postgres that commits to disk as Neon would.
 *
 * The machine may have other work, so a round measures both sides one after the other and the medians of the rounds
 * count: the share of the bare insert then means the same on a busy machine as on an idle one.
 */
import { type IngestBenchResult, runIngestBench } from "./ingest.ts";
import { type DatabaseServer, openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { migrate } from "@hopline/testkit/postgres/migrate";
import { startSqlEndpoint } from "@hopline/testkit/sql-endpoint/sql-endpoint";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";

import type { Section, SectionOptions, SectionReport } from "../section.ts";
import { median } from "../statistics.ts";
import { formatTable } from "../table.ts";

export const ingestSection: Section = {
  title: "Ingest: the consumer's statement with every index, rollup and ledger row",
  run: runIngest,
};

const ROUNDS = 5;
const CLICKS_PER_ROUND = 60_000;
const BATCH_CLICKS = 1_000;
const BATCHES_AT_ONCE = 4;
/** A throw-away server that loses nothing. */
const DURABLE = { fsync: "on", full_page_writes: "on" };

async function runIngest({ rounds }: SectionOptions): Promise<SectionReport> {
  const server = await openDatabaseServer({
    environment: process.env,
    durable: false,
    settings: DURABLE,
    onLog: () => undefined,
  });
  try {
    const results: IngestBenchResult[] = [];
    for (let round = 0; round < (rounds ?? ROUNDS); round += 1) {
      results.push(await runRound(server));
    }
    return report(results);
  } finally {
    await server.stop();
  }
}

/** In a database of its own: a round must not find what the one before has left. */
async function runRound(server: DatabaseServer): Promise<IngestBenchResult> {
  const scratch = await server.createScratchDatabase();
  try {
    await migrate(scratch.url, { directory: inWorkspace("migrations"), onProgress: () => undefined });
    const sqlEndpoint = await startSqlEndpoint({
      databaseUrl: scratch.url,
      maxConnections: BATCHES_AT_ONCE,
    });
    try {
      return await runIngestBench({
        databaseUrl: scratch.url,
        sqlEndpointUrl: sqlEndpoint.url,
        clicks: CLICKS_PER_ROUND,
        batchClicks: BATCH_CLICKS,
        batchesAtOnce: BATCHES_AT_ONCE,
      });
    } finally {
      await sqlEndpoint.stop();
    }
  } finally {
    await scratch.drop();
  }
}

function report(results: readonly IngestBenchResult[]): SectionReport {
  const clicks = results.map(({ clicksPerSecond }) => clicksPerSecond);
  const bare = results.map(({ bareRowsPerSecond }) => bareRowsPerSecond);
  const shares = results.map(({ shareOfBare }) => shareOfBare * 100);
  return {
    figures: [
      { name: "ingest.clicks-per-second", value: median(clicks), unit: "1/s", samples: clicks },
      { name: "ingest.bare-rows-per-second", value: median(bare), unit: "1/s", samples: bare },
      { name: "ingest.share-of-bare", value: median(shares), unit: "%", samples: shares },
    ],
    unmeasured: [],
    lines: [
      `${results[0]?.server ?? ""}; medians of ${results.length} rounds of ${CLICKS_PER_ROUND} clicks, ${BATCH_CLICKS} a batch, ${BATCHES_AT_ONCE} at once`,
      ...formatTable([
        ["", "median", "lowest", "highest"],
        ["consumer's statement, clicks/s", ...spread(clicks, 0)],
        ["bare INSERT … SELECT, rows/s", ...spread(bare, 0)],
        ["share of the bare insert, %", ...spread(shares, 1)],
      ]),
    ],
  };
}

function spread(values: readonly number[], digits: number): readonly string[] {
  return [median(values), Math.min(...values), Math.max(...values)].map((value) => value.toFixed(digits));
}
