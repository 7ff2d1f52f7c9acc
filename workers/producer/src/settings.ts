/** The producer's settings from its variables. Total: a redirect must not stop for a typo. */

export type Settings = {
  readonly kvTimeoutMs: number;
  readonly databaseTimeoutMs: number;
  readonly visitTimeoutMs: number;
  readonly lingerMs: number;
  readonly followsChanges: boolean;
  readonly feedCacheHost: string;
};

/** No visitor waits longer than 30 s for a redirect. */
const KV_TIMEOUT = { defaultMs: 250, minMs: 1, maxMs: 30_000 };
const DATABASE_TIMEOUT = { defaultMs: 1_500, minMs: 1, maxMs: 30_000 };
/** All that a visitor waits for, together. A statement goes on behind the answer, for those who come next. */
const VISIT_TIMEOUT = { ...DATABASE_TIMEOUT, defaultMs: 800 };

/**
 * 0 sends each click at once. A second fills segments at a hundred clicks a second, and is short beside the queue's delay;
 * beyond five too much would be lost with an isolate.
 */
const LINGER = { defaultMs: 1_000, minMs: 0, maxMs: 5_000 };

/** A name that no tenant can own. */
const DEFAULT_FEED_CACHE_HOST = "change-feed.hopline.internal";

export function readSettings(vars: {
  readonly KV_TIMEOUT_MS?: string;
  readonly DATABASE_TIMEOUT_MS?: string;
  readonly VISIT_TIMEOUT_MS?: string;
  readonly CLICK_LINGER_MS?: string;
  readonly CHANGE_FEED_MODE?: string;
  readonly FEED_CACHE_HOST?: string;
}): Settings {
  const host = vars.FEED_CACHE_HOST ?? "";
  return {
    kvTimeoutMs: readMs(vars.KV_TIMEOUT_MS, KV_TIMEOUT),
    databaseTimeoutMs: readMs(vars.DATABASE_TIMEOUT_MS, DATABASE_TIMEOUT),
    visitTimeoutMs: readMs(vars.VISIT_TIMEOUT_MS, VISIT_TIMEOUT),
    lingerMs: readMs(vars.CLICK_LINGER_MS, LINGER),
    followsChanges: vars.CHANGE_FEED_MODE !== "off",
    feedCacheHost: /^[a-z0-9.-]+$/i.test(host) ? host : DEFAULT_FEED_CACHE_HOST,
  };
}

/** Whole milliseconds, at most `maxMs`. Anything else, or less than `minMs`, is the default. */
function readMs(
  text: string | undefined,
  { defaultMs, minMs, maxMs }: { readonly defaultMs: number; readonly minMs: number; readonly maxMs: number },
): number {
  const ms = text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : -1;
  return ms < minMs ? defaultMs : Math.min(ms, maxMs);
}
