/** Days of UTC, which the rollups and the cube have. Days of time zones are in `time-zone.ts`. */

export const DAY_MS = 86_400_000;
export const QUARTER_MS = 900_000;

export function floorToDay(atMs: number): number {
  return Math.floor(atMs / DAY_MS) * DAY_MS;
}
