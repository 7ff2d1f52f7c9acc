/**
 * What publishing writes to: KV, where the last write wins, and the feed, which ignores what is not newer. Either can be down,
 * and a test can do something before a write.
 */
import { linkKeyOf } from "@hopline/core/link/link-address";
import { decodeLinkRecord, type LinkRecord } from "@hopline/core/link/link-record";
import type { ChangeSink, EdgeStore, WakeUps } from "../../src/publishing/edge-ports.ts";
import type { OutboxChange } from "../../src/publishing/outbox.ts";

/** The time of every write to the fake edge. */
export const WRITTEN_AT_MS = 1_795_219_200_000;

export function createFakeEdge() {
  const inKv = new Map<string, string>();
  const inFeed = new Map<string, OutboxChange>();
  const writes: OutboxChange[] = [];
  const state = {
    kvIsUp: true,
    feedIsUp: true,
    /** Neither answers nor fails. */
    feedHangs: false,
    beforeWrite: null as ((change: OutboxChange) => Promise<unknown>) | null,
  };
  const kv: EdgeStore = {
    async write(change) {
      await state.beforeWrite?.(change);
      if (!state.kvIsUp) {
        throw new TypeError("KV is down");
      }
      inKv.set(change.key, change.recordText);
      writes.push(change);
    },
    async find(key) {
      if (!state.kvIsUp) {
        throw new TypeError("KV is down");
      }
      const change = writes.findLast((write) => write.key === key);
      return change === undefined ? null : { version: change.version, writtenAtMs: WRITTEN_AT_MS };
    },
  };
  const feed: ChangeSink = {
    async append(changes) {
      if (!state.feedIsUp) {
        throw new TypeError("the feed is down");
      }
      for (const change of changes) {
        if ((inFeed.get(change.key)?.version ?? 0) < change.version) {
          inFeed.set(change.key, change);
        }
      }
    },
    async find(key) {
      if (state.feedHangs) {
        await new Promise(() => undefined);
      }
      const change = inFeed.get(key);
      return change === undefined ? null : { version: change.version, announcedAtMs: WRITTEN_AT_MS };
    },
  };
  const sent: number[] = [];
  const wakeUps: WakeUps = { send: async (count) => void sent.push(count) };
  /** The record in KV; `null` if there is none. */
  const recordAt = (host: string, slug: string): LinkRecord | null => {
    const decoded = decodeLinkRecord(inKv.get(linkKeyOf(host, slug)) ?? "");
    return decoded.ok ? decoded.value : null;
  };
  return { kv, feed, wakeUps, sent, inKv, inFeed, writes, state, recordAt };
}
