/**
 * What the change feed hands to the isolates: its head, the numbered changes of the last seconds, which all of them share.
 * Format 1, JSON, golden file: test/golden/change-page.v1.json. The API writes it, the redirect reads it; the decoder is
 * total. The records inside are texts in a format of their own (link-record.ts). Older changes: version-block.ts.
 */
import type { LinkKey } from "../link/link-address.ts";
import { parseJson } from "../decode/parse-json.ts";
import { count, fieldOf, objectOf, oneOf, type Shape, shapeOf, text } from "../decode/shape.ts";
import { fail, ok, type Result } from "../decode/result.ts";

export const CHANGE_PAGE_FORMAT = 1;

/** The feed is one Durable Object for the whole deployment, under this name. */
export const CHANGE_FEED_NAME = "links";

const LOCATIONS = ["wnam", "enam", "sam", "weur", "eeur", "apac", "oc", "afr", "me"] as const;

/**
 * How the feed's object is opened. Made once, where it is opened first with a location, and never moved; without one, near the visitor or person who
 * asks first. Anything that is no location of Durable Objects counts as none.
 */
export function placedAt(location: string | undefined): {
  readonly locationHint?: (typeof LOCATIONS)[number];
} {
  const locationHint = LOCATIONS.find((known) => known === location);
  return locationHint === undefined ? {} : { locationHint };
}

/** The feed keeps a change for so long, and each isolate remembers it. Nothing in KV may be outdated for longer. */
export const FEED_MEMORY_MS: number = 5 * 60_000;

/** Response header: when the feed made the page, epoch milliseconds. What a reader knows is as old as that. */
export const MADE_AT_HEADER = "hopline-feed-at";

/** One link's change. `recordText` is `null` where there is no room for the record in the feed: then it must be loaded. */
export type Change = {
  readonly sequence: number;
  readonly key: LinkKey;
  readonly version: number;
  /** When the feed took it in, epoch milliseconds. */
  readonly announcedAtMs: number;
  readonly recordText: string | null;
};

export type ChangePage = {
  /** Another one means other numbers: the feed has begun anew. */
  readonly feedId: string;
  /** The lowest sequence number still kept; `last + 1` when nothing is. */
  readonly oldest: number;
  /** The highest sequence number given out; 0 before the first. */
  readonly last: number;
  /** When the newest change was announced that the feed forgot for want of room, epoch milliseconds; 0: none was. */
  readonly forgottenAtMs: number;
  /** In order of their numbers, without gaps. */
  readonly changes: readonly Change[];
};

export type ChangePageFault = { readonly reason: "change_page_malformed"; readonly field: string };

export function encodeChangePage(page: ChangePage): string {
  return JSON.stringify({
    format: CHANGE_PAGE_FORMAT,
    feed: page.feedId,
    oldest: page.oldest,
    last: page.last,
    forgotten: page.forgottenAtMs === 0 ? undefined : page.forgottenAtMs,
    changes: page.changes.map(({ sequence, key, version, announcedAtMs, recordText }) => [
      sequence,
      key,
      version,
      announcedAtMs,
      recordText,
    ]),
  });
}

type WireChange = readonly [
  sequence: number,
  key: LinkKey,
  version: number,
  announcedAtMs: number,
  recordText: string | null,
];

const CHANGE: readonly Shape[] = [
  count,
  shapeOf((key) => typeof key === "string" && key.indexOf("/") > 0),
  count,
  count,
  shapeOf((recordText) => recordText === null || typeof recordText === "string"),
];

/** Without a gap: that would be a change that no reader ever hears of. */
const changes = shapeOf(
  (value) =>
    Array.isArray(value) &&
    value.every(
      (change: unknown, index) =>
        Array.isArray(change) &&
        CHANGE.every((shape, place) => shape(change[place]) === null) &&
        change[0] === value[0][0] + index,
    ),
);

const PAGE: Shape = objectOf(
  { format: oneOf(CHANGE_PAGE_FORMAT), feed: text, oldest: count, last: count, changes },
  { forgotten: count },
  () => true,
);

export function decodeChangePage(pageText: string): Result<ChangePage, ChangePageFault> {
  const value = parseJson(pageText);
  const fault = PAGE(value);
  if (fault !== null) {
    return fail({ reason: "change_page_malformed", field: fieldOf(fault) });
  }
  const {
    feed,
    oldest,
    last,
    forgotten = 0,
    changes: wire,
  } = value as {
    readonly feed: string;
    readonly oldest: number;
    readonly last: number;
    readonly forgotten?: number;
    readonly changes: readonly WireChange[];
  };
  return ok({
    feedId: feed,
    oldest,
    last,
    forgottenAtMs: forgotten,
    changes: wire.map(([sequence, key, version, announcedAtMs, recordText]) => ({
      sequence,
      key,
      version,
      announcedAtMs,
      recordText,
    })),
  });
}
