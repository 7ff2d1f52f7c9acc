/**
 * When the jobs of the Workers look for work: the rules, as functions of a state that a Durable Object keeps. Code that makes work
 * announces it, a run says when the next item is due, and in between the database is not asked, so that it can sleep.
 */

/** The Durable Object that keeps the state: an instance of the change feed's class, under this name. */
export const CLOCK_NAME = "clock";

export const CLOCK_WORKERS = ["api", "consumer"] as const;
export type ClockWorker = (typeof CLOCK_WORKERS)[number];

/** `look`: do what is due. `sweep`: find what was missed as well, and clean up. */
export type RunMode = "rest" | "look" | "sweep";

/** All in epoch milliseconds. */
export type ClockState = {
  /** Until then runs look, because something was announced. */
  readonly activeUntilMs: number;
  /** Until then the consumer sweeps, because clicks were spilled. */
  readonly spilledUntilMs: number;
  readonly workers: { readonly [worker in ClockWorker]: WorkerTimes };
};

type WorkerTimes = {
  /** `null`: nothing that is known. */
  readonly dueAtMs: number | null;
  /** When the last sweep was done. */
  readonly sweptAtMs: number;
};

/** What a run has found. */
export type Found = {
  /** Until the next item is due; `null`: there is none. */
  readonly nextInMs: number | null;
  /** It swept, and left nothing over. */
  readonly hasSwept: boolean;
};

/**
 * The cron comes every minute, some seconds late at times. An isolate announces once in `ANNOUNCED_EVERY_MS` (ask-clock.ts), so
 * that what it makes in between meets a run as well.
 */
const ACTIVE_FOR_MS = 90_000;
/** KV may list a key a minute late. */
const SPILLED_FOR_MS = 180_000;
const SWEEP_EVERY_MS = 15 * 60_000;
const IDLE_SWEEP_EVERY_MS = 6 * 3_600_000;
/** A run that dies says nothing: the next minute's looks again. */
const AGAIN_AFTER_MS = 30_000;

const NEVER: WorkerTimes = { dueAtMs: null, sweptAtMs: 0 };
export const NEW_CLOCK: ClockState = {
  activeUntilMs: 0,
  spilledUntilMs: 0,
  workers: { api: NEVER, consumer: NEVER },
};

/** Work was made, or will be in the next seconds. */
export function announce(state: ClockState, nowMs: number): ClockState {
  return { ...state, activeUntilMs: nowMs + ACTIVE_FOR_MS };
}

/** Clicks were spilled. */
export function announceSpill(state: ClockState, nowMs: number): ClockState {
  return { ...announce(state, nowMs), spilledUntilMs: nowMs + SPILLED_FOR_MS };
}

/** What the run of this minute is to do. */
export function planRun(
  state: ClockState,
  worker: ClockWorker,
  nowMs: number,
): { readonly mode: RunMode; readonly state: ClockState } {
  const { dueAtMs, sweptAtMs } = state.workers[worker];
  const isDue = nowMs <= state.activeUntilMs || (dueAtMs !== null && dueAtMs <= nowMs);
  const isSwept = nowMs - sweptAtMs < (isDue ? SWEEP_EVERY_MS : IDLE_SWEEP_EVERY_MS);
  const isSpilled = worker === "consumer" && nowMs <= state.spilledUntilMs;
  if (isSwept && !isSpilled) {
    return isDue ? { mode: "look", state: dueAgain(state, worker, nowMs) } : { mode: "rest", state };
  }
  return { mode: "sweep", state: dueAgain(state, worker, nowMs) };
}

/** After a run. */
export function settleRun(
  state: ClockState,
  worker: ClockWorker,
  { nextInMs, hasSwept, nowMs }: Found & { readonly nowMs: number },
): ClockState {
  const { sweptAtMs } = state.workers[worker];
  return withTimes(state, worker, {
    dueAtMs: nextInMs === null ? null : nowMs + nextInMs,
    sweptAtMs: hasSwept ? nowMs : sweptAtMs,
  });
}

function dueAgain(state: ClockState, worker: ClockWorker, nowMs: number): ClockState {
  return withTimes(state, worker, { ...state.workers[worker], dueAtMs: nowMs + AGAIN_AFTER_MS });
}

function withTimes(state: ClockState, worker: ClockWorker, times: WorkerTimes): ClockState {
  return { ...state, workers: { ...state.workers, [worker]: times } };
}
