/**
 * The ledger of a billion clicks a day: 50,000 isolates a day, ten clicks a segment, 1 % of them out of order and 0.01 % lost, of 30
 * days. A tenth of an hour's segments is compacted for real; what that leaves of every other hour is filled in as rows and sums. Then
 * the segments of 75 seconds are there that are not compacted yet. Without clicks: reconcile counts those too.
 */
import { compactLedger } from "@hopline/db/ledger/compact-ledger";
import { selectLedgerDays } from "@hopline/db/ledger/find-ledger-days";
import { findLedgerTotals } from "@hopline/db/ledger/find-ledger-totals";
import type { RunSql, RunTransaction } from "@hopline/db/neon-client";
import { toStatement } from "@hopline/db/sql";
import { openClient } from "@hopline/testkit/postgres/open-client";
import { createMigratedDatabase } from "@hopline/testkit/postgres/scratch-database";
import { DURABLE, startPostgres } from "@hopline/testkit/postgres/postgres-server";

import { readCpuMicroseconds } from "./cpu-meter.ts";
import type { Section } from "./section.ts";
import { median } from "./statistics.ts";

const DAYS = 30;
const DAY_MS = 86_400_000;
const CLICKS_A_DAY = 1_000_000_000;
const ISOLATES_A_DAY = 50_000;
const SEGMENT_CLICKS = 10;
const SEGMENTS_A_SECOND = Math.round(CLICKS_A_DAY / SEGMENT_CLICKS / 86_400);
const GAPS_A_DAY = (0.0001 * CLICKS_A_DAY) / SEGMENT_CLICKS;
const COMPACTED_SECONDS = 360;
const OPEN_SECONDS = 75;
const TIMEOUT_MS = 600_000;
const ROUNDS = 3;

/** Runs of the days before `$1`, with a gap before some; and the sums of their quarters of an hour. */
const FILL_DAYS = [
  `INSERT INTO segment_ledger (isolate_id, first_sequence, click_count, inserted, queue_delay_ms, first_clicked_at, last_clicked_at,
     first_settled_at, last_settled_at, gap)
   SELECT md5(day || '/' || isolate)::char(16), 1 + part * 10020, 10000, 10000, 900, at, at + interval '1 hour', at, at, part * 20
   FROM generate_series(0, ${DAYS} - 1) AS day, generate_series(1, ${ISOLATES_A_DAY}) AS isolate,
     generate_series(0, (isolate <= ${GAPS_A_DAY})::integer) AS part,
     LATERAL (SELECT $1::timestamptz - (day + random()) * interval '1 day' AS at) AS time`,
  `INSERT INTO ledger_sums (bucket_start, segments, delivered, inserted)
   SELECT bucket, ${(SEGMENTS_A_SECOND * 900).toFixed(0)}, ${(CLICKS_A_DAY / 96).toFixed(0)}, ${(CLICKS_A_DAY / 96).toFixed(0)}
   FROM generate_series($1::timestamptz - interval '${DAYS} days', $1::timestamptz - interval '1 second', '15 minutes') AS bucket`,
];

/** Segments from `$1` on, in the order in which they arrive. */
const FILL_SEGMENTS = `
  INSERT INTO segment_ledger (isolate_id, first_sequence, click_count, inserted, queue_delay_ms, first_clicked_at, last_clicked_at)
  SELECT md5($1::text || number % $3)::char(16), 1 + number / $3 * ${SEGMENT_CLICKS}, ${SEGMENT_CLICKS}, ${SEGMENT_CLICKS}, 900, at, at
  FROM generate_series(0, $2::integer * ${SEGMENTS_A_SECOND} - 1) AS number,
    LATERAL (SELECT $1::timestamptz + number * interval '1 second' / ${SEGMENTS_A_SECOND} AS at) AS time
  WHERE number % 10007 <> 5000
  ORDER BY number + CASE WHEN number % 100 = 0 THEN 5000 ELSE 0 END`;

