/** The README's and docs/measurements.md's figures are read from the files here: of each figure the one measured last. */
export const RESULTS = "load-tests/results";

/**
 * The file that `--record` writes, as a path in the repository. A section measured alone has a file of its own, so that it
 * does not replace the others'.
 *
 * @param date RFC 3339, UTC.
 */
export function toResultFile(date: string, only: string | undefined): string {
  return `${RESULTS}/${date.slice(0, 10)}-bench${only === undefined ? "" : `-${only}`}.json`;
}
