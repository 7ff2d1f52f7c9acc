/**
 * Clicks per second through the consumer's own statement, over the /sql endpoint, with every index, rollup and ledger row,
 * compared with rows that the same server generates itself, into the same table without any of that. On the server that
 * DATABASE_URL names, or else on an embedded Postgres that commits to disk as Neon would.
 *
 * A round measures both sides one after the other, so that their ratio means the same on a busy machine as on an idle one.
 * Counts before it times: a run whose totals are not exact is an error, not a number.
 */
import { eventIdOf } from "@hopline/core/click/event-id";
import { CLICK_COLUMNS, type ClickRow } from "@hopline/db/ingest/click-row";
import { type ClickBatch, insertClicks, MAX_BATCH_CLICKS } from "@hopline/db/ingest/insert-clicks";
import { createNeonClient, type RunSql } from "@hopline/db/neon-client";
import { sql, toStatement } from "@hopline/db/sql";
import { setAlarmForClicks } from "@hopline/db/webhooks/alarm";
import { type DatabaseServer, openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { openClient } from "@hopline/testkit/postgres/open-client";
import { DURABLE } from "@hopline/testkit/postgres/postgres-server";
import { describeCapabilities, readCapabilities } from "@hopline/testkit/postgres/server-capabilities";
import { startSqlEndpoint } from "@hopline/testkit/sql-endpoint/sql-endpoint";
import { type Client } from "pg";

import { aClickRow } from "../../db/test/click-batch.ts";
import type { Section, SectionReport } from "./section.ts";
import { median } from "./statistics.ts";
import { formatTable } from "./table.ts";

const ROUNDS = 5;
const CLICKS = 60_000;
/** Of a queue's 100 messages: full ones, and ones of ten clicks, as when many isolates share the clicks (docs/capacity-and-cost.md). */
const STATEMENTS = [
  { figure: "ingest", title: "full statements", batchClicks: MAX_BATCH_CLICKS },
  { figure: "ingest.small", title: "small statements", batchClicks: 1_000 },
] as const;
const BATCHES_AT_ONCE = 4;
const SEGMENT_CLICKS = 100;
const LINKS = 1_000;
/** One click in five is for one link: the row that every statement updates. */
const HOT_SHARE = 5;
const TIMEOUT_MS = 60_000;
const START_MS = Date.UTC(2026, 0, 1);

export const ingestSection: Section = {
  title: "Ingest: the consumer's statement with every index, rollup and ledger row",
  async run({ rounds, say }) {
    await using server = await openDatabaseServer({ settings: DURABLE });
    const results: Round[][] = STATEMENTS.map(() => []);
    const total = rounds ?? ROUNDS;
    for (let round = 1; round <= total; round += 1) {
      say(`round ${round} of ${total}`);
      for (const [index, { batchClicks }] of STATEMENTS.entries()) {
        results[index]?.push(await runRound(server, { batchClicks }));
      }
    }
    return report(results);
  },
};

/** Alternately without and with an endpoint that wants every click, and what the consumer does for it behind each batch. */
export const ingestWebhooksSection: Section = {
  title: "Ingest with a webhook on every click, and without",
  async run({ rounds, say }) {
    await using server = await openDatabaseServer({ settings: DURABLE });
    const pairs: { readonly without: number; readonly with_: number }[] = [];
    const total = rounds ?? ROUNDS;
    while (pairs.length < total) {
      say(`round ${pairs.length + 1} of ${total}`);
      const measure = async (hasWebhook: boolean) =>
        (await runRound(server, { batchClicks: MAX_BATCH_CLICKS, hasWebhook })).clicksPerSecond;
      // Whichever is first finds a colder machine.
      const isWithFirst = pairs.length % 2 === 1;
      const first = await measure(isWithFirst);
      const second = await measure(!isWithFirst);
      pairs.push(isWithFirst ? { with_: first, without: second } : { without: first, with_: second });
    }
    const samples = pairs.map(({ with_, without }) => (100 * with_) / without);
    return {
      figures: [{ name: "ingest.with-webhook", unit: "%", value: median(samples), samples }],
      lines: [
        `${pairs.length} pairs of ${CLICKS} clicks, clicks/s; rounds without one varied from ${Math.min(...pairs.map(({ without }) => without))} to ${Math.max(...pairs.map(({ without }) => without))}`,
        ...formatTable([
          ["", "without", "with", "%"],
          ...pairs.map(({ with_, without }, index) => [
            `pair ${index + 1}`,
            without.toFixed(0),
            with_.toFixed(0),
            (samples[index] ?? 0).toFixed(1),
          ]),
        ]),
      ],
    };
  },
};

type Round = {
  /** `Postgres 18.4 without TimescaleDB` */
  readonly server: string;
  readonly clicksPerSecond: number;
  /** Rows the server generates, INSERT … SELECT into the bare table. */
  readonly bareRowsPerSecond: number;
};

function report(results: readonly (readonly Round[])[]): SectionReport {
  const columns = STATEMENTS.flatMap(({ figure, title, batchClicks }, index) => {
    const rounds = results[index] ?? [];
    return [
      {
        name: `${figure}.clicks-per-second`,
        title: `${title} of ${batchClicks}, clicks/s`,
        unit: "1/s",
        digits: 0,
        samples: rounds.map(({ clicksPerSecond }) => clicksPerSecond),
      },
      {
        name: `${figure}.bare-rows-per-second`,
        title: "bare INSERT … SELECT, rows/s",
        unit: "1/s",
        digits: 0,
        samples: rounds.map(({ bareRowsPerSecond }) => bareRowsPerSecond),
      },
      {
        name: `${figure}.share-of-bare`,
        title: "share of the bare insert, %",
        unit: "%",
        digits: 1,
        samples: rounds.map((round) => (100 * round.clicksPerSecond) / round.bareRowsPerSecond),
      },
    ] as const;
  });
  const [first = []] = results;
  return {
    figures: columns.map(({ name, unit, samples }) => ({ name, unit, samples, value: median(samples) })),
    lines: [
      `${first[0]?.server ?? ""}; ${first.length} rounds of ${CLICKS} clicks, ${BATCHES_AT_ONCE} statements at once`,
      ...formatTable([
        ["", "median", "lowest", "highest"],
        ...columns.map(({ title, digits, samples }) => [
          title,
          ...[median(samples), Math.min(...samples), Math.max(...samples)].map((value) =>
            value.toFixed(digits),
          ),
        ]),
      ]),
    ],
  };
}

/** In a database of its own: a round must not find what the one before has left. Rejects when a total is not exact. */
async function runRound(
  server: DatabaseServer,
  { batchClicks, hasWebhook = false }: { readonly batchClicks: number; readonly hasWebhook?: boolean },
): Promise<Round> {
  await using scratch = await server.createMigratedDatabase();
  await using endpoint = await startSqlEndpoint({
    databaseUrl: scratch.url,
    maxConnections: BATCHES_AT_ONCE,
  });
  await using client = await openClient(scratch.url);
  await addLinks(client);
  const runSql = createNeonClient({ databaseUrl: scratch.url, sqlEndpoint: endpoint.url });
  const wakeWebhooks = (batch: ClickBatch) =>
    setAlarmForClicks(runSql, [...new Set(batch.rows.map(({ linkId }) => linkId))], TIMEOUT_MS);
  const onInserted = hasWebhook ? wakeWebhooks : async () => undefined;
  if (hasWebhook) {
    await addWebhook(client);
  }
  await insertAll(runSql, batchClicks * BATCHES_AT_ONCE, {
    batchClicks,
    startMs: START_MS - 86_400_000,
    onInserted,
  });
  await client.query("TRUNCATE click_events, click_rollups, workspace_rollups, segment_ledger");
  const seconds = await insertAll(runSql, CLICKS, { batchClicks, startMs: START_MS, onInserted });
  await requireExact(client, CLICKS);
  const bareSeconds = await insertBare(client, CLICKS);
  return {
    server: describeCapabilities(await readCapabilities(client)),
    clicksPerSecond: Math.round(CLICKS / seconds),
    bareRowsPerSecond: Math.round(CLICKS / bareSeconds),
  };
}

/** Seconds. A batch is made when its turn comes: making it is a small part of what the consumer does for it. */
async function insertAll(
  runSql: RunSql,
  clicks: number,
  {
    batchClicks,
    startMs,
    onInserted,
  }: {
    readonly batchClicks: number;
    readonly startMs: number;
    readonly onInserted: (batch: ClickBatch) => Promise<unknown>;
  },
): Promise<number> {
  const behind: Promise<unknown>[] = [];
  const batches = Array.from({ length: clicks / batchClicks }, (_, index) => index).values();
  const startedAtMs = performance.now();
  const work = async (): Promise<void> => {
    for (const number of batches) {
      const batch = makeBatch(number, { batchClicks, startMs });
      await insertClicks(runSql, batch, TIMEOUT_MS);
      behind.push(onInserted(batch));
    }
  };
  await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, work));
  await Promise.all(behind);
  return (performance.now() - startedAtMs) / 1_000;
}

