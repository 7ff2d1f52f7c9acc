/**
 * What may still be answered when no tier can be asked. The key may have another owner by now, who must not get the former one's answer:
 * a key is free two minutes after all tiers have its deletion at the earliest, and nothing changes hands while every tier is down.
 */
import type { CacheEntry } from "./cache-entry.ts";
import type { Announcements } from "./read-through-ports.ts";

/** What KV says is up to a minute old. */
const KV_COPY_MS = 60_000;
const FREE_AFTER_MS = 120_000;

export type LastKnown = {
  readonly nowMs: number;
  /** Since it was stored: the oldest answer that is given. */
  readonly staleIfErrorMs: number;
  /** The last moment at which some tier may have worked. */
  readonly workedUntilMs: number;
  readonly announced: Pick<Announcements<never>, "heardUntilMs" | "missedUntilMs">;
};

/** A link, or a deletion. A mere absence may not: a link may have come since, and an outage is a 503, never a 404. */
export function mayServeIfError<V>(
  entry: CacheEntry<V> | undefined,
  { nowMs, staleIfErrorMs, workedUntilMs, announced }: LastKnown,
): entry is CacheEntry<V> {
  if (entry === undefined || entry.version === 0 || nowMs - entry.storedAtMs >= staleIfErrorMs) {
    return false;
  }
  const trueAtMs = entry.storedAtMs - KV_COPY_MS;
  const isFollowed = trueAtMs >= announced.missedUntilMs();
  return hasOwnerOf(isFollowed ? Math.max(trueAtMs, announced.heardUntilMs()) : trueAtMs, workedUntilMs);
}

/** Whether what was true then belongs to the same owner as long as no tier works again. */
export function hasOwnerOf(trueAtMs: number, workedUntilMs: number): boolean {
  return workedUntilMs - trueAtMs <= FREE_AFTER_MS;
}
