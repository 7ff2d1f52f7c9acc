/**
 * A tier that gives way to the change feed: what it says is answered only if nothing newer was announced. The look-up
 * happens when the tier has answered, so a change that arrives meanwhile counts too.
 */
import { arrivalsKeyOf } from "@hopline/core/feed/arrivals";
import type { LinkKey } from "@hopline/core/link/link-address";
import type { Decode, ReadTier } from "@hopline/edge-cache/read-through-ports";
import type { AnnouncedChanges } from "./announced-changes.ts";

/**
 * Wraps `tier`. Where the announced record is too large for the feed, an older answer counts as none, so that the next
 * tier is asked. Rejects as the tier does.
 */
export function yieldToAnnounced<Tier extends ReadTier<LinkKey>>(
  tier: Tier,
  announced: AnnouncedChanges,
  decode: Decode<unknown>,
): Tier {
  return {
    ...tier,
    async load(key: LinkKey): Promise<string | null> {
      const text = await tier.load(key);
      const change = announced.find(key);
      return change === undefined || (await versionOf(text, decode)) >= change.version
        ? text
        : change.recordText;
    },
  };
}

/**
 * The last tier, which is also rescued by the feed: an announced record is better than an outage. Where links came to the
 * host while it was asked, "there is none" may be older than they are: it is asked once more.
 */
export function rescueByAnnounced(
  tier: ReadTier<LinkKey>,
  announced: AnnouncedChanges,
  decode: Decode<unknown>,
): ReadTier<LinkKey> {
  const yielding = yieldToAnnounced(tier, announced, decode);
  return {
    async load(key) {
      const arrivals = announced.find(arrivalsKeyOf(hostOf(key)))?.version;
      try {
        const text = await yielding.load(key);
        const isOutdated = text === null && announced.find(arrivalsKeyOf(hostOf(key)))?.version !== arrivals;
        return isOutdated ? await yielding.load(key) : text;
      } catch (error) {
        const recordText = announced.find(key)?.recordText ?? null;
        if (recordText === null) {
          throw error;
        }
        return recordText;
      }
    },
  };
}

function hostOf(key: LinkKey): string {
  return key.slice(0, key.indexOf("/"));
}

/** 0 where there is nothing, or nothing that can be read. */
async function versionOf(text: string | null, decode: Decode<unknown>): Promise<number> {
  const decoded = text === null ? null : await decode(text);
  return decoded === null || decoded.kind === "rejected" ? 0 : decoded.version;
}
