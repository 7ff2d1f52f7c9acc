/**
 * Reads the change feed through the data centre's Cache API: of all the isolates there, five reads in four seconds reach
 * the Durable Object at most. On workers.dev that cache does nothing, and every read goes through.
 */
import { CHANGE_FEED_NAME, MADE_AT_HEADER } from "@hopline/core/feed/change-page";
import type { FeedResponse, FeedSource } from "./catch-up.ts";

/** No visitor's path leads to what is stored here. */
const CACHE_PATH = "/.hopline/change-feed";

/**
 * An older head is asked for anew, though the cache would keep it for a second: an isolate that reads every second
 * would meet its own page, just not expired, every other time, and a change would take the whole two seconds. This
 * plus the reading interval plus the read itself is how long a change takes at most: 1.8 s and the read. The price is 1.25
 * reads a second and data centre where one would do without the promise of two seconds.
 */
const HEAD_GOOD_FOR_MS = 800;

export type FeedSourceDeps = {
  readonly namespace: Pick<DurableObjectNamespace, "getByName">;
  /**
   * The host of the cache key: the same for all visitors, or a data centre would keep one copy for each host that is
   * visited, and the Durable Object would be read 1.25 times a second for each. Cloudflare advises a host of one's own zone
   * (Cache API, "hostnames"). What another host costs there, if anything, has not been measured.
   */
  readonly cacheHost: string;
  readonly openCache: () => Pick<Cache, "match" | "put">;
  readonly nowMs: () => number;
};

export function createFeedSource({ namespace, cacheHost, openCache, nowMs }: FeedSourceDeps): FeedSource {
  return {
    async read(path) {
      const url = `https://${cacheHost}${CACHE_PATH}/${path}`;
      const cache = openCache();
      const cached = await cache.match(url);
      if (cached !== undefined) {
        const page = toFeedResponse(cached);
        if (path !== "head" || nowMs() - page.madeAtMs < HEAD_GOOD_FOR_MS) {
          return page;
        }
        await cached.body?.cancel();
      }
      const response = await namespace.getByName(CHANGE_FEED_NAME).fetch(`https://change-feed/${path}`);
      if (response.status !== 200) {
        await response.body?.cancel();
        if (response.status === 404) {
          return null;
        }
        throw new TypeError(`the change feed answered ${response.status}`);
      }
      // Read at once: a body of this request must not be left to another.
      const text = await response.text();
      await cache.put(url, new Response(text, { headers: response.headers }));
      return { ...toFeedResponse(response), readText: async () => text };
    },
  };
}

function toFeedResponse(response: Response): FeedResponse {
  const madeAtMs = Number(response.headers.get(MADE_AT_HEADER) ?? Number.NaN);
  if (!Number.isFinite(madeAtMs)) {
    throw new TypeError("the change feed did not say when it answered");
  }
  return { tag: response.headers.get("etag"), madeAtMs, readText: () => response.text() };
}
