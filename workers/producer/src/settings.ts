/** The producer's settings from its variables. Total: a redirect must not stop for a typo. */

export type Settings = {
  readonly kvTimeoutMs: number;
  readonly databaseTimeoutMs: number;
  readonly lingerMs: number;
  readonly followsChanges: boolean;
  readonly feedCacheHost: string;
};

const DEFAULT_KV_TIMEOUT_MS = 250;
const DEFAULT_DATABASE_TIMEOUT_MS = 1_500;

/** No visitor waits longer for a redirect. */
const MAX_TIMEOUT_MS = 30_000;

/** Fills segments at a hundred clicks a second, and is short beside the queue's delay. */
const DEFAULT_LINGER_MS = 1_000;

/** Beyond this too much would be lost with an isolate. */
const MAX_LINGER_MS = 5_000;

/** A name that no tenant can own. */
const DEFAULT_FEED_CACHE_HOST = "change-feed.hopline.internal";

export function readSettings(vars: {
  readonly KV_TIMEOUT_MS?: string;
  readonly DATABASE_TIMEOUT_MS?: string;
  readonly CLICK_LINGER_MS?: string;
  readonly CHANGE_FEED_MODE?: string;
  readonly FEED_CACHE_HOST?: string;
}): Settings {
  const host = vars.FEED_CACHE_HOST ?? "";
  return {
    kvTimeoutMs: parseTimeoutMs(vars.KV_TIMEOUT_MS, DEFAULT_KV_TIMEOUT_MS),
    databaseTimeoutMs: parseTimeoutMs(vars.DATABASE_TIMEOUT_MS, DEFAULT_DATABASE_TIMEOUT_MS),
    lingerMs: parseLingerMs(vars.CLICK_LINGER_MS),
    followsChanges: vars.CHANGE_FEED_MODE !== "off",
    feedCacheHost: /^[a-z0-9.-]+$/i.test(host) ? host : DEFAULT_FEED_CACHE_HOST,
  };
}

/** Whole milliseconds from 1 to 30,000; anything else is the default. */
function parseTimeoutMs(text: string | undefined, defaultMs: number): number {
  const timeoutMs = text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return timeoutMs === 0 ? defaultMs : Math.min(timeoutMs, MAX_TIMEOUT_MS);
}

/** Whole milliseconds from 0 (each click at once) to 5,000. Anything else is the default: clicks must not stop for a typo. */
export function parseLingerMs(text: string | undefined): number {
  const lingerMs = text === undefined || !/^\d+$/.test(text) ? DEFAULT_LINGER_MS : Number(text);
  return Math.min(lingerMs, MAX_LINGER_MS);
}
