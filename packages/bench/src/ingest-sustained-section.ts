/**
 * Clicks at a fixed rate, for ten minutes, through the consumer's own statement into a database that has ten million already, while the
 * ledger is compacted and the running day is pre-aggregated. A batch is due when its clicks would have come: what is due and not
 * written is the backlog, and a rate is held if that does not grow. CPU is that of all processes of this run.
 */
import { setTimeout as sleep } from "node:timers/promises";

import { makeDay } from "@hopline/analytics/cube/make-day";
import { insertClicks } from "@hopline/db/ingest/insert-clicks";
import { compactLedger } from "@hopline/db/ledger/compact-ledger";
import { createNeonClient, createNeonTransactions } from "@hopline/db/neon-client";
import { openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { openClient } from "@hopline/testkit/postgres/open-client";
import { DURABLE } from "@hopline/testkit/postgres/postgres-server";
import { startSqlEndpoint } from "@hopline/testkit/sql-endpoint/sql-endpoint";
import type { Client } from "pg";

import { fillClicks, WORKSPACE_ID } from "./analytics/fill-clicks.ts";
import { meterPrograms } from "./cpu-meter.ts";
import { makeBatch } from "./ingest-section.ts";
import type { Section, SectionReport } from "./section.ts";

export type Sustained = {
  /** A second. */
  readonly rate: number;
  readonly minutes: number;
  /** That the database has before. */
  readonly clicks: number;
};

const BATCH_CLICKS = 1_000;
const BATCHES_AT_ONCE = 4;
const TIMEOUT_MS = 60_000;
const DAY_MS = 86_400_000;
/** As the jobs of the consumer come again. */
const JOBS_EVERY_MS = 45_000;
const CPU_BAR_MICROSECONDS = 75;

export function ingestSustainedSection(sustained: Sustained): Section {
  const { rate, minutes, clicks } = sustained;
  return {
    title: `Ingest: ${rate} clicks/s for ${minutes} minutes beside cube and ledger, into ${clicks} clicks`,
    async run({ say }) {
      await using server = await openDatabaseServer({ settings: DURABLE });
      await using scratch = await server.createMigratedDatabase();
      await using endpoint = await startSqlEndpoint({ databaseUrl: scratch.url });
      await fillClicks(scratch.url, { clicks, onStep: (what) => say(`filling: ${what}`) });
      await using client = await openClient(scratch.url);
      const settings = { databaseUrl: scratch.url, sqlEndpoint: endpoint.url };
      return await measure(client, settings, sustained, say);
    },
  };
}

type Settings = { readonly databaseUrl: string; readonly sqlEndpoint: string };

async function measure(
  client: Client,
  settings: Settings,
  { rate, minutes }: Sustained,
  say: (status: string) => void,
): Promise<SectionReport> {
  const runSql = createNeonClient(settings);
  const runTransaction = createNeonTransactions(settings);
  const batches = Math.ceil((rate * minutes * 60) / BATCH_CLICKS);
  const before = await readSizes(client);
  const readCpu = meterPrograms();
  const startedAtMs = performance.now();
  const dueAtMs = (batch: number) => startedAtMs + ((batch + 1) * BATCH_CLICKS * 1_000) / rate;
  const backlog: number[] = [];
  const numbers = Array.from({ length: batches }, (_, number) => number).values();
  let written = 0;
  const write = async (): Promise<void> => {
    for (const number of numbers) {
      await sleep(Math.max(0, dueAtMs(number) - performance.now()));
      await insertClicks(
        runSql,
        nowOf(makeBatch(number, { batchClicks: BATCH_CLICKS, startMs: 0 })),
        TIMEOUT_MS,
      );
      written += 1;
      const due = Math.min(
        batches,
        Math.floor(((performance.now() - startedAtMs) * rate) / 1_000 / BATCH_CLICKS),
      );
      backlog.push(Math.max(0, due - written) * BATCH_CLICKS);
      say(`${written * BATCH_CLICKS} clicks, backlog ${backlog.at(-1)}`);
    }
  };
  const ended = new AbortController();
  const jobs = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      const nowMs = Date.now();
      const day = { workspaceId: WORKSPACE_ID, dayMs: Math.floor(nowMs / DAY_MS) * DAY_MS };
      const rest = await makeDay(runTransaction, day, { timeoutMs: TIMEOUT_MS, nowMs });
      // It gives way to batches, and is tried again.
      const taken = await compactLedger(runTransaction, TIMEOUT_MS).catch(() => 1);
      if (rest?.againInSeconds !== 0 && taken === 0) {
        await sleep(JOBS_EVERY_MS, undefined, { signal: ended.signal }).catch(() => undefined);
      }
    }
  };
  const working = jobs();
  await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, write));
  const seconds = (performance.now() - startedAtMs) / 1_000;
  ended.abort();
  await working;
  const clicks = batches * BATCH_CLICKS;
  const cpu = [...(readCpu() ?? [])].map(([program, ms]) => [program, (ms * 1_000) / clicks] as const);
  const after = await readSizes(client);
  const events = after.events - before.events;
  if (events !== clicks) {
    throw new Error(`sustained ingest: ${clicks} clicks became ${events}`);
  }
  const cpuOfAll = cpu.reduce((sum, [, microseconds]) => sum + microseconds, 0);
  const half = backlog.length >> 1;
  const [early, late] = [mean(backlog.slice(0, half)), mean(backlog.slice(half))];
  const figures = [
    { name: "ingest.sustained.clicks-per-second", unit: "1/s" as const, value: clicks / seconds },
    { name: "ingest.sustained.cpu-per-click", unit: "µs" as const, value: cpuOfAll },
    { name: "ingest.sustained.wal-per-click", unit: "B" as const, value: (after.wal - before.wal) / clicks },
    {
      name: "ingest.sustained.bytes-per-click",
      unit: "B" as const,
      value: (after.bytes - before.bytes) / clicks,
    },
  ];
  return {
    figures,
    // Too short a run ends before the day is looked at, and its CPU has no cube in it.
    gates:
      after.made < 0.9 * clicks
        ? []
        : [
            {
              section: "ingest",
              figure: "ingest.sustained.cpu-per-click",
              title: "sustained ingest, CPU of a click with its cube and ledger",
              unit: "µs",
              bar: { atMost: CPU_BAR_MICROSECONDS },
              source: "docs/capacity-and-cost.md",
            },
          ],
    lines: [
      ...figures.map(({ name, value, unit }) => `${name}: ${value.toFixed(1)} ${unit}`),
      ...cpu
        .filter(([, microseconds]) => microseconds >= 0.1)
        .map(([program, microseconds]) => `CPU of ${program}: ${microseconds.toFixed(1)} µs a click`),
      `backlog: mean ${early.toFixed(0)} clicks in the first half, ${late.toFixed(0)} in the second: ${late <= early + BATCHES_AT_ONCE * BATCH_CLICKS ? "held" : "not held"}`,
      `pre-aggregated by the end: ${after.made} of ${clicks} clicks`,
    ],
  };
}

/** As if its clicks had just come. */
function nowOf({ rows, segments, ...batch }: ReturnType<typeof makeBatch>) {
  const clickedAtMs = Date.now();
  return {
    ...batch,
    rows: rows.map((row) => ({ ...row, clickedAtMs })),
    segments: segments.map((segment) => ({
      ...segment,
      receivedAtMs: clickedAtMs,
      firstClickedAtMs: clickedAtMs,
      lastClickedAtMs: clickedAtMs,
    })),
  };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

async function readSizes(client: Client) {
  const { rows } = await client.query<Record<string, string>>(
    `SELECT pg_current_wal_lsn() - '0/0' AS wal, pg_database_size(current_database()) AS bytes, (SELECT count(*) FROM click_events) AS events,
       (SELECT COALESCE(sum(clicks), 0) FROM cube_days WHERE slice >= 96000) AS made`,
  );
  const numberOf = (name: string) => Number(rows[0]?.[name]);
  return {
    wal: numberOf("wal"),
    bytes: numberOf("bytes"),
    events: numberOf("events"),
    made: numberOf("made"),
  };
}
