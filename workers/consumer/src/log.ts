/** The consumer's log: one JSON line an event, a closed set of events, no personal data and no secret. */
import type { RetentionReport } from "@hopline/db/ledger/drop-old-clicks";

export type LogEvent =
  | { readonly event: "caps.publish_failed"; readonly reason: string }
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
  /** A fault of ours in reading a click; the segment is tried again, and in the end buried. */
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
      /** The field that could not be read; `null` where all could, and the message ran out of tries. */
      readonly field: string | null;
    }
  /** Holds the whole message, sealed: `pnpm dead-letters import` takes this line back. */
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
  /** Hours, days, weeks and tags counted ahead; `left` waits for the next run, `passedOver` was made by another or cannot be. */
  | {
      readonly event: "clicks.summarised";
      readonly made: number;
      readonly passedOver: number;
      readonly left: number;
    }
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
