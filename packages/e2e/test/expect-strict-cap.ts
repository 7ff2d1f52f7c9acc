import { expect } from "vitest";

/**
 * Never more redirects than the cap, and no use lost but by a 503: the database had counted it, and answered too late. On a
 * machine that keeps up there is none, and the cap is met exactly.
 *
 * @param statuses all that each visitor was given, 503 again and again until the last one.
 */
export function expectStrictCap(
  statuses: readonly (readonly number[])[],
  { maxClicks, visitors }: { readonly maxClicks: number; readonly visitors: number },
): void {
  const count = (wanted: number) => statuses.flat().filter((status) => status === wanted).length;
  expect(count(302)).toBeLessThanOrEqual(maxClicks);
  expect(count(302) + count(503)).toBeGreaterThanOrEqual(maxClicks);
  expect(count(302) + count(410)).toBe(visitors);
}
