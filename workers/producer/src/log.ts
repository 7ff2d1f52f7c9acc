/**
 * The producer's log: one JSON line an event, a closed set of events. Never an address, user agent, URL, slug
 * or secret.
 */

import type { ReadThroughEvent } from "@hopline/edge-cache/read-through-ports";

export type LogEvent =
  | { readonly event: "link.load_failed"; readonly tier: "kv" | "db"; readonly reason: string }
  | { readonly event: "link.record_rejected"; readonly tier: "kv" | "db"; readonly field: string }
  | { readonly event: "segment.send_failed"; readonly shard: number; readonly reason: string }
  /** Counts for the metrics are gone; no click is. */
  | { readonly event: "report.send_failed"; readonly shard: number; readonly reason: string }
  | ({ readonly event: "segment.spilled" } & SegmentNumbers)
  | { readonly event: "segment.spill_failed"; readonly reason: string }
  /** The last resort: `sealed` is the whole segment, and `pnpm dead-letters import` takes this line back. */
  | ({ readonly event: "segment.logged"; readonly sealed: string } & SegmentNumbers)
  /** Lost: neither a queue nor the spill took it, and without a usable SEAL_KEY it may not be written down. */
  | ({ readonly event: "segment.lost"; readonly reason: "seal_key_unusable" } & SegmentNumbers)
  /** A redirect was answered, its click could not be recorded: a fault of our own. */
  | { readonly event: "click.crashed"; readonly reason: string }
  /** Logged once a minute and isolate: until it recovers, edits take as long as the caches' own times (60 s + 60 s). */
  | { readonly event: "feed.unreachable"; readonly reason: string; readonly failures: number }
  | { readonly event: "feed.recovered"; readonly failures: number }
  /** Changes were missed: the isolate marks all it holds as stale. */
  | { readonly event: "feed.fell_behind" }
  /** Tries of a password could not be counted, or uses of a strict cap: the visitor was refused. */
  | { readonly event: "password.limit_failed"; readonly reason: string }
  | { readonly event: "cap.claim_failed"; readonly reason: string }
  /** A link has had too many wrong passwords, from all networks together. */
  | { readonly event: "password.ceiling_reached"; readonly linkId: string }
  | { readonly event: "api.unreachable"; readonly reason: string }
  | { readonly event: "handler.crashed"; readonly reason: string };

/** Which clicks are meant: `clicks` of them, from number `firstSequence` of the isolate. */
export type SegmentNumbers = {
  readonly isolateId: string;
  readonly firstSequence: number;
  readonly clicks: number;
};

export type Log = (event: LogEvent) => void;

/** What went wrong in a look-up is logged; what went well, and what was refused, is in the status codes. */
export function logFailure(event: ReadThroughEvent, log: Log): void {
  if (event.event === "load_failed") {
    log({ ...event, event: "link.load_failed" });
  } else if (event.event === "record_rejected") {
    log({ ...event, event: "link.record_rejected" });
  }
}

export const logToConsole: Log = (event) => {
  console.log(JSON.stringify(event));
};
