/**
 * The clock of the jobs (packages/core/src/clock/work-clock.ts) as a Worker asks it, over the API's Durable Object. Where it does
 * not answer, a run does all that it can, as if the clock had said so.
 */
import { CLOCK_NAME, type ClockWorker, type Found, type RunMode } from "@hopline/core/clock/work-clock";

export interface WorkClock {
  /** Work was made, or will be while the invocation lasts: the next minute's runs look for it. Never rejects. */
  announce(): Promise<void>;
  /** What this run must do. Never rejects. */
  planRun(): Promise<RunMode>;
  /** What a run has found. Never rejects: without it, the next minute's looks again. */
  settle(found: Found): Promise<void>;
}

/** The part of a Durable Object's namespace that is used. */
export type ClockNamespace = {
  readonly getByName: (name: string) => {
    readonly fetch: (
      url: string,
      init: { readonly method: string; readonly body?: string },
    ) => Promise<Response>;
  };
};

export type ClockDeps = {
  readonly namespace: ClockNamespace;
  readonly worker: ClockWorker;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  /** Called with the reason when the clock could not be asked. */
  readonly onFailure: (error: unknown) => void;
};

/** Of an isolate. */
const ANNOUNCED_EVERY_MS = 10_000;

/** One for each isolate: it remembers when it has announced last. */
export function createWorkClock({ namespace, worker, nowMs, onFailure }: ClockDeps): WorkClock {
  let announcedAtMs = Number.NEGATIVE_INFINITY;
  const ask = async (path: string, body?: string): Promise<string | null> => {
    try {
      const init = { method: "POST", ...(body === undefined ? {} : { body }) };
      const response = await namespace.getByName(CLOCK_NAME).fetch(`https://clock/clock/${path}`, init);
      const text = await response.text();
      if (!response.ok) {
        throw new TypeError(`the clock answered ${response.status}`);
      }
      return text;
    } catch (error) {
      onFailure(error);
      return null;
    }
  };
  return {
    async announce() {
      if (nowMs() - announcedAtMs >= ANNOUNCED_EVERY_MS) {
        announcedAtMs = nowMs();
        if ((await ask("announce")) === null) {
          announcedAtMs = Number.NEGATIVE_INFINITY;
        }
      }
    },
    async planRun() {
      const mode = await ask(`take/${worker}`);
      return mode === "rest" || mode === "look" ? mode : "sweep";
    },
    async settle(found) {
      await ask(`settle/${worker}`, JSON.stringify(found));
    },
  };
}
