/** How long clicks wait for each other before they are sent together: the variable CLICK_LINGER_MS. */

/** Costs a visitor nothing, fills segments at a few hundred clicks a second, and is short beside the queue's delay. */
const DEFAULT_LINGER_MS = 100;

/** Beyond this too much would be lost with an isolate. */
const MAX_LINGER_MS = 5_000;

/** Whole milliseconds from 0 (each click at once) to 5,000. Anything else is the default: clicks must not stop for a typo. */
export function parseLingerMs(text: string | undefined): number {
  const lingerMs = text === undefined || !/^\d+$/.test(text) ? DEFAULT_LINGER_MS : Number(text);
  return Math.min(lingerMs, MAX_LINGER_MS);
}
