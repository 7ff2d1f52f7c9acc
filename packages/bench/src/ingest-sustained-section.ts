/**
 * Clicks at a fixed rate, for ten minutes, through the consumer's own batches into a database that has ten million already, while the
 * ledger is compacted and the running day is pre-aggregated; then the same where clicks are counted in ClickHouse, if its engine is here.
 * A batch is due when its clicks would have come: what is due and not written is the backlog, and a rate is held if that does not grow.
 * CPU is that of all processes of this run, until the last click is pre-aggregated.
 */
import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import { makeDay } from "@hopline/analytics/cube/make-day";
import { type ClickHouse, createClickHouse } from "@hopline/clickhouse/clickhouse-client";
import { migrateClickHouse } from "@hopline/clickhouse/schema/migrate-clickhouse";
import { encodeSegment } from "@hopline/core/click/segment";
import { compactLedger } from "@hopline/db/ledger/compact-ledger";
import { createNeonClient, createNeonTransactions } from "@hopline/db/neon-client";
import { startClickHouse } from "@hopline/testkit/clickhouse/clickhouse-server";
import { HAS_CLICKHOUSE } from "@hopline/testkit/clickhouse/engine-cache";
import { openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { readMigrations } from "@hopline/testkit/postgres/migration-files";
import { openClient } from "@hopline/testkit/postgres/open-client";
import { DURABLE } from "@hopline/testkit/postgres/postgres-server";
import { startSqlEndpoint } from "@hopline/testkit/sql-endpoint/sql-endpoint";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import type { Client } from "pg";

import { aClick } from "../../core/test/click/a-click.ts";
import { openCountingHint } from "../../../workers/consumer/src/ingest/count-clicks.ts";
import { createStore } from "../../../workers/consumer/src/ingest/create-store.ts";
import { handleBatch } from "../../../workers/consumer/src/ingest/handle-batch.ts";
import { aMessage, aStage } from "../../../workers/consumer/test/consumer-stage.ts";
import { fillClicks, linkIdOf, LINKS, WORKSPACE_ID } from "./analytics/fill-clicks.ts";
import { meterPrograms } from "./cpu-meter.ts";
import type { Section, SectionReport } from "./section.ts";

export type Sustained = {
  /** A second. */
  readonly rate: number;
  readonly minutes: number;
  /** That the database has before. */
  readonly clicks: number;
};

const SEGMENT_CLICKS = 100;
/** What a queue delivers at once where so many come. */
const BATCH_SEGMENTS = 100;
const BATCH_CLICKS = BATCH_SEGMENTS * SEGMENT_CLICKS;
const BATCHES_AT_ONCE = 4;
const TIMEOUT_MS = 60_000;
const DAY_MS = 86_400_000;
/** As the jobs of the consumer come again. */
const JOBS_EVERY_MS = 45_000;
const CPU_BAR_MICROSECONDS = 75;
/** Signed here at once: Node's WebCrypto gives each text to another thread, at some four times the CPU that workerd's takes. */
const VISITOR_KEYS = {
  sign: (utcDay: string, text: string) => Promise.resolve(createHmac("sha256", utcDay).update(text).digest()),
};

export function ingestSustainedSection(sustained: Sustained): Section {
  const { rate, minutes, clicks } = sustained;
  return {
    title: `Ingest: ${rate} clicks/s for ${minutes} minutes beside cube and ledger, into ${clicks} clicks`,
    async run({ say }) {
      await using server = await openDatabaseServer({ settings: DURABLE });
      await using engine = HAS_CLICKHOUSE ? await startClickHouse() : null;
      await using scratch = await server.createMigratedDatabase();
      await using endpoint = await startSqlEndpoint({ databaseUrl: scratch.url });
      await fillClicks(scratch.url, { clicks, onStep: (what) => say(`filling: ${what}`) });
      await using client = await openClient(scratch.url);
      const settings = { databaseUrl: scratch.url, sqlEndpoint: endpoint.url };
      const inPostgres = await measure({ client, settings, clickHouse: null, say }, sustained);
      if (engine === null) {
        return toReport(inPostgres, null);
      }
      const clickHouse = createClickHouse(engine.url);
      const migrations = readMigrations(inWorkspace("migrations/clickhouse"));
      await migrateClickHouse(clickHouse, migrations, { kind: "single" });
      await client.query("UPDATE counting_mode SET mode = 'clickhouse'");
      return toReport(inPostgres, await measure({ client, settings, clickHouse, say }, sustained));
    },
  };
}

type Stage = {
  readonly client: Client;
  readonly settings: { readonly databaseUrl: string; readonly sqlEndpoint: string };
  /** `null`: clicks are counted in Postgres. */
  readonly clickHouse: ClickHouse | null;
  readonly say: (status: string) => void;
};

type Measured = {
  readonly perSecond: number;
  /** A click, by program, in microseconds. */
  readonly cpu: ReadonlyMap<string, number>;
  readonly walBytes: number;
  readonly bytes: number;
  /** Means of the halves, in clicks. */
  readonly backlog: readonly [number, number];
  /** Not yet pre-aggregated when the last click was written, and how long that took then. */
  readonly lag: number;
  readonly lagSeconds: number;
};

async function measure(stage: Stage, { rate, minutes }: Sustained): Promise<Measured> {
  const { client, settings, clickHouse, say } = stage;
  const runSql = createNeonClient(settings);
  const batches = Math.ceil((rate * minutes * 60) / BATCH_CLICKS);
  const clicks = batches * BATCH_CLICKS;
  const hint = openCountingHint(clickHouse);
  const { deps } = aStage({
    ...createStore({ runSql, clickHouse, hint, timeoutMs: TIMEOUT_MS, nowMs: Date.now }),
    visitorKeys: VISITOR_KEYS,
    nowMs: Date.now,
    random: Math.random,
    log: () => 0,
  });
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
      const messages = makeMessages(number, clickHouse === null ? "a" : "b");
      await handleBatch("hopline-clicks-0", messages, deps);
      if (messages.some(({ settled }) => settled !== "ack")) {
        throw new Error("sustained ingest: a batch was not written");
      }
      written += 1;
      const passedMs = performance.now() - startedAtMs;
      const due = Math.min(batches, Math.floor((passedMs * rate) / 1_000 / BATCH_CLICKS));
      backlog.push(Math.max(0, due - written) * BATCH_CLICKS);
      say(`${written * BATCH_CLICKS} clicks, backlog ${backlog.at(-1)}`);
    }
  };
  const jobs = startJobs(settings);
  await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, write));
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const isCube = clickHouse === null;
  const lag = isCube ? clicks - ((await readSizes(client)).made - before.made) : 0;
  say(`${lag} clicks are not pre-aggregated yet`);
  await jobs.finish();
  const lagSeconds = (performance.now() - startedAtMs) / 1_000 - seconds;
  const cpu = new Map([...(readCpu() ?? [])].map(([program, ms]) => [program, (ms * 1_000) / clicks]));
  const after = await readSizes(client);
  if (after.counted - before.counted !== clicks) {
    throw new Error(`sustained ingest: ${clicks} clicks became ${after.counted - before.counted}`);
  }
  const half = backlog.length >> 1;
  return {
    perSecond: clicks / seconds,
    cpu,
    walBytes: (after.wal - before.wal) / clicks,
    bytes: (after.bytes - before.bytes) / clicks,
    backlog: [mean(backlog.slice(0, half)), mean(backlog.slice(half))],
    lag,
    lagSeconds,
  };
}

