/**
 * Reads the change feed through the data centre's Cache API: of all the isolates there, one read a second reaches the Durable
 * Object. On workers.dev that cache does nothing, and every isolate's read goes through.
 */
import { CHANGE_FEED_NAME, MADE_AT_HEADER, placedAt } from "@hopline/core/feed/change-page";
import type { FeedResponse, FeedSource } from "./catch-up.ts";
import { READ_INTERVAL_MS } from "./plan-read.ts";

/** No visitor's path leads to what is stored here. */
const CACHE_PATH = "/.hopline/change-feed";

/**
 * An isolate that finds the head a second old asks for another, and says so first: for so long the others go on with the old one, or a
 * feed that is 250 ms away would be asked by all of them.
 */
const CLAIMED_FOR_MS = 500;

export type FeedSourceDeps = {
  readonly namespace: Pick<DurableObjectNamespace, "getByName">;
  /** CHANGE_FEED_LOCATION; see `placedAt`. */
  readonly location: string | undefined;
  /**
   * The host of the cache key: the same for all visitors, or a data centre would keep one copy for each host that is
   * visited, and the Durable Object would be read once a second for each. Cloudflare advises a host of one's own zone
   * (Cache API, "hostnames"). What another host costs there, if anything, has not been measured.
   */
  readonly cacheHost: string;
  readonly openCache: () => Pick<Cache, "match" | "put">;
  readonly nowMs: () => number;
};

export function createFeedSource(deps: FeedSourceDeps): FeedSource {
  const { namespace, location, cacheHost, openCache, nowMs } = deps;

  /** True if no other isolate here has begun to read the head in the last moments. */
  async function claim(cache: Pick<Cache, "match" | "put">): Promise<boolean> {
    const url = `https://${cacheHost}${CACHE_PATH}/claim`;
    const claimed = await cache.match(url);
    if (claimed !== undefined && nowMs() - readMadeAt(claimed) < CLAIMED_FOR_MS) {
      return false;
    }
    const headers = { "cache-control": "max-age=1", [MADE_AT_HEADER]: String(nowMs()) };
    await cache.put(url, new Response("", { headers }));
    return true;
  }

  return {
    async read(path) {
      const url = `https://${cacheHost}${CACHE_PATH}/${path}`;
      const cache = openCache();
      const cached = await cache.match(url);
      if (cached !== undefined) {
        const page = toFeedResponse(cached);
        // By a clock that was set back, a copy may be from later than now.
        const ageMs = path === "head" ? Math.abs(nowMs() - page.madeAtMs) : 0;
        const isEnough =
          ageMs < READ_INTERVAL_MS || (ageMs < READ_INTERVAL_MS + CLAIMED_FOR_MS && !(await claim(cache)));
        if (isEnough) {
          return page;
        }
        await cached.body?.cancel();
      }
      const response = await namespace
        .getByName(CHANGE_FEED_NAME, placedAt(location))
        .fetch(`https://change-feed/${path}`);
      if (response.status !== 200) {
        await response.body?.cancel();
        if (response.status === 404) {
          return null;
        }
        throw new TypeError(`the change feed answered ${response.status}`);
      }
      // Read at once: a body of this request must not be left to another.
      const bytes = await response.arrayBuffer();
      const headers = new Headers(response.headers);
      // By a clock that is ahead of those here the copy would count as new for too long.
      headers.set(MADE_AT_HEADER, String(Math.min(readMadeAt(response), nowMs())));
      const page = new Response(bytes, { headers });
      await cache.put(url, page.clone());
      return { ...toFeedResponse(page), readBytes: async () => bytes };
    },
  };
}

function toFeedResponse(response: Response): FeedResponse {
  return {
    tag: response.headers.get("etag"),
    madeAtMs: readMadeAt(response),
    readBytes: () => response.arrayBuffer(),
  };
}

function readMadeAt({ headers }: Response): number {
  const madeAtMs = Number(headers.get(MADE_AT_HEADER) ?? Number.NaN);
  if (!Number.isFinite(madeAtMs)) {
    throw new TypeError("the change feed did not say when it answered");
  }
  return madeAtMs;
}
