/**
 * Waits for work no longer than it may take. The work itself goes on: what cannot be aborted (a KV read) is left behind.
 */

export type Timed<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "timed_out" }
  | { readonly kind: "failed"; readonly reason: string };

/** Resolves after so many milliseconds; may reject when its request has ended. */
export type Wait = (ms: number) => Promise<unknown>;

const TIMED_OUT = { kind: "timed_out" } as const;

/** The outcome of `work`, or `timed_out`. Never rejects; `reason` is the name of the error's kind, never its message. */
export async function withTimeout<T>(
  work: () => Promise<T>,
  timeoutMs: number,
  wait: Wait,
): Promise<Timed<T>> {
  try {
    const done = work().then((value) => ({ kind: "done", value }) as const);
    return await Promise.race([done, wait(timeoutMs).then(() => TIMED_OUT)]);
  } catch (error) {
    return { kind: "failed", reason: error instanceof Error ? error.name : typeof error };
  }
}
