/** Copying clicks to ClickHouse as one item of the work table, so that two runs do not overlap for long. */
import type { CopyReport } from "@hopline/clickhouse/copy/copy-clicks";
import type { WorkHandler } from "@hopline/db/work/run-work";
import type { Log } from "../log.ts";

/** Work starts every minute; a run ends before the next one. */
const COPY_FOR_MS = 40_000;
/** One that hangs is abandoned, and continued by the next. */
const TIME_LIMIT_MS = 55_000;
const AGAIN_IN_SECONDS = 50;
/** ClickHouse may be away for hours; it is asked once a minute. */
const MAX_DELAY_SECONDS = 50;

/** Copies until nothing is left or the time is up. Rejects if either database does. */
export type Copier = (maxDurationMs: number) => Promise<CopyReport>;

export function copyHandler(copy: Copier, log: Log): WorkHandler {
  return {
    timeLimitMs: TIME_LIMIT_MS,
    atOnce: 1,
    maxDelaySeconds: MAX_DELAY_SECONDS,
    async run() {
      const { sealed, wrong, isBehind } = await copy(COPY_FOR_MS);
      if (sealed + wrong > 0 || isBehind) {
        log({ event: "clickhouse.copied", sealed, wrong, isBehind });
      }
      return { againInSeconds: isBehind ? 0 : AGAIN_IN_SECONDS };
    },
  };
}
