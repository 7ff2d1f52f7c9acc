/**
 * The producer's log: one JSON line an event, a closed set of events. No address, user agent, URL, slug or secret ever
 * stands in one.
 */
type LogEvent =
  | { readonly event: "link.load_failed"; readonly tier: "kv" | "db"; readonly reason: string }
  | { readonly event: "link.record_rejected"; readonly tier: "kv" | "db"; readonly field: string }
  | { readonly event: "link.fill_failed"; readonly tier: "kv"; readonly reason: string }
  | { readonly event: "click.send_failed"; readonly shard: number; readonly reason: string }
  | { readonly event: "click.dropped"; readonly clicks: number }
  | { readonly event: "handler.crashed"; readonly reason: string };

export type Log = (event: LogEvent) => void;

export const logToConsole: Log = (event) => {
  console.log(JSON.stringify(event));
};

/** The name of an error's kind (`TimeoutError`, `NeonDbError`): enough to act on, and never a quoted value. */
export function nameOfError(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
