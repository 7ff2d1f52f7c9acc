/** The API's log: one JSON line per event, from a closed set. Never a key, an address, a URL or a secret. */
export type LogEvent =
  | {
      readonly event: "link.publish_failed";
      readonly linkId: string;
      readonly version: number;
      readonly reason: string;
    }
  | { readonly event: "import.publish_failed"; readonly links: number; readonly reason: string }
  | { readonly event: "link.announce_failed"; readonly changes: number; readonly reason: string }
  | { readonly event: "outbox.settle_failed"; readonly changes: number; readonly reason: string }
  | { readonly event: "outbox.republished"; readonly published: number; readonly failed: number }
  | { readonly event: "publish.wake_up_failed"; readonly changes: number; readonly reason: string }
  /** Deliveries wait for the clock, a minute at most. */
  | { readonly event: "webhooks.wake_up_failed"; readonly reason: string }
  | { readonly event: "webhook.disabled"; readonly webhookId: string; readonly reason: string }
  /** The job does all that it can, as if there were something to do. */
  | { readonly event: "clock.unreachable"; readonly reason: string }
  /** Operators could not be told of an alert rule; they are told with the next look. */
  | { readonly event: "alert.send_failed"; readonly reason: string }
  | { readonly event: "caps.ended"; readonly links: number }
  | {
      readonly event: "work.failed";
      readonly kind: string;
      readonly attempts: number;
      /** SQLSTATE or name of the error. */
      readonly reason: string;
    }
  /** `reason`: SQLSTATE or name of the error. */
  | { readonly event: "job.failed"; readonly job: ApiJob; readonly reason: string }
  /** `reason`: a word of the protocol, or the name of an error. */
  | { readonly event: "provider.failed"; readonly provider: string; readonly reason: string }
  | { readonly event: "live.broken"; readonly requestId: string; readonly reason: string }
  | { readonly event: "export.aborted"; readonly requestId: string; readonly reason: string }
  /** Clicks are counted there, and it did not answer. */
  | { readonly event: "clickhouse.failed"; readonly reason: string }
  | ({ readonly event: "database.unavailable" } & RequestFault)
  | ({ readonly event: "handler.crashed" } & RequestFault);

/** What runs without a request: in minutes that have something to do, and emails and deliveries in between. */
export type ApiJob = "work" | "publish" | "webhooks" | "emails";

type RequestFault = {
  /** As in the answer. */
  readonly requestId: string;
  readonly reason: string;
  readonly sqlState: string | null;
};

export type Log = (event: LogEvent) => void;

export const logToConsole: Log = (event) => {
  console.log(JSON.stringify(event));
};

/** The name of an error: enough to act on, and never a quoted value. */
export function nameOfError(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
