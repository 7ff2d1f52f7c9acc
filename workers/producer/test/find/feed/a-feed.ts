/** A feed in memory, as the API's Durable Object would answer. */
import { type Change, encodeChangePage } from "@hopline/core/feed/change-page";
import { CHANGES_PER_BLOCK, encodeVersionBlock, hashOf } from "@hopline/core/feed/version-block";
import { linkKeyOf } from "@hopline/core/link/link-address";
import { encodeLinkRecord, type LinkRecord } from "@hopline/core/link/link-record";
import type { FeedSource } from "../../../src/find/feed/catch-up.ts";

export const HOST = "go.example.com";

/** As the API's pages: a head of bounded size, and blocks of versions. */
export function createFeed(nowMs: () => number) {
  const feed = { id: "feed-1", changes: [] as Change[], oldest: 1, headSize: 64, forgottenAtMs: 0 };
  const reads: string[] = [];
  const last = (): number => feed.changes.at(-1)?.sequence ?? 0;
  const between = (from: number, to: number) =>
    feed.changes.filter(({ sequence }) => sequence >= Math.max(from, feed.oldest) && sequence <= to);
  const source: FeedSource = {
    async read(path) {
      reads.push(path);
      const [id, , block] = path.split("/");
      if (id === "head") {
        const changes = between(last() - feed.headSize + 1, last());
        const { oldest, forgottenAtMs } = feed;
        const text = encodeChangePage({ feedId: feed.id, oldest, last: last(), forgottenAtMs, changes });
        const bytes = new TextEncoder().encode(text).slice().buffer;
        return { tag: `"${feed.id}-${last()}"`, madeAtMs: nowMs(), readBytes: async () => bytes };
      }
      const changes = between(Number(block) * CHANGES_PER_BLOCK + 1, (Number(block) + 1) * CHANGES_PER_BLOCK);
      const first = changes[0]?.sequence ?? 0;
      const pairs = Uint32Array.from(changes.flatMap(({ key, version }) => [hashOf(key), version]));
      const bytes = encodeVersionBlock({ first, announcedAtMs: nowMs(), pairs });
      return id !== feed.id || first === 0
        ? null
        : { tag: null, madeAtMs: nowMs(), readBytes: async () => bytes };
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
