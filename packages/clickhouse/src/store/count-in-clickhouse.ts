/**
 * Counts a batch whose clicks are kept in ClickHouse, in three steps: look up what is settled, insert the other clicks into ClickHouse,
 * count them in Postgres. Each may be repeated. A crash before the last step leaves clicks that are not counted yet; the next delivery
 * inserts them again under the same keys, and counts them (README.md).
 */
import { placeOfEvent } from "@hopline/core/click/event-id";
import type { ClickRow } from "@hopline/db/ingest/click-row";
import { WRONG_MODE } from "@hopline/db/ingest/count-clicks";
import { type ClickCount, type CountKey, countSegments } from "@hopline/db/ingest/count-segments";
import { findSegments, type KnownOfBatch, versionKey } from "@hopline/db/ingest/find-segments";
import type { ClickBatch, InsertedClicks } from "@hopline/db/ingest/insert-clicks";
import type { RunSql } from "@hopline/db/neon-client";
import type { ClickHouse } from "../clickhouse-client.ts";
import { INSERT_CLICKS, type OwnedClick, toLines } from "./click-lines.ts";
import { hashOfEvent } from "./event-hash.ts";

/**
 * Clicks in one statement, at most: all that a queue delivers at once. Rows of the counts are most of what such a statement writes, and a
 * larger one has fewer for each click.
 */
export const MAX_COUNTED_CLICKS = 10_000;

export type Stores = { readonly runSql: RunSql; readonly clickHouse: ClickHouse };

/** Clicks are counted in Postgres now, or were when their batch was looked up. */
export class WrongModeError extends Error {
  override readonly name = "WrongModeError";
  readonly code = WRONG_MODE;
}

/** Another statement is counting some of the segments at this moment. */
export class SegmentsLeftError extends Error {
  override readonly name = "SegmentsLeftError";
}

/**
 * @param batch of whole segments, but for clicks that are in dead letters.
 * @returns as `insertBatch`. Rejects as `RunSql` and `ClickHouse` do.
 */
export async function countInClickHouse(
  { runSql, clickHouse }: Stores,
  batch: ClickBatch,
  timeoutMs: number,
): Promise<InsertedClicks> {
  const known = await findSegments(runSql, batch, timeoutMs);
  if (known.mode !== "clickhouse") {
    throw new WrongModeError("clicks are counted in Postgres");
  }
  const letters = batch.segments.map((segment, index) => letterOf(batch, segment.deliveries, index));
  const isWanted = (segment: number) => letters[segment] !== null || !known.settled.has(segment);
  const wanted = batch.rows
    .map((row, index) => ({ row, segment: batch.segmentOfRow[index] ?? 0 }))
    .filter(({ segment }) => isWanted(segment));
  const owned = wanted.flatMap(({ row }) => toOwned(row, known));
  if (owned.length > 0) {
    await clickHouse.insert(INSERT_CLICKS, toLines(owned), timeoutMs);
  }
  const inserted = batch.segments.map(() => 0);
  batch.segmentOfRow.forEach((segment) => (inserted[segment] = (inserted[segment] ?? 0) + 1));
  const spooled = wanted.filter(({ row }) => known.owners.get(row.linkId)?.isSpooled === true);
  const { left, ...counted } = await countSegments(
    runSql,
    {
      // A click of a letter was sent with its segment.
      segments: batch.segments.map((segment, index) =>
        letters[index] === null ? segment : { ...segment, sentCount: 0 },
      ),
      inserted,
      letters,
      clicks: wanted.map(({ row }) => row),
      segmentOfClick: wanted.map(({ segment }) => segment),
      ...countClicks(wanted, known),
      spooled: spooled.map(({ row }) => row),
      segmentOfSpooled: spooled.map(({ segment }) => segment),
      retries: batch.retries ?? 0,
    },
    timeoutMs,
  );
  if (left > 0) {
    throw new SegmentsLeftError(`${left} segments are being counted by another statement`);
  }
  return counted;
}

/** The number of the only click of a segment that is no delivery: it comes from a dead letter. */
function letterOf({ rows, segmentOfRow }: ClickBatch, deliveries: number, segment: number): number | null {
  const row = deliveries > 0 ? undefined : rows[segmentOfRow.indexOf(segment)];
  return row === undefined ? null : placeOfEvent(row.eventId).sequence;
}

function toOwned(row: ClickRow, { owners, destinations }: KnownOfBatch): readonly OwnedClick[] {
  const owner = owners.get(row.linkId);
  const destination = destinations.get(versionKey(row.linkId, row.linkVersion)) ?? null;
  return owner === undefined ? [] : [{ row, owner, destination }];
}

const QUARTER_MS = 900_000;

type PlacedClick = { readonly row: ClickRow; readonly segment: number };

function countClicks(clicks: readonly PlacedClick[], { owners }: KnownOfBatch) {
  const keys = new Map<string, CountKey & { readonly index: number }>();
  const counts = new Map<string, ClickCount>();
  for (const { row, segment } of clicks) {
    const quarterMs = Math.floor(row.clickedAtMs / QUARTER_MS) * QUARTER_MS;
    const name = `${row.linkId}/${quarterMs}/${row.class}`;
    const { index = keys.size, lastClickedAtMs = 0 } = keys.get(name) ?? {};
    keys.set(name, {
      index,
      linkId: row.linkId,
      workspaceId: owners.get(row.linkId)?.workspaceId ?? null,
      quarterMs,
      class: row.class,
      lastClickedAtMs: Math.max(lastClickedAtMs, row.clickedAtMs),
    });
    const place = `${segment}/${index}`;
    const before = counts.get(place);
    counts.set(place, {
      segment,
      key: index,
      clicks: (before?.clicks ?? 0) + 1,
      hashes: (before?.hashes ?? 0) + hashOfEvent(row.eventId),
    });
  }
  return { keys: [...keys.values()], counts: [...counts.values()] };
}
