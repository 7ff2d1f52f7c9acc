/**
 * The size of property tests: a quarter of what a test names, and all of it with `pnpm test --full`, which CI runs every
 * night. Used as `fc.assert(property, runs(400))`; without a number it is fast-check's own default of 100.
 */
const SHARE = process.env["HOPLINE_FULL"] === "1" ? 1 : 1 / 4;

export function runs(inFull = 100): { readonly numRuns: number } {
  return { numRuns: Math.ceil(inFull * SHARE) };
}
