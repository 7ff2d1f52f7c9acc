/** Builders: batches of plain clicks, with the fields that a test varies. */
import { eventIdOf } from "@hopline/core/click/event-id";
import type { ClickRow } from "../src/ingest/click-row.ts";
import type { ClickBatch } from "../src/ingest/insert-clicks.ts";
import { cutByQuarters, type SegmentEntry } from "../src/ingest/segment-entry.ts";

export const LINK_ID = "0198f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f";
export const T0 = Date.UTC(2026, 10, 21, 12, 0, 0);

export function aClickRow(change: Partial<ClickRow> = {}): ClickRow {
  return {
    eventId: eventIdOf("00c0ffee00000001", 1),
    clickedAtMs: T0,
    linkId: LINK_ID,
    linkVersion: 1,
    ruleId: null,
    variantId: null,
    destination: null,
    source: "link",
    class: "human",
    visitor: "00112233445566778899aabbccddeeff",
    referrerHost: "news.example.org",
    language: "de-CH",
    browser: "Firefox",
    os: "Linux",
    device: "desktop",
    country: "CH",
    region: "ZH",
    city: "Zürich",
    continent: "EU",
    colo: "ZRH",
    utmSource: null,
    utmMedium: null,
    utmCampaign: null,
    utmTerm: null,
    utmContent: null,
    ...change,
  };
}

export type SegmentShape = {
  readonly isolateId?: string;
  readonly first?: number;
  readonly count?: number;
  readonly copies?: number;
  /** Clicks `from` to `to` (exclusive) of the segment, where it is written in parts. */
  readonly part?: readonly [from: number, to: number];
  readonly row?: (index: number) => Partial<ClickRow>;
};

/** The batch of one statement, with whole segments. */
export function aBatch(shapes: readonly SegmentShape[]): ClickBatch {
  const parts = shapes.map(toPart);
  return {
    rows: parts.flatMap((part) => part.rows),
    segmentOfRow: parts
      .flatMap((part) => part.entries)
      .flatMap(({ clicks }, index) => Array<number>(clicks).fill(index)),
    segments: parts.flatMap((part) => part.entries.map(({ entry }) => entry)),
  };
}

/** What the ledger is told about a segment of this shape. */
export function aSegmentEntry(shape: SegmentShape): SegmentEntry {
  const entry = toPart(shape).entries[0]?.entry;
  if (entry === undefined) {
    throw new Error("invariant: every segment has a place in the ledger");
  }
  return entry;
}

type Part = {
  readonly rows: readonly ClickRow[];
  readonly entries: readonly { readonly entry: SegmentEntry; readonly clicks: number }[];
};

function toPart(shape: SegmentShape): Part {
  const { isolateId = "00c0ffee00000001", first = 1, count = 10, copies = 1, row = () => ({}) } = shape;
  const [partFrom, partTo] = shape.part ?? [0, count];
  const rows = Array.from({ length: count }, (_, index) =>
    aClickRow({
      eventId: eventIdOf(isolateId, first + index),
      clickedAtMs: T0 + first + index,
      ...row(index),
    }),
  );
  const instants =
    rows.length === 0
      ? [aClickRow({ clickedAtMs: T0 + first, ...row(0) }).clickedAtMs]
      : rows.map((one) => one.clickedAtMs);
  const entries = cutByQuarters(rows.map((one) => one.clickedAtMs)).flatMap(({ from, to }) => {
    const own = count === 0 ? instants : instants.slice(from, to);
    const clicks = Math.min(to, partTo) - Math.max(from, partFrom);
    const entry = {
      isolateId,
      firstSequence: first + from,
      clickCount: to - from,
      sentCount: clicks * copies,
      deliveries: partFrom <= from ? copies : 0,
      receivedAtMs: Math.max(...instants) + 2_500,
      firstClickedAtMs: Math.min(...own),
      lastClickedAtMs: Math.max(...own),
    };
    return clicks > 0 || count === 0 ? [{ entry, clicks }] : [];
  });
  return { rows: rows.slice(partFrom, partTo), entries };
}
