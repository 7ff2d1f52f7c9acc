/**
 * The ingest bench: clicks per second through the consumer's own statement, over the /sql endpoint, with every index,
 * rollup and ledger row; next to what the same server does with rows it makes itself, into the same table without any
 * of that. Both in one run, so that the share means the same on every machine.
 *
 * Counts before it times: a run whose totals are not exact is an error, not a number.
 */
import { eventIdOf } from "@hopline/core/click/event-id";
import { CLICK_COLUMNS, type ClickRow } from "@hopline/db/ingest/click-row";
import { type ClickBatch, insertClicks } from "@hopline/db/ingest/insert-clicks";
import { createNeonClient, type RunSql } from "@hopline/db/neon-client";
import pg, { type Client } from "pg";

import { toClientConfig } from "@hopline/testkit/postgres/database-url";
import { describeCapabilities, readCapabilities } from "@hopline/testkit/postgres/server-capabilities";

export type IngestBenchOptions = {
  /** A migrated database of the bench's own. */
  readonly databaseUrl: string;
  /** In front of that database. */
  readonly sqlEndpointUrl: string;
  readonly clicks?: number;
  readonly batchClicks?: number;
  readonly batchesAtOnce?: number;
};

export type IngestBenchResult = {
  /** `Postgres 18.4 without TimescaleDB` */
  readonly server: string;
  readonly clicks: number;
  readonly batchClicks: number;
  readonly batchesAtOnce: number;
  readonly clicksPerSecond: number;
  /** Rows the server makes itself, INSERT … SELECT into the bare table. */
  readonly bareRowsPerSecond: number;
  readonly shareOfBare: number;
};

const DEFAULT_CLICKS = 200_000;
const SEGMENT_CLICKS = 100;
const LINKS = 1_000;
/** One click in five is for one link: the row that everybody wants to raise. */
const HOT_SHARE = 5;
const TIMEOUT_MS = 60_000;
const START_MS = Date.UTC(2026, 0, 1);

/** Leaves its rows behind: give it a scratch database. Rejects when a total is not exact. */
export async function runIngestBench(options: IngestBenchOptions): Promise<IngestBenchResult> {
  const { clicks = DEFAULT_CLICKS, batchClicks = 1_000, batchesAtOnce = 4 } = options;
  const client = new pg.Client(toClientConfig(options.databaseUrl));
  await client.connect();
  try {
    await addLinks(client);
    const runSql = createNeonClient({
      databaseUrl: options.databaseUrl,
      sqlEndpoint: options.sqlEndpointUrl,
    });
    const size = { clicks, batchClicks, batchesAtOnce };
    await insertAll(runSql, { ...size, clicks: batchClicks * batchesAtOnce }, START_MS - 86_400_000);
    await client.query("TRUNCATE click_events, click_rollups, workspace_rollups, segment_ledger");
    const seconds = await insertAll(runSql, size, START_MS);
    await requireExact(client, clicks);
    const bareSeconds = await insertBare(client, clicks);
    return {
      server: describeCapabilities(await readCapabilities(client)),
      ...size,
      clicksPerSecond: Math.round(clicks / seconds),
      bareRowsPerSecond: Math.round(clicks / bareSeconds),
      shareOfBare: bareSeconds / seconds,
    };
  } finally {
    await client.end();
  }
}

type Size = { readonly clicks: number; readonly batchClicks: number; readonly batchesAtOnce: number };

/** Seconds. A batch is made when its turn comes: making it is a small part of what the consumer does for it. */
async function insertAll(runSql: RunSql, size: Size, startMs: number): Promise<number> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next * size.batchClicks < size.clicks) {
      const number = next;
      next += 1;
      await insertClicks(runSql, makeBatch(number, size.batchClicks, startMs), TIMEOUT_MS);
    }
  };
  const startedAtMs = performance.now();
  await Promise.all(Array.from({ length: size.batchesAtOnce }, work));
  return (performance.now() - startedAtMs) / 1000;
}

function makeBatch(number: number, batchClicks: number, startMs: number): ClickBatch {
  const first = number * batchClicks;
  const rows = Array.from({ length: batchClicks }, (_, index) => makeRow(first + index, startMs));
  const segments = Array.from({ length: Math.ceil(batchClicks / SEGMENT_CLICKS) }, (_, index) => {
    const [from, to] = [index * SEGMENT_CLICKS, Math.min((index + 1) * SEGMENT_CLICKS, batchClicks)];
    return {
      isolateId: isolateOf(first + from),
      firstSequence: 1,
      clickCount: to - from,
      sentCount: to - from,
      deliveries: 1,
      receivedAtMs: startMs + first + to,
      firstClickedAtMs: startMs + first + from,
      lastClickedAtMs: startMs + first + to - 1,
    };
  });
  return { rows, segmentOfRow: rows.map((_, index) => Math.floor(index / SEGMENT_CLICKS)), segments };
}

function makeRow(click: number, startMs: number): ClickRow {
  return {
    eventId: eventIdOf(isolateOf(click), (click % SEGMENT_CLICKS) + 1),
    clickedAtMs: startMs + click,
    linkId: linkIdOf(click % HOT_SHARE === 0 ? 0 : (click * 7_919) % LINKS),
    linkVersion: 3,
    ruleId: null,
    variantId: null,
    destination: null,
    source: "link",
    class: click % 10 === 0 ? "bot" : "human",
    quality: 0,
    classifierVersion: 1,
    visitor: (click * 2_654_435_761).toString(16).padStart(32, "0"),
    referrerHost: `site-${click % 50}.example.org`,
    language: "de-CH",
    browser: "Firefox",
    os: "Windows",
    device: "desktop",
    country: "CH",
    region: "ZH",
    city: "Zürich",
    continent: "EU",
    latitude: 47.4,
    longitude: 8.5,
    colo: "ZRH",
    asn: 3303,
    utmSource: null,
    utmMedium: null,
    utmCampaign: null,
    utmTerm: null,
    utmContent: null,
  };
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
    "INSERT INTO domains (id, workspace_id, host) VALUES ($1, $1, 'bench.example') ON CONFLICT DO NOTHING",
    [owner],
  );
  await client.query(
    `INSERT INTO links (id, workspace_id, domain_id, slug, url, record)
     SELECT id, $1, $1, id::text, 'https://example.com/', '{}' FROM unnest($2::uuid[]) AS id ON CONFLICT DO NOTHING`,
    [owner, Array.from({ length: LINKS }, (_, link) => linkIdOf(link))],
  );
  await client.query("ANALYZE links");
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
  const columns = CLICK_COLUMNS.map(({ name }) => (name === "clicked_at_ms" ? "clicked_at" : name));
  const generated = columns.map((name) =>
    name === "event_id"
      ? "gen_random_uuid()"
      : name === "clicked_at"
        ? "clicked_at + n * interval '1 ms'"
        : name,
  );
  await client.query("CREATE TABLE bare_clicks (LIKE click_events)");
  await client.query("CREATE TEMP TABLE one_click AS SELECT * FROM click_events LIMIT 1");
  const startedAtMs = performance.now();
  await client.query(
    `INSERT INTO bare_clicks (${columns.join(", ")})
     SELECT ${generated.join(", ")} FROM one_click, generate_series(1, $1::int) AS n`,
    [rows],
  );
  const seconds = (performance.now() - startedAtMs) / 1000;
  await client.query("DROP TABLE bare_clicks, one_click");
  return seconds;
}
