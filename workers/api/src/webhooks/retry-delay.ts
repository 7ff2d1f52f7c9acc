/** When what failed is tried again. Pure. */

const FIRST_SECONDS = 5;
const MAX_SECONDS = 7_200;
/** Of an endpoint, between two looks whether it is back. */
const MAX_PAUSE_SECONDS = 60;

/** For how long an event is tried, from when it happened or was replayed. Also the default of give_up_at. */
export const TRIED_FOR_HOURS = 24;

/**
 * Seconds until the next attempt of a message: 5 s, 10 s, 20 s and so on, two hours at most, each a quarter longer or shorter.
 *
 * @param attempts from 1.
 * @param random in [0, 1).
 */
export function retryDelaySeconds(attempts: number, random: number): number {
  return Math.min(MAX_SECONDS, spread(FIRST_SECONDS * 2 ** Math.min(attempts - 1, 20), random));
}

/**
 * Seconds for which an endpoint is left alone after a failure. Its other messages wait as well: what is down stays down for each
 * of them, and what comes back is noticed within a minute.
 *
 * @param failures in a row, from 1.
 */
export function pauseSeconds(failures: number, random: number): number {
  return Math.min(MAX_PAUSE_SECONDS, spread(FIRST_SECONDS * 2 ** Math.min(failures - 1, 10), random));
}

function spread(seconds: number, random: number): number {
  return Math.min(seconds, MAX_SECONDS) * (0.75 + random / 2);
}