export function makeBatch(
  number: number,
  { batchClicks, startMs }: { readonly batchClicks: number; readonly startMs: number },
): ClickBatch {
  const firstClick = number * batchClicks;
  const rows = Array.from({ length: batchClicks }, (_, index) => makeRow(firstClick + index, startMs));
  const segments = Array.from({ length: batchClicks / SEGMENT_CLICKS }, (_, index) => {
    const first = firstClick + index * SEGMENT_CLICKS;
    return {
      isolateId: isolateOf(first),
      firstSequence: 1,
      clickCount: SEGMENT_CLICKS,
      sentCount: SEGMENT_CLICKS,
      deliveries: 1,
      receivedAtMs: startMs + first + SEGMENT_CLICKS,
      firstClickedAtMs: startMs + first,
      lastClickedAtMs: startMs + first + SEGMENT_CLICKS - 1,
    };
  });
  return { rows, segmentOfRow: rows.map((_, index) => Math.floor(index / SEGMENT_CLICKS)), segments };
}

function makeRow(click: number, startMs: number): ClickRow {
  return aClickRow({
    eventId: eventIdOf(isolateOf(click), (click % SEGMENT_CLICKS) + 1),
    clickedAtMs: startMs + click,
    linkId: linkIdOf(click % HOT_SHARE === 0 ? 0 : (click * 7_919) % LINKS),
    linkVersion: 3,
    class: click % 10 === 0 ? "bot" : "human",
    visitor: (click * 2_654_435_761).toString(16).padStart(32, "0"),
    referrerHost: `site-${click % 50}.example.org`,
    os: "Windows",
  });
}

