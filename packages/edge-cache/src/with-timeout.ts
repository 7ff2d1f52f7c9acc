/**
 * Waits for work no longer than it may take. The work itself goes on: what cannot be aborted (a KV read) is left behind.
 */

export type Timed<T> =
  | { readonly kind: "done"; readonly value: T }
  /** `reason`: the name of the error's kind, never its message; `TimeoutError` where the work took too long. */
  | { readonly kind: "failed"; readonly reason: string };

/** Resolves after so many milliseconds; may reject when its request has ended. */
export type Wait = (ms: number) => Promise<unknown>;

const TIMED_OUT = { kind: "failed", reason: "TimeoutError" } as const;

/**
 * The outcome of `work`. Never rejects. By hand, because a race of promises costs a KV hit twice as many of them.
 */
export function withTimeout<T>(work: () => Promise<T>, timeoutMs: number, wait: Wait): Promise<Timed<T>> {
  return new Promise((resolve) => {
    const fail = (error: unknown): void => {
      resolve({ kind: "failed", reason: nameOfError(error) });
    };
    try {
      work().then((value) => resolve({ kind: "done", value }), fail);
      wait(timeoutMs).then(() => resolve(TIMED_OUT), fail);
    } catch (error) {
      fail(error);
    }
  });
}

/** Whether the time was up; or the work failed with such an error of its own. */
export function isTimeOut(timed: Timed<unknown>): boolean {
  return timed.kind === "failed" && timed.reason === TIMED_OUT.reason;
}

/** The name of an error's kind (`TimeoutError`, `NeonDbError`): enough to act on, and never a quoted value. */
export function nameOfError(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
