/**
 * The copy to ClickHouse as items of the work table: a day that is over, marked when analytics have pre-aggregated it, and EVERY_DAY,
 * which compares all days every six hours.
 */
import type { WorkHandler } from "@hopline/db/work/run-work";
import { compareWorkspaces } from "./compare-workspaces.ts";
import { copyDay, type CopyDeps, type CopyReport, NO_WORKSPACE } from "./copy-day.ts";

/** Enqueued by the clock where it is missing. */
export const EVERY_DAY = { kind: "clickhouse", key: "every day" } as const;

const COMPARED_EVERY_SECONDS = 21_600;
/** Work starts every minute; a run ends before the next one, unless a quarter of an hour has very many clicks. */
const COPY_FOR_MS = 40_000;
const TIME_LIMIT_MS = 600_000;
/** ClickHouse may be away for hours; it is asked once a minute. */
const MAX_DELAY_SECONDS = 50;

/** @param onReport told what was done with a day, unless that is nothing. */
export function copyHandler(deps: CopyDeps, onReport: (report: CopyReport) => void): WorkHandler {
  return {
    timeLimitMs: TIME_LIMIT_MS,
    atOnce: 1,
    maxDelaySeconds: MAX_DELAY_SECONDS,
    async run({ key, payload }) {
      if (key === EVERY_DAY.key) {
        const reached = payload["after"];
        const after = await compareWorkspaces(typeof reached === "string" ? reached : NO_WORKSPACE, deps);
        return after === null
          ? { againInSeconds: COMPARED_EVERY_SECONDS, change: { after: NO_WORKSPACE } }
          : { againInSeconds: 0, change: { after } };
      }
      const report = await copyDay(key, deps.nowMs() + COPY_FOR_MS, deps);
      if (report.sealed + report.wrong > 0 || report.isBehind) {
        onReport(report);
      }
      // A day that is still wrong is compared again with all others.
      return report.isBehind ? { againInSeconds: 0 } : undefined;
    },
  };
}
