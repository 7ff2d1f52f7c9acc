/**
 * The producer's log: one JSON line an event, a closed set of events. No address, user agent, URL, slug or secret ever
 * stands in one.
 */
import type { Segment } from "@hopline/core/click/segment";

export type LogEvent =
  | { readonly event: "link.load_failed"; readonly tier: "kv" | "db"; readonly reason: string }
  | { readonly event: "link.record_rejected"; readonly tier: "kv" | "db"; readonly field: string }
  | { readonly event: "link.fill_failed"; readonly tier: "kv"; readonly reason: string }
  | { readonly event: "segment.send_failed"; readonly shard: number; readonly reason: string }
  /** Counts for the metrics are gone; no click is. */
  | { readonly event: "report.send_failed"; readonly shard: number; readonly reason: string }
  | ({ readonly event: "segment.spilled" } & SegmentNumbers)
  | { readonly event: "segment.spill_failed"; readonly reason: string }
  /** The last resort: `sealed` is the whole segment, and `pnpm dead-letters import` takes this line back. */
  | ({ readonly event: "segment.logged"; readonly sealed: string } & SegmentNumbers)
  /** Gone: nothing would take it, and without a usable SEAL_KEY it may not be written down. */
  | ({ readonly event: "segment.lost"; readonly reason: "seal_key_unusable" } & SegmentNumbers)
  /** A redirect was answered, its click could not be taken in: a fault of our own. */
  | { readonly event: "click.crashed"; readonly reason: string }
  /** Said once a minute and isolate: until it recovers, edits take as long as the caches' own times (60 s + 60 s). */
  | { readonly event: "feed.unreachable"; readonly reason: string; readonly failures: number }
  | { readonly event: "feed.recovered"; readonly failures: number }
  /** Changes were missed: the isolate takes all it holds for stale. */
  | { readonly event: "feed.fell_behind" }
  /** A password could not be asked about, or a strict cap: nobody was let through. */
  | { readonly event: "password.limit_failed"; readonly reason: string }
  | { readonly event: "cap.claim_failed"; readonly reason: string }
  | { readonly event: "api.unreachable"; readonly reason: string }
  | { readonly event: "handler.crashed"; readonly reason: string };

/** Which clicks are meant: `clicks` of them, from number `firstSequence` of the isolate. */
export type SegmentNumbers = {
  readonly isolateId: string;
  readonly firstSequence: number;
  readonly clicks: number;
};

export function toNumbers({ isolateId, firstSequence, clicks }: Segment): SegmentNumbers {
  return { isolateId, firstSequence, clicks: clicks.length };
}

export type Log = (event: LogEvent) => void;

export const logToConsole: Log = (event) => {
  console.log(JSON.stringify(event));
};

/** The name of an error's kind (`TimeoutError`, `NeonDbError`): enough to act on, and never a quoted value. */
export function nameOfError(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
