/** A feed in memory, as the API's Durable Object would answer: numbered changes, blocks of 64, a head of bounded size. */
import {
  type Change,
  type ChangePage,
  CHANGES_PER_BLOCK,
  encodeChangePage,
} from "@hopline/core/feed/change-page";
import { linkKeyOf } from "@hopline/core/link/link-address";
import { encodeLinkRecord, type LinkRecord } from "@hopline/core/link/link-record";
import type { FeedSource } from "../../../src/find/feed/catch-up.ts";

export const HOST = "go.example.com";

export function createFeed(nowMs: () => number) {
  const feed = { id: "feed-1", changes: [] as Change[], oldest: 1, headSize: CHANGES_PER_BLOCK };
  const reads: string[] = [];
  const last = (): number => feed.changes.at(-1)?.sequence ?? 0;
  const page = (from: number, to: number): ChangePage => ({
    feedId: feed.id,
    oldest: feed.oldest,
    last: last(),
    changes: feed.changes.filter(({ sequence }) => sequence >= Math.max(from, feed.oldest) && sequence <= to),
  });
  const source: FeedSource = {
    async read(path) {
      reads.push(path);
      if (path === "head") {
        const text = encodeChangePage(page(last() - feed.headSize + 1, last()));
        return { tag: `"${feed.id}-${last()}"`, madeAtMs: nowMs(), readText: async () => text };
      }
      const [id, block] = path.split("/");
      const first = Number(block) * CHANGES_PER_BLOCK + 1;
      const text = encodeChangePage(page(first, first + CHANGES_PER_BLOCK - 1));
      return id !== feed.id || first < feed.oldest
        ? null
        : { tag: null, madeAtMs: nowMs(), readText: async () => text };
    },
  };
  const announce = (slug: string, change: Partial<LinkRecord> = {}): Change => {
    const record = aRecord(change);
    const made = aChange(slug, { sequence: last() + 1, announcedAtMs: nowMs(), version: record.version });
    feed.changes.push({ ...made, recordText: encodeLinkRecord(record) });
    return made;
  };
  return { feed, source, reads, announce };
}

export function aChange(slug: string, change: Partial<Change> = {}): Change {
  return {
    sequence: 1,
    key: linkKeyOf(HOST, slug),
    version: 1,
    announcedAtMs: 0,
    recordText: null,
    ...change,
  };
}

export function aRecord(change: Partial<LinkRecord> = {}): LinkRecord {
  return {
    linkId: "0198f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f",
    version: 1,
    state: "live",
    url: "https://example.com/",
    redirectStatus: 302,
    ...change,
  };
}