function isolateOf(click: number): string {
  return Math.floor(click / SEGMENT_CLICKS)
    .toString(16)
    .padStart(16, "0");
}

function linkIdOf(link: number): string {
  return `0198f3c2-0000-7000-8000-${link.toString(16).padStart(12, "0")}`;
}

async function addLinks(client: Client): Promise<void> {
  const owner = linkIdOf(0);
  await client.query("INSERT INTO workspaces (id, name) VALUES ($1, 'bench') ON CONFLICT DO NOTHING", [
    owner,
  ]);
  await client.query(
    "INSERT INTO domains (id, workspace_id, host, proof) VALUES ($1, $1, 'bench.example', 'vouched') ON CONFLICT DO NOTHING",
    [owner],
  );
  await client.query(
    `INSERT INTO links (id, workspace_id, domain_id, slug, url, record)
     SELECT id, $1, $1, id::text, 'https://example.com/', '{}' FROM unnest($2::uuid[]) AS id ON CONFLICT DO NOTHING`,
    [owner, Array.from({ length: LINKS }, (_, link) => linkIdOf(link))],
  );
  await client.query("ANALYZE links");
}

async function addWebhook(client: Client): Promise<void> {
  await client.query(
    `WITH endpoint AS (
       INSERT INTO webhook_endpoints (id, workspace_id, url, events, mode, classes, secret)
       VALUES ($1, $1, 'https://hooks.example.com/', '{click}', 'batch', '{human,bot}', 'sealed') RETURNING id
     )
     INSERT INTO webhook_totals (endpoint_id) SELECT id FROM endpoint`,
    [linkIdOf(0)],
  );
}

async function requireExact(client: Client, clicks: number): Promise<void> {
  const { rows } = await client.query<Record<string, string>>(`
    SELECT (SELECT count(*) FROM click_events) AS events, (SELECT sum(clicks) FROM click_rollups) AS rollups,
      (SELECT sum(inserted) FROM segment_ledger) AS ledger`);
  const totals = Object.values(rows[0] ?? {}).map(Number);
  if (totals.length !== 3 || totals.some((total) => total !== clicks)) {
    throw new Error(`ingest bench: ${clicks} clicks became ${totals.join(", ")} (events, rollups, ledger)`);
  }
}

/** Seconds. The rows are copies of stored ones, so that both sides write the same bytes. */
async function insertBare(client: Client, rows: number): Promise<number> {
  const comma = sql`, `;
  const added = [sql`workspace_id`, sql`domain_id`, sql`inserted_xid`];
  const columns = CLICK_COLUMNS.map(({ name, field }) => (field === "clickedAtMs" ? sql`clicked_at` : name));
  const generated = CLICK_COLUMNS.map(({ name, field }) =>
    field === "eventId"
      ? sql`gen_random_uuid()`
      : field === "clickedAtMs"
        ? sql`clicked_at + n * interval '1 ms'`
        : name,
  );
  const { text, parameters } = toStatement(sql`
    INSERT INTO bare_clicks (${sql.join([...columns, ...added], comma)})
    SELECT ${sql.join([...generated, ...added], comma)} FROM one_click, generate_series(1, ${rows}::int) AS n`);
  await client.query("CREATE TABLE bare_clicks (LIKE click_events)");
  await client.query("CREATE TEMP TABLE one_click AS SELECT * FROM click_events LIMIT 1");
  const startedAtMs = performance.now();
  await client.query(text, [...parameters]);
  const seconds = (performance.now() - startedAtMs) / 1000;
  await client.query("DROP TABLE bare_clicks, one_click");
  return seconds;
}
