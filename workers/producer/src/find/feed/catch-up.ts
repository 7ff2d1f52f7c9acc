/**
 * Reads everything the feed has said since the last time: the head, and where that does not reach back far enough the versions
 * of older changes. The order does not matter: versions decide, not arrival.
 */
import { type Change, type ChangePage, decodeChangePage } from "@hopline/core/feed/change-page";
import { blockOf, countOf, decodeVersionBlock, type VersionBlock } from "@hopline/core/feed/version-block";
import type { FeedCursor, FeedState } from "./plan-read.ts";

export type FeedResponse = {
  /** Names the content: the same tag, the same page. */
  readonly tag: string | null;
  /** When the feed made it, epoch milliseconds. */
  readonly madeAtMs: number;
  readonly readBytes: () => Promise<ArrayBuffer>;
};

export interface FeedSource {
  /**
   * `path`: `head`, or `<feed id>/versions/<block>`. `null` when there is no such page. Rejects when the feed can't be read.
   */
  read(path: string): Promise<FeedResponse | null>;
}

export type CaughtUp = {
  readonly cursor: FeedCursor;
  readonly knownAtMs: number;
  readonly changes: readonly Change[];
  /** Of changes before those, from the oldest to the newest. */
  readonly versions: readonly VersionBlock[];
  /** Changes that were announced until then may be missing; -Infinity: none are. */
  readonly missedUntilMs: number;
};

/** The feed's 300,000 changes, and one block more at each end. An isolate that missed more does better to load afresh. */
const MAX_BLOCKS = 17;
/** Cloudflare opens six connections at once. */
const BLOCKS_IN_A_WAVE = 6;

/** `onBehind`: of what was announced until then, the head does not say all that this isolate has yet to hear. */
export async function catchUp(
  source: FeedSource,
  { cursor, knownAtMs }: FeedState,
  onBehind?: (untilMs: number) => void,
): Promise<CaughtUp> {
  const response = await source.read("head");
  if (response === null) {
    throw new Error("invariant: a feed has a head");
  }
  // An older copy of the head, from a cache, says nothing new either.
  if (cursor !== null && (response.tag === tagOf(cursor) || response.madeAtMs < knownAtMs)) {
    return { cursor, knownAtMs: response.madeAtMs, changes: [], versions: [], missedUntilMs: -Infinity };
  }
  const head = await readHead(response);
  const isSameFeed = cursor !== null && cursor.feedId === head.feedId && cursor.sequence <= head.last;
  const wanted = isSameFeed ? cursor.sequence + 1 : head.oldest;
  const isNew = cursor === null;
  if (!isNew && wanted < (head.changes[0]?.sequence ?? head.last + 1)) {
    onBehind?.(response.madeAtMs);
  }
  const { versions, isComplete } = await readVersions(source, head, {
    from: Math.max(wanted, head.oldest),
    isNew,
  });
  const hasGap = !isComplete || (isNew ? false : !isSameFeed || wanted < head.oldest);
  return {
    cursor: { feedId: head.feedId, sequence: head.last },
    knownAtMs: response.madeAtMs,
    changes: head.changes.filter(({ sequence }) => sequence >= wanted),
    versions,
    missedUntilMs: hasGap ? response.madeAtMs : isNew ? head.forgottenAtMs : -Infinity,
  };
}

/**
 * The numbers of the blocks are known, so they are read side by side, in waves: a feed that is far away must not make an isolate
 * fall further behind than it was. The newest first, because a copy of the block that is still filling is soon too old.
 */
async function readVersions(
  source: FeedSource,
  head: ChangePage,
  { from, isNew }: { readonly from: number; readonly isNew: boolean },
): Promise<{ readonly versions: readonly VersionBlock[]; readonly isComplete: boolean }> {
  const versions: VersionBlock[] = [];
  const until = head.changes[0]?.sequence ?? head.last + 1;
  let next = until;
  while (next > from) {
    const newest = blockOf(next - 1);
    const count = Math.min(BLOCKS_IN_A_WAVE, MAX_BLOCKS - versions.length, newest - blockOf(from) + 1);
    const blocks = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        readBlock(source, `${head.feedId}/versions/${newest - index}`),
      ),
    );
    for (const block of blocks) {
      if (block !== null && block.first + countOf(block) < next) {
        return { versions, isComplete: false };
      }
      if (block !== null) {
        versions.unshift(between(block, from, next));
        next = block.first;
      }
      if (block === null || (next > from && blockOf(next) === blockOf(from))) {
        // The feed has forgotten the oldest since it made the head. Whoever has just begun needs none of them.
        return { versions, isComplete: isNew };
      }
    }
    if (count === 0) {
      return { versions, isComplete: false };
    }
  }
  return { versions, isComplete: true };
}

/** Only what has not been heard yet: each change is remembered once. */
function between(block: VersionBlock, from: number, to: number): VersionBlock {
  const first = Math.max(block.first, from);
  return {
    first,
    announcedAtMs: block.announcedAtMs,
    pairs: block.pairs.subarray(2 * (first - block.first), 2 * (to - block.first)),
  };
}

async function readBlock(source: FeedSource, path: string): Promise<VersionBlock | null> {
  const response = await source.read(path);
  return response === null ? null : decodeVersionBlock(await response.readBytes());
}

async function readHead(response: FeedResponse): Promise<ChangePage> {
  const page = decodeChangePage(new TextDecoder().decode(await response.readBytes()));
  if (!page.ok) {
    throw new TypeError(`change page: ${page.error.field}`);
  }
  return page.value;
}

/** As the feed writes it. */
function tagOf(cursor: FeedCursor): string {
  return `"${cursor.feedId}-${cursor.sequence}"`;
}
