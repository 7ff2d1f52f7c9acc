/** Days of the cube as items of the work table. The statement that writes clicks enqueues them, with the same key. */
import type { RunTransaction } from "@hopline/db/neon-client";
import type { WorkHandler } from "@hopline/db/work/run-work";
import { type CubeDay, makeDay } from "./make-day.ts";

/** A slice takes seconds; this is for a database that is busy. */
const TIME_LIMIT_MS = 120_000;
const STATEMENT_TIMEOUT_MS = 60_000;
const MAX_DELAY_SECONDS = 3_600;

/** One slice for each claim, so that a large day lets others through. */
export function dayHandler(runTransaction: RunTransaction): WorkHandler {
  return {
    timeLimitMs: TIME_LIMIT_MS,
    atOnce: 2,
    maxDelaySeconds: MAX_DELAY_SECONDS,
    async run({ key }) {
      const day = parseDayKey(key);
      const isFinished =
        day === null || (await makeDay(runTransaction, day, { timeoutMs: STATEMENT_TIMEOUT_MS }));
      return isFinished ? undefined : { againInSeconds: 0 };
    },
  };
}

/** `null` for a key of another form. */
function parseDayKey(key: string): CubeDay | null {
  const [workspaceId, date] = key.split("/");
  const dayMs = Date.parse(date ?? "");
  return workspaceId === undefined || Number.isNaN(dayMs) ? null : { workspaceId, dayMs };
}