export const ledgerSection: Section = {
  title: "The ledger of a billion clicks a day",
  async run({ rounds, say }) {
    await using server = await startPostgres({ settings: { ...DURABLE, shared_buffers: "512MB" } });
    await using database = await createMigratedDatabase(server.url);
    await using client = await openClient(database.url);
    const runSql: RunSql = async (statement) => {
      const { text, parameters } = toStatement(statement);
      return (await client.query<Record<string, unknown>>(text, [...parameters])).rows;
    };
    const runTransaction: RunTransaction = async (statements) => {
      await client.query("BEGIN");
      const results = [];
      for (const statement of statements) {
        results.push(await runSql(statement, TIMEOUT_MS));
      }
      await client.query("COMMIT");
      return results;
    };
    const untilMs = Math.floor(Date.now() / 900_000) * 900_000;
    const until = new Date(untilMs);
    say("filling 30 days");
    for (const statement of FILL_DAYS) {
      await client.query(statement, [until]);
    }
    const isolates = Math.round(ISOLATES_A_DAY / 24 / 2);
    await client.query(FILL_SEGMENTS, [
      new Date(untilMs - COMPACTED_SECONDS * 1000),
      COMPACTED_SECONDS,
      isolates,
    ]);
    await client.query("VACUUM ANALYZE segment_ledger, ledger_sums");

    say("compacting");
    const readWal = async () =>
      Number((await client.query<{ at: string }>("SELECT pg_current_wal_lsn() - '0/0' AS at")).rows[0]?.at);
    const walBefore = await readWal();
    const startedAtMs = performance.now();
    const { rows: backends } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    const readCpu = () => readCpuMicroseconds(backends[0]?.pid ?? 0);
    const cpuBefore = readCpu();
    let compacted = 0;
    for (let taken = -1; taken !== 0; compacted += taken) {
      taken = await compactLedger(runTransaction, TIMEOUT_MS);
    }
    const cpu = (readCpu() - cpuBefore) / compacted;
    const seconds = (performance.now() - startedAtMs) / 1000;
    const wal = (await readWal()) - walBefore;

    await client.query(FILL_SEGMENTS, [new Date(untilMs), OPEN_SECONDS, isolates]);
    await client.query("VACUUM ANALYZE segment_ledger");
    const { rows } = await client.query<{ bytes: string; rows: string }>(
      "SELECT pg_total_relation_size('segment_ledger') + pg_total_relation_size('ledger_sums') AS bytes, (SELECT count(*) FROM segment_ledger) AS rows",
    );
    const bytesAClick = Number(rows[0]?.bytes) / (DAYS * CLICKS_A_DAY);
    const time = async (run: () => Promise<unknown>) => {
      const samples: number[] = [];
      while (samples.length < (rounds ?? ROUNDS)) {
        const atMs = performance.now();
        await run();
        samples.push(performance.now() - atMs);
      }
      return samples;
    };
    const endMs = untilMs + 900_000;
    const edges = Array.from({ length: DAYS + 1 }, (_, day) => endMs - (DAYS - day) * DAY_MS);
    say("reconciling");
    const range = (sinceMs: number) => () =>
      findLedgerTotals(runSql, { sinceMs, untilMs: endMs }, TIMEOUT_MS);
    const day = await time(range(endMs - DAY_MS));
    const hour = await time(range(endMs - 3_600_000));
    const page = await time(() => runSql(selectLedgerDays(edges), TIMEOUT_MS));
    const ms = (name: string, samples: readonly number[]) =>
      ({ name, unit: "ms", value: median(samples), samples }) as const;
    return {
      figures: [
        ms("ledger.reconcile-day", day),
        ms("ledger.reconcile-hour", hour),
        ms("ledger.integrity-30-days", page),
        { name: "ledger.bytes-per-click", unit: "B", value: bytesAClick },
        { name: "ledger.compaction.wal-per-segment", unit: "B", value: wal / compacted },
        { name: "ledger.compaction.cpu-per-segment", unit: "µs", value: cpu },
      ],
      lines: [
        `${rows[0]?.rows} rows for ${DAYS} days and ${OPEN_SECONDS} s that are not compacted: ${bytesAClick.toFixed(3)} bytes a click`,
        `reconcile of the day ${median(day).toFixed(0)} ms, of its last hour ${median(hour).toFixed(0)} ms, 30 days of the integrity page ${median(page).toFixed(0)} ms`,
        `compaction of ${compacted} segments: ${seconds.toFixed(1)} s, ${cpu.toFixed(1)} µs of CPU and ${(wal / compacted).toFixed(0)} bytes of WAL each; all of a day take ${((cpu * SEGMENTS_A_SECOND) / 10_000).toFixed(1)} % of a core`,
      ],
    };
  },
};
