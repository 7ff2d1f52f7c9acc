/** Which file `--record` writes. Pure. */

/** Read by the test that holds README.md to what was measured: of each figure it takes the one measured last. */
export const RESULTS = "load-tests/results";

/**
 * Path in the repository. A section measured by itself has a file of its own, so that it takes the place of no other's.
 *
 * @param date RFC 3339, UTC.
 * @param only the section that `--only` names; `undefined`: several were measured.
 */
export function toResultFile(date: string, only: string | undefined): string {
  return `${RESULTS}/${date.slice(0, 10)}-bench${only === undefined ? "" : `-${only}`}.json`;
}
