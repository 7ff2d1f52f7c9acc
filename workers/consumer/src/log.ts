/** The consumer's log: one JSON line per event, a closed set of events, no personal data and no secret. */
import type { RetentionReport } from "@hopline/db/ledger/drop-old-clicks";

export type LogEvent =
  | { readonly event: "caps.publish_failed"; readonly reason: string }
  /** The job does all that it can, as if there were something to do. */
  | { readonly event: "clock.unreachable"; readonly reason: string }
  /** Webhooks get these clicks with the next batch, or within a minute. */
  | { readonly event: "webhooks.wake_up_failed"; readonly reason: string }
  | {
      readonly event: "batch.inserted";
      readonly queue: string;
      readonly segments: number;
      readonly clicks: number;
      readonly inserted: number;
      readonly refused: number;
    }
  | {
      readonly event: "batch.retried";
      readonly queue: string;
      readonly messages: number;
      readonly delaySeconds: number;
      readonly reason: string;
      readonly sqlState: string | null;
    }
  /** The clicks that came with them are counted. */
  | {
      readonly event: "reports.dropped";
      readonly reports: number;
      readonly reason: string;
      readonly sqlState: string | null;
    }
  /** Our own bug while enriching a click. The segment is retried, and becomes a dead letter in the end. */
  | {
      readonly event: "segment.crashed";
      readonly queue: string;
      readonly reason: string;
      readonly delaySeconds: number;
    }
  | {
      readonly event: "message.dead_lettered";
      readonly queue: string;
      readonly messageId: string;
      /** The field that could not be read. */
      readonly field: string;
    }
  /** Holds the whole message, sealed. `pnpm dead-letters import` reads it back. */
  | { readonly event: "message.unstored"; readonly queue: string; readonly sealed: string }
  | { readonly event: "message.dropped"; readonly queue: string; readonly messageId: string }
  | {
      readonly event: "spill.drained";
      readonly segments: number;
      readonly inserted: number;
      readonly deadLettered: number;
      readonly left: number;
    }
  | ({ readonly event: "retention.applied"; readonly before: string } & RetentionReport)
  /** Nothing was removed: a day has to be pre-aggregated first. */
  | { readonly event: "retention.waits"; readonly before: string }
  | {
      readonly event: "job.failed";
      readonly job: string;
      readonly reason: string;
      readonly sqlState: string | null;
    };

export type Log = (event: LogEvent) => void;

export const logToConsole: Log = (event) => {
  console.log(JSON.stringify(event));
};
