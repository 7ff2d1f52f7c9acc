/**
 * What the change feed hands to the isolates: numbered changes of links, in pages that many readers can share. Format
 * 1, JSON, golden file: test/golden/change-page.v1.json. The API writes it, the redirect reads it; the decoder is
 * total. The records inside are texts in a format of their own (link-record.ts).
 */
import { type LinkKey, linkKeyOf } from "../link/link-address.ts";
import { parseJson } from "../decode/parse-json.ts";
import { fail, ok, type Result } from "../decode/result.ts";

export const CHANGE_PAGE_FORMAT = 1;

/**
 * Block n holds the sequence numbers 64n + 1 to 64n + 64. A full block never changes, so readers that are behind by
 * different amounts ask for the same ones, and a data centre's cache answers.
 */
export const CHANGES_PER_BLOCK = 64;

/** The feed is one Durable Object for the whole deployment, under this name. */
export const CHANGE_FEED_NAME = "links";

/** The feed keeps a change for so long, and each isolate remembers it. Nothing in KV may be outdated for longer. */
export const FEED_MEMORY_MS: number = 5 * 60_000;

/** Response header: when the feed made the page, epoch milliseconds. What a reader knows is as old as that. */
export const MADE_AT_HEADER = "hopline-feed-at";

/** One link's change. `recordText` is `null` where the record is too large for the feed: then it must be loaded. */
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
  /** In order of their numbers, without gaps. */
  readonly changes: readonly Change[];
};

export type ChangePageFault = { readonly reason: "change_page_malformed"; readonly field: string };

/** The block that holds a sequence number. */
export function blockOf(sequence: number): number {
  return Math.floor((sequence - 1) / CHANGES_PER_BLOCK);
}

export function encodeChangePage(page: ChangePage): string {
  return JSON.stringify({
    format: CHANGE_PAGE_FORMAT,
    feed: page.feedId,
    oldest: page.oldest,
    last: page.last,
    changes: page.changes.map(({ sequence, key, version, announcedAtMs, recordText }) => [
      sequence,
      key,
      version,
      announcedAtMs,
      recordText,
    ]),
  });
}

/** Reads a page from its text. Never throws. */
export function decodeChangePage(text: string): Result<ChangePage, ChangePageFault> {
  const value = parseJson(text);
  if (typeof value !== "object" || value === null) {
    return malformed("(whole)");
  }
  const wire: { readonly [field: string]: unknown } = { ...value };
  const { feed, oldest, last } = wire;
  if (wire["format"] !== CHANGE_PAGE_FORMAT) {
    return malformed("format");
  }
  if (typeof feed !== "string" || feed === "") {
    return malformed("feed");
  }
  if (!isCount(oldest)) {
    return malformed("oldest");
  }
  if (!isCount(last)) {
    return malformed("last");
  }
  const changes = Array.isArray(wire["changes"]) ? wire["changes"].map(toChange) : null;
  return changes !== null && isWhole(changes)
    ? ok({ feedId: feed, oldest, last, changes })
    : malformed("changes");
}

function toChange(wire: unknown): Change | null {
  if (!Array.isArray(wire)) {
    return null;
  }
  const [sequence, key, version, announcedAtMs, recordText]: readonly unknown[] = wire;
  const slash = typeof key === "string" ? key.indexOf("/") : -1;
  return typeof key === "string" &&
    slash > 0 &&
    isCount(sequence) &&
    isCount(version) &&
    isCount(announcedAtMs) &&
    (recordText === null || typeof recordText === "string")
    ? {
        sequence,
        key: linkKeyOf(key.slice(0, slash), key.slice(slash + 1)),
        version,
        announcedAtMs,
        recordText,
      }
    : null;
}

/** A gap would be a change that no reader ever hears of. */
function isWhole(changes: readonly (Change | null)[]): changes is readonly Change[] {
  const first = changes[0]?.sequence ?? 0;
  return changes.every((change, index) => change !== null && change.sequence === first + index);
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function malformed(field: string): Result<never, ChangePageFault> {
  return fail({ reason: "change_page_malformed", field });
}
