/** What cache-status says, in a sentence that claims no more. Pure. */
import type { CacheStatus } from "@hopline/client/openapi";
import { formatDuration } from "../format.ts";

type Described = { readonly text: string; readonly basis: string; readonly look: "good" | "warn" };

/** The outbox announces an edit within seconds; this leaves room for an outage. */
const OWN_ANNOUNCEMENT_MS = 10 * 60_000;

/** `savedAt` is the link's `updatedAt`. */
export function describeSpread(
  { state, feed, expectedBy, worstCaseEndsAt }: CacheStatus,
  savedAt: string,
  toTime: (instant: string) => string,
): Described {
  if (state === "settled") {
    return {
      text: "In effect everywhere",
      basis: "The newest version is in KV for longer than any cache holds an older one.",
      look: "good",
    };
  }
  if (feed === null || expectedBy === null) {
    return {
      text: "Saved, not announced yet",
      basis: "It is saved. KV and the change feed get it next.",
      look: "warn",
    };
  }
  const delayMs = Date.parse(feed.announcedAt) - Date.parse(savedAt);
  // Later than that it was announced again, by a repair or a domain's change: not the delay of this edit.
  const when =
    delayMs > OWN_ANNOUNCEMENT_MS
      ? `at ${toTime(feed.announcedAt)}`
      : delayMs < 50
        ? "at once"
        : `after ${formatDuration(delayMs)}`;
  const latest =
    worstCaseEndsAt === null
      ? "KV does not have it yet, so a cache that misses the feed may stay older."
      : `A cache that misses the feed may stay older until ${toTime(worstCaseEndsAt)}.`;
  return {
    text: `Announced ${when}, expected everywhere by ${toTime(expectedBy)}`,
    basis: `Isolates read the change feed once a second, and each data centre holds it for a second. ${latest}`,
    look: "good",
  };
}
