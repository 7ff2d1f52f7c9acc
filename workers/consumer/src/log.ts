/** The consumer's log: one JSON line an event, a closed set of events, no personal data and no secret. */
export type LogEvent =
  | {
      readonly event: "batch.inserted";
      readonly queue: string;
      readonly segments: number;
      readonly clicks: number;
      readonly inserted: number;
    }
  | {
      readonly event: "batch.retried";
      readonly queue: string;
      readonly segments: number;
      readonly delaySeconds: number;
      readonly reason: string;
      readonly sqlState: string | null;
    }
  | {
      readonly event: "segment.rejected";
      readonly queue: string;
      readonly messageId: string;
      readonly field: string;
    };

export type Log = (event: LogEvent) => void;

export const logToConsole: Log = (event) => {
  console.log(JSON.stringify(event));
};
