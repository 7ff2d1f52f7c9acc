/** The producer's settings from its variables. Total: a redirect must not stop for a typo. */

export type Settings = {
  readonly kvTimeoutMs: number;
  readonly databaseTimeoutMs: number;
  readonly followsChanges: boolean;
};

/** DESIGN.md section 2. */
const DEFAULT_KV_TIMEOUT_MS = 250;
const DEFAULT_DATABASE_TIMEOUT_MS = 1_500;

/** Nobody waits longer for a redirect. */
const MAX_TIMEOUT_MS = 30_000;

export function readSettings(vars: {
  readonly KV_TIMEOUT_MS?: string;
  readonly DATABASE_TIMEOUT_MS?: string;
  readonly CHANGE_FEED_MODE?: string;
}): Settings {
  return {
    kvTimeoutMs: parseTimeoutMs(vars.KV_TIMEOUT_MS, DEFAULT_KV_TIMEOUT_MS),
    databaseTimeoutMs: parseTimeoutMs(vars.DATABASE_TIMEOUT_MS, DEFAULT_DATABASE_TIMEOUT_MS),
    followsChanges: vars.CHANGE_FEED_MODE !== "off",
  };
}

/** Whole milliseconds from 1 to 30,000; anything else is the default. */
function parseTimeoutMs(text: string | undefined, defaultMs: number): number {
  const timeoutMs = text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return timeoutMs === 0 ? defaultMs : Math.min(timeoutMs, MAX_TIMEOUT_MS);
}