/** What the consumer's cron does, again and again; `finish` once nothing is left to do for now. */
function startJobs(settings: Stage["settings"]) {
  const runTransaction = createNeonTransactions(settings);
  const ended = new AbortController();
  const work = async (): Promise<void> => {
    for (;;) {
      const isLast = ended.signal.aborted;
      const nowMs = Date.now();
      const day = { workspaceId: WORKSPACE_ID, dayMs: Math.floor(nowMs / DAY_MS) * DAY_MS };
      const rest = await makeDay(runTransaction, day, { timeoutMs: TIMEOUT_MS, nowMs });
      // It gives way to batches, and is tried again.
      const taken = await compactLedger(runTransaction, TIMEOUT_MS).catch(() => 1);
      const isDone = rest?.againInSeconds !== 0 && taken === 0;
      if (isDone && isLast) {
        return;
      }
      if (isDone) {
        await sleep(JOBS_EVERY_MS, undefined, { signal: ended.signal }).catch(() => undefined);
      }
    }
  };
  const working = work();
  // Where writing fails, that is what is reported.
  working.catch(() => undefined);
  return {
    finish: async () => {
      ended.abort();
      await working;
    },
  };
}

/** Messages of isolates of their own, as if their clicks had just come. One click in five is for one link. */
function makeMessages(batch: number, run: string) {
  const clickedAtMs = Date.now();
  return Array.from({ length: BATCH_SEGMENTS }, (_, segment) => {
    const number = batch * BATCH_SEGMENTS + segment;
    const clicks = Array.from({ length: SEGMENT_CLICKS }, (_click, index) => {
      const click = number * SEGMENT_CLICKS + index;
      return aClick({
        clickedAtMs,
        linkId: linkIdOf(click % 5 === 0 ? 0 : (click * 7_919) % LINKS),
        address: `203.${(click * 31) % 256}.${click % 256}.0`,
        referrer: `https://site-${click % 50}.example.org/`,
        ...(click % 10 === 0 ? { userAgent: "ExampleBot/1.0" } : {}),
      });
    });
    const isolateId = run + number.toString(16).padStart(15, "0");
    return aMessage(encodeSegment({ isolateId, firstSequence: 1, clicks }));
  });
}

