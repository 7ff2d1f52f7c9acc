/**
 * Keeps one isolate up to date with the change feed: when the plan says so, reads it, behind the response or for a
 * short while before it. A thin shell; what it shares between requests is plain data and promises kept alive by
 * `defer`.
 */
import { isTimeOut, type Wait, withTimeout } from "@hopline/edge-cache/with-timeout";
import type { Log } from "../../log.ts";
import type { ChangeFollower } from "../../ports.ts";
import type { CaughtUp } from "./catch-up.ts";
import {
  afterFailure,
  afterSuccess,
  FEED_BUDGET_MS,
  type FeedState,
  planRead,
  READ_INTERVAL_MS,
  UNREAD,
} from "./plan-read.ts";

/** No visitor waits for a read behind a response, but one that hangs must not go on for as long as the platform lets it. */
const READ_TIMEOUT_MS = 2_000;

/** A feed that is down is mentioned this often by each isolate. */
const MENTION_EVERY_MS = 60_000;

export type FollowerDeps = {
  /** `onBehind`: with the head it is known that there is more, which takes another read. */
  readonly catchUp: (state: FeedState, onBehind?: (untilMs: number) => void) => Promise<CaughtUp>;
  /** Changes until `untilMs` are not known yet, to an isolate that was idle. */
  readonly expect: (untilMs: number) => void;
  /** Brings what the isolate holds and knows up to this. `isFirst`: before, it knew of no change at all. */
  readonly apply: (caughtUp: CaughtUp, isFirst: boolean) => void;
  /** The first read has failed: there is nothing better to trust than KV. */
  readonly giveUp: () => void;
  /** The cache holds what was true then, epoch milliseconds. */
  readonly noteRead: (knownAtMs: number) => void;
  /** Up to READ_SPREAD_MS, another for each isolate. */
  readonly spreadMs: number;
  readonly nowMs: () => number;
  readonly wait: Wait;
  readonly log: Log;
};

export function createChangeFollower(deps: FollowerDeps): ChangeFollower {
  const intervalMs = READ_INTERVAL_MS + deps.spreadMs;
  let state: FeedState = UNREAD;
  let mentionedAtMs = -Infinity;
  /** The read that visitors wait for until `untilMs`, its budget. No other begins before `lastsUntilMs`: later, if the head says that there is more. */
  let awaited: { readonly reading: Promise<void>; readonly untilMs: number; lastsUntilMs: number } | null =
    null;

  const read = async (onBehind?: (untilMs: number) => void): Promise<void> => {
    const startedAtMs = deps.nowMs();
    const timed = await withTimeout(() => deps.catchUp(state, onBehind), READ_TIMEOUT_MS, deps.wait);
    if (timed.kind === "done") {
      succeed(timed.value, startedAtMs);
    } else {
      miss(timed.reason);
    }
  };

  const succeed = (caughtUp: CaughtUp, startedAtMs: number): void => {
    const isFirst = state.cursor === null;
    if (!isFirst && caughtUp.missedUntilMs > -Infinity) {
      deps.log({ event: "feed.fell_behind" });
    }
    deps.apply(caughtUp, isFirst);
    if (state.failures > 0 && mentionedAtMs > -Infinity) {
      deps.log({ event: "feed.recovered", failures: state.failures });
      mentionedAtMs = -Infinity;
    }
    const nowMs = deps.nowMs();
    const knownAtMs = Math.min(caughtUp.knownAtMs, nowMs);
    deps.noteRead(knownAtMs);
    state = afterSuccess(state, {
      cursor: caughtUp.cursor,
      knownAtMs,
      tookMs: nowMs - startedAtMs,
      hasNews: caughtUp.changes.length + caughtUp.versions.length > 0,
    });
  };

  const miss = (reason: string): void => {
    state = afterFailure(state);
    if (state.cursor === null) {
      deps.giveUp();
    }
    const nowMs = deps.nowMs();
    if (nowMs - mentionedAtMs >= MENTION_EVERY_MS) {
      mentionedAtMs = nowMs;
      deps.log({ event: "feed.unreachable", reason, failures: state.failures });
    }
  };

  const isRead = async (reading: Promise<void>, budgetMs: number): Promise<boolean> =>
    !isTimeOut(await withTimeout(() => reading, budgetMs, deps.wait));

  return {
    poll(nowMs, defer) {
      if (nowMs < state.attemptedAtMs) {
        // The clock was set back: what was read may be as old as that.
        awaited = null;
        state = { ...state, attemptedAtMs: -Infinity, knownAtMs: Math.min(state.knownAtMs, nowMs) };
      }
      if (awaited !== null && nowMs < awaited.lastsUntilMs) {
        return isRead(awaited.reading, Math.max(0, awaited.untilMs - nowMs));
      }
      awaited = null;
      const plan = planRead(state, nowMs, intervalMs);
      if (plan === "trust") {
        return null;
      }
      state = { ...state, attemptedAtMs: nowMs, isReading: true };
      if (plan === "read_behind") {
        // In a later microtask: the response is on its way before the feed is asked.
        defer(Promise.resolve().then(() => read()));
        return null;
      }
      const reading = read((untilMs) => {
        deps.expect(untilMs);
        if (awaited !== null) {
          awaited.lastsUntilMs = nowMs + READ_TIMEOUT_MS;
        }
      }).finally(() => {
        awaited = null;
      });
      const untilMs = nowMs + FEED_BUDGET_MS;
      awaited = { reading, untilMs, lastsUntilMs: untilMs };
      defer(reading);
      return isRead(reading, FEED_BUDGET_MS);
    },
  };
}
