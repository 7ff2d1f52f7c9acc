/**
 * What makes the cube, as items of the work table: a day, enqueued by the statement that writes its clicks, with the same key;
 * and the tags of a workspace, enqueued when links get or lose some (migrations/0004).
 */
import type { RunTransaction } from "@hopline/db/neon-client";
import { sql } from "@hopline/db/sql";
import type { WorkHandler } from "@hopline/db/work/run-work";
import { toTimestamp } from "../instant.ts";
import { openSession } from "./cube-session.ts";
import { makeDay } from "./make-day.ts";
import { makeTags } from "./make-tags.ts";

/** A slice takes seconds; this is for a database that is busy. */
const TIME_LIMIT_MS = 120_000;
const STATEMENT_TIMEOUT_MS = 60_000;
const MAX_DELAY_SECONDS = 3_600;
const DAYS_AT_ONCE = 10;

export type DayDeps = {
  readonly runTransaction: RunTransaction;
  readonly nowMs: () => number;
};

/** One slice for each claim, so that a large day lets others through. */
export function dayHandler({ runTransaction, nowMs }: DayDeps): WorkHandler {
  return {
    timeLimitMs: TIME_LIMIT_MS,
    atOnce: 2,
    maxDelaySeconds: MAX_DELAY_SECONDS,
    async run({ key }) {
      const [workspaceId = "", date = ""] = key.split("/");
      const day = { workspaceId, dayMs: Date.parse(date) };
      return makeDay(runTransaction, day, { timeoutMs: STATEMENT_TIMEOUT_MS, nowMs: nowMs() });
    },
  };
}

/** Some days for each claim, the newest first. */
export function tagsHandler(runTransaction: RunTransaction): WorkHandler {
  return {
    timeLimitMs: TIME_LIMIT_MS,
    atOnce: 1,
    maxDelaySeconds: MAX_DELAY_SECONDS,
    async run({ key, payload }) {
      const run = openSession(runTransaction, STATEMENT_TIMEOUT_MS);
      const before = payload["beforeMs"];
      const isBefore = typeof before === "number" ? sql` AND day < ${toTimestamp(before)}` : sql``;
      const [days = []] = await run([
        sql`SELECT extract(epoch FROM day)::float8 * 1000 AS day_ms FROM cube_days
          WHERE workspace_id = ${key}::uuid${isBefore} GROUP BY day ORDER BY day DESC LIMIT ${DAYS_AT_ONCE}`,
      ]);
      for (const { day_ms: dayMs } of days) {
        await makeTags(run, { workspaceId: key, dayMs: Number(dayMs) });
      }
      const beforeMs = Number(days.at(-1)?.["day_ms"]);
      return days.length < DAYS_AT_ONCE ? undefined : { againInSeconds: 0, change: { beforeMs } };
    },
  };
}
