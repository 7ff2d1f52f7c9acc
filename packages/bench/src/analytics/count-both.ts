/**
 * What a click costs Postgres where it is counted there, with the cube of its day, and where it is counted in ClickHouse: CPU time of the
 * same clicks through the consumer's own code, one mode after the other.
 */
import { eventIdOf } from "@hopline/core/click/event-id";
import { makeDay } from "@hopline/analytics/cube/make-day";
import { countInClickHouse } from "@hopline/clickhouse/store/count-in-clickhouse";
import type { ClickRow } from "@hopline/db/ingest/click-row";
import { type ClickBatch, insertBatch, MAX_BATCH_CLICKS } from "@hopline/db/ingest/insert-clicks";
import type { RunTransaction } from "@hopline/db/neon-client";
import { meterPrograms } from "../cpu-meter.ts";
import type { SectionReport } from "../section.ts";
import type { Stores } from "./fill-clickhouse.ts";
import { LINKS, linkIdOf, START_MS, WORKSPACE_ID } from "./fill-clicks.ts";

const BATCHES = 20;
const SEGMENT_CLICKS = 100;
const TIMEOUT_MS = 300_000;
/** Of a day without clicks: before the bench's. */
const DAY_MS = 86_400_000;
const COUNTED_DAY_MS = START_MS - 10 * DAY_MS;

export async function countBoth(
  { client, runSql, clickHouse }: Stores,
  runTransaction: RunTransaction,
  say: (status: string) => void,
): Promise<SectionReport> {
  const measure = async (work: () => Promise<void>): Promise<number> => {
    await client.query("CHECKPOINT");
    const read = meterPrograms();
    await work();
    return ((read()?.get("postgres") ?? 0) * 1_000) / (BATCHES * MAX_BATCH_CLICKS);
  };
  say("counting in Postgres");
  await client.query("UPDATE counting_mode SET mode = 'postgres'");
  const inPostgres = await measure(async () => {
    for (let batch = 0; batch < BATCHES; batch += 1) {
      await insertBatch(runSql, toBatch(1, batch), TIMEOUT_MS);
    }
    const day = { workspaceId: WORKSPACE_ID, dayMs: COUNTED_DAY_MS };
    while (
      (await makeDay(runTransaction, day, { timeoutMs: TIMEOUT_MS, nowMs: Date.now() }))?.againInSeconds === 0
    ) {
      // One slice at a time.
    }
  });
  say("counting in ClickHouse");
  await client.query("UPDATE counting_mode SET mode = 'clickhouse'");
  const inClickHouse = await measure(async () => {
    for (let batch = 0; batch < BATCHES; batch += 1) {
      await countInClickHouse({ runSql, clickHouse }, toBatch(2, batch), TIMEOUT_MS);
    }
  });
  const share = inClickHouse / inPostgres;
  return {
    figures: [
      { name: "clickhouse.postgres-cpu-share", value: share, unit: "x" },
      { name: "clickhouse.postgres-cpu-a-click", value: inClickHouse, unit: "µs" },
      { name: "postgres.postgres-cpu-a-click", value: inPostgres, unit: "µs" },
    ],
    gates: [
      {
        section: "analytics",
        figure: "clickhouse.postgres-cpu-share",
        title: "Postgres' CPU a click, counted in ClickHouse over counted in Postgres",
        unit: "x",
        bar: { atMost: 1 / 3 },
        source: "the aim",
      },
    ],
    lines: [
      `Postgres' CPU a click: ${inPostgres.toFixed(1)} us counted there, cube included; ${inClickHouse.toFixed(1)} us counted in ClickHouse`,
    ],
  };
}

/** Of fifty isolates, over a whole day. */
function toBatch(run: number, batch: number): ClickBatch {
  const segments = MAX_BATCH_CLICKS / SEGMENT_CLICKS;
  const isolateOf = (segment: number) =>
    `be${run}c0000000000${segment.toString(16).padStart(2, "0")}`.padEnd(16, "0");
  const first = 1 + batch * SEGMENT_CLICKS;
  const atMs = (segment: number) =>
    COUNTED_DAY_MS + Math.floor(((batch * segments + segment) / (BATCHES * segments)) * 95) * 900_000;
  const entries = Array.from({ length: segments }, (_, segment) => ({
    isolateId: isolateOf(segment),
    firstSequence: first,
    clickCount: SEGMENT_CLICKS,
    sentCount: SEGMENT_CLICKS,
    deliveries: 1,
    receivedAtMs: atMs(segment) + 5_000,
    firstClickedAtMs: atMs(segment),
    lastClickedAtMs: atMs(segment) + SEGMENT_CLICKS,
  }));
  return {
    segments: entries,
    segmentOfRow: entries.flatMap((_entry, segment) => Array<number>(SEGMENT_CLICKS).fill(segment)),
    rows: entries.flatMap(({ isolateId }, segment) =>
      Array.from({ length: SEGMENT_CLICKS }, (_, index) =>
        toRow(
          eventIdOf(isolateId, first + index),
          atMs(segment) + index,
          batch * 7_919 + segment * 101 + index,
        ),
      ),
    ),
  };
}

function toRow(eventId: string, clickedAtMs: number, number: number): ClickRow {
  const pick = (values: readonly string[]) => values[number % values.length] ?? null;
  return {
    eventId,
    clickedAtMs,
    linkId: linkIdOf(number % 10 < 3 ? 0 : number % LINKS),
    linkVersion: 1,
    ruleId: null,
    variantId: null,
    destination: `https://example.com/landing/${number % 2_000}`,
    source: "link",
    class: number % 10 < 7 ? "human" : "bot",
    visitor: (number * 2_654_435_761).toString(16).padStart(32, "0"),
    referrerHost: number % 3 === 0 ? null : `site-${number % 500}.example.org`,
    language: pick(["de", "en", "fr"]),
    browser: pick(["Chrome", "Safari", "Firefox", "Edge"]),
    os: pick(["Windows", "iOS", "Android", "macOS", "Linux"]),
    device: pick(["phone", "desktop", "tablet"]),
    country: pick(["US", "DE", "IN", "BR", "GB", "FR", "CH"]),
    region: `R${number % 6}`,
    city: `City ${number % 80}`,
    continent: pick(["EU", "NA"]),
    colo: pick(["FRA", "ZRH", "IAD"]),
    utmSource: number % 4 === 0 ? "mail" : null,
    utmMedium: null,
    utmCampaign: null,
    utmTerm: null,
    utmContent: null,
  };
}