function toReport(inPostgres: Measured, inClickHouse: Measured | null): SectionReport {
  const ofPostgres = ({ cpu }: Measured) => cpu.get("postgres") ?? 0;
  const share = inClickHouse === null ? null : ofPostgres(inClickHouse) / ofPostgres(inPostgres);
  const cpuOfAll = [...inPostgres.cpu.values()].reduce((sum, microseconds) => sum + microseconds, 0);
  const figures = [
    { name: "ingest.sustained.clicks-per-second", unit: "1/s" as const, value: inPostgres.perSecond },
    { name: "ingest.sustained.cpu-per-click", unit: "µs" as const, value: cpuOfAll },
    { name: "ingest.sustained.wal-per-click", unit: "B" as const, value: inPostgres.walBytes },
    { name: "ingest.sustained.bytes-per-click", unit: "B" as const, value: inPostgres.bytes },
    {
      name: "ingest.sustained.pre-aggregation-lag",
      unit: "ms" as const,
      value: inPostgres.lagSeconds * 1_000,
    },
    ...(share === null ? [] : [{ name: "clickhouse.postgres-cpu-share", unit: "x" as const, value: share }]),
  ];
  return {
    figures,
    gates: [
      {
        section: "ingest",
        figure: "ingest.sustained.cpu-per-click",
        title: "sustained ingest, CPU of a click with its cube and ledger",
        unit: "µs",
        bar: { atMost: CPU_BAR_MICROSECONDS },
        source: "docs/capacity-and-cost.md",
      },
      ...(share === null
        ? []
        : [
            {
              section: "ingest" as const,
              figure: "clickhouse.postgres-cpu-share",
              title: "Postgres' CPU a click, counted in ClickHouse over counted in Postgres",
              unit: "x" as const,
              bar: { atMost: 1 / 3 },
              source: "the aim",
            },
          ]),
    ],
    lines: [
      ...figures.map(({ name, value, unit }) => `${name}: ${value.toFixed(2)} ${unit}`),
      ...describe("Postgres", inPostgres),
      ...(inClickHouse === null
        ? ["not counted in ClickHouse: its engine is not here"]
        : describe("ClickHouse", inClickHouse)),
    ],
  };
}

function describe(mode: string, { cpu, backlog: [early, late], lag, lagSeconds, perSecond }: Measured) {
  const isHeld = late <= early + BATCHES_AT_ONCE * BATCH_CLICKS;
  return [
    `counted in ${mode}: ${perSecond.toFixed(0)} clicks/s; backlog: mean ${early.toFixed(0)} clicks in the first half, ${late.toFixed(0)} in the second: ${isHeld ? "held" : "not held"}`,
    ...[...cpu]
      .filter(([, microseconds]) => microseconds >= 0.1)
      .map(([program, microseconds]) => `  CPU of ${program}: ${microseconds.toFixed(1)} µs a click`),
    `  pre-aggregated ${lagSeconds.toFixed(0)} s after the last of them, of which ${lag} clicks were missing then`,
  ];
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

async function readSizes(client: Client) {
  const { rows } = await client.query<Record<string, string>>(
    `SELECT pg_current_wal_lsn() - '0/0' AS wal, pg_database_size(current_database()) AS bytes, (SELECT sum(clicks) FROM workspace_rollups) AS counted,
       (SELECT COALESCE(sum(clicks), 0) FROM cube_days WHERE slice >= 96000) AS made`,
  );
  const numberOf = (name: string) => Number(rows[0]?.[name]);
  return {
    wal: numberOf("wal"),
    bytes: numberOf("bytes"),
    counted: numberOf("counted"),
    made: numberOf("made"),
  };
}
