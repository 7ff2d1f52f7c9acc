/**
 * The size of tests that grow with the time they are given: `pnpm test` runs a part, and `pnpm test --full`, which CI runs
 * every night, runs everything.
 */
export const IS_FULL: boolean = process.env["HOPLINE_FULL"] === "1";

/**
 * Options of a property test that runs `inFull` times, and a quarter as often by default. Used as
 * `fc.assert(property, runs(400))`; without a number it is fast-check's own 100.
 */
export function runs(inFull = 100): { readonly numRuns: number } {
  return { numRuns: Math.ceil(IS_FULL ? inFull : inFull / 4) };
}
