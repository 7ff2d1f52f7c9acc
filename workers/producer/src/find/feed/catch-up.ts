/**
 * Reads everything the feed has said since the last time: the newest page, and full blocks before it where that does
 * not reach back far enough. The order does not matter: versions decide, not arrival.
 */
import {
  blockOf,
  type Change,
  type ChangePage,
  decodeChangePage,
  FEED_MEMORY_MS,
} from "@hopline/core/feed/change-page";
import type { FeedCursor, FeedState } from "./plan-read.ts";

export type FeedResponse = {
  /** Names the content: the same tag, the same page. */
  readonly tag: string | null;
  /** When the feed made it, epoch milliseconds. */
  readonly madeAtMs: number;
  readonly readText: () => Promise<string>;
};

export interface FeedSource {
  /**
   * `path`: `head`, or `<feed id>/<block>`. `null` when there is no such page. Rejects when the feed can't be read.
   */
  read(path: string): Promise<FeedResponse | null>;
}

export type CaughtUp = {
  readonly cursor: FeedCursor;
  readonly knownAtMs: number;
  readonly changes: readonly Change[];
  /** Some changes were no longer kept: anything that is held may be outdated. */
  readonly hasGap: boolean;
};

/**
 * A new isolate needs what KV may not show: for a minute or two after each publish, and longer while KV can't be written.
 */
const NEWCOMER_LOOKS_BACK_MS: number = FEED_MEMORY_MS;

/** 1,024 changes: whoever missed more does better to load afresh. */
const MAX_BLOCKS = 16;
const BLOCKS_IN_A_WAVE = 4;

export async function catchUp(source: FeedSource, { cursor, knownAtMs }: FeedState): Promise<CaughtUp> {
  const response = await source.read("head");
  if (response === null) {
    throw new Error("invariant: a feed has a head");
  }
  // An older copy of the head, from a cache, says nothing new either.
  if (cursor !== null && (response.tag === tagOf(cursor) || response.madeAtMs < knownAtMs)) {
    return { cursor, knownAtMs: response.madeAtMs, changes: [], hasGap: false };
  }
  const head = await readPage(response);
  const isSameFeed = cursor !== null && cursor.feedId === head.feedId && cursor.sequence <= head.last;
  const from = isSameFeed ? cursor.sequence + 1 : head.oldest;
  const sinceMs = isSameFeed ? -Infinity : response.madeAtMs - NEWCOMER_LOOKS_BACK_MS;
  const readBlock = (block: number) => source.read(`${head.feedId}/${block}`);
  const older = await readBlocks(readBlock, head, { from: Math.max(from, head.oldest), sinceMs });
  return {
    cursor: { feedId: head.feedId, sequence: head.last },
    knownAtMs: response.madeAtMs,
    changes: [...older.changes, ...head.changes],
    hasGap: cursor !== null && (!isSameFeed || from < head.oldest || !older.isComplete),
  };
}

/**
 * The numbers of the blocks are known, so they are read side by side: a feed that is far away must not make an isolate fall
 * further behind than it was. One that has just begun does not know in which block its five minutes begin, and reads in waves.
 */
async function readBlocks(
  readBlock: (block: number) => Promise<FeedResponse | null>,
  head: ChangePage,
  { from, sinceMs }: { readonly from: number; readonly sinceMs: number },
): Promise<{ readonly changes: readonly Change[]; readonly isComplete: boolean }> {
  const changes: Change[] = [];
  const blocksAtOnce = sinceMs === -Infinity ? MAX_BLOCKS : BLOCKS_IN_A_WAVE;
  const isNeeded = (start: Change | undefined): start is Change =>
    start !== undefined && start.sequence > from && start.announcedAtMs >= sinceMs;
  let first = head.changes[0];
  for (let blocks = 0; isNeeded(first);) {
    const newest = blockOf(first.sequence - 1);
    const count = Math.min(blocksAtOnce, MAX_BLOCKS - blocks, newest - blockOf(from) + 1);
    const pages = await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const response = await readBlock(newest - index);
        return response === null ? null : readPage(response);
      }),
    );
    if (count === 0) {
      return { changes, isComplete: false };
    }
    blocks += count;
    for (const page of pages) {
      if (!isNeeded(first)) {
        break;
      }
      if (page === null || page.feedId !== head.feedId || !joins(page, first)) {
        return { changes, isComplete: false };
      }
      changes.push(...page.changes);
      first = page.changes[0];
    }
  }
  return { changes, isComplete: true };
}

/** The page reaches from before `first` up to it; the block that is still filling may come from a cache and not. */
function joins({ changes }: ChangePage, first: Change): boolean {
  const start = changes[0]?.sequence ?? Infinity;
  const end = changes.at(-1)?.sequence ?? 0;
  return start < first.sequence && end >= first.sequence - 1;
}

async function readPage(response: FeedResponse): Promise<ChangePage> {
  const page = decodeChangePage(await response.readText());
  if (!page.ok) {
    throw new TypeError(`change page: ${page.error.field}`);
  }
  return page.value;
}

/** As the feed writes it. */
function tagOf(cursor: FeedCursor): string {
  return `"${cursor.feedId}-${cursor.sequence}"`;
}
