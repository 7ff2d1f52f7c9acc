/**
 * Looks links up: the read-through of packages/edge-cache over KV and Postgres, bound to the records of links and domains. A tombstone is
 * an absence with a version, so that no lagging tier resurrects the link.
 */
import type { LinkKey } from "@hopline/core/link/link-address";
import type { IsolateCache } from "@hopline/edge-cache/isolate-cache";
import { createReadThrough } from "@hopline/edge-cache/read-through";
import { DEFAULT_LIMITS, type ReadThroughLimits } from "@hopline/edge-cache/read-through-core";
import type { ReadThroughEvent } from "@hopline/edge-cache/read-through-events";
import type { FillableTier, ReadTier } from "@hopline/edge-cache/read-through-ports";
import type { Wait } from "@hopline/edge-cache/with-timeout";
import { decodeForCache } from "./decode-for-cache.ts";
import type { EdgeRecord } from "./edge-record.ts";
import type { Log } from "./log.ts";
import type { LinkDirectory } from "./ports.ts";

export type LinkDirectoryDeps = {
  readonly isolate: IsolateCache<EdgeRecord>;
  readonly kv: FillableTier<LinkKey>;
  readonly origin: ReadTier<LinkKey>;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  readonly wait: Wait;
  readonly log: Log;
  readonly limits?: Partial<ReadThroughLimits>;
};

/** Once an isolate: it holds what its requests share. */
export function createLinkDirectory({ isolate, limits, log, ...ports }: LinkDirectoryDeps): LinkDirectory {
  return createReadThrough(
    { ...ports, cache: isolate, decode: decodeForCache, emit: (event) => logFailure(event, log) },
    { ...DEFAULT_LIMITS, ...limits },
  );
}

/** What went wrong is logged; what went well, and what was refused, is in the status codes. */
function logFailure(event: ReadThroughEvent, log: Log): void {
  switch (event.event) {
    case "timed_out":
      log({ event: "link.load_failed", tier: event.tier, reason: "TimeoutError" });
      return;
    case "load_failed":
      log({ event: "link.load_failed", tier: event.tier, reason: event.reason });
      return;
    case "record_rejected":
      log({ event: "link.record_rejected", tier: event.tier, field: event.field });
      return;
    case "fill_failed":
      log({ event: "link.fill_failed", tier: event.tier, reason: event.reason });
      return;
    case "answered":
    case "refused":
    case "unavailable":
    case "followed":
    case "leader_lost":
    case "refreshing":
    case "behind":
    case "filled":
      return;
  }
}
