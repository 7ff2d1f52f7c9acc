/**
 * A failure that is told to a person: what happened, where, and what to do about it, in one line.
 *
 * Everything in this package runs on a developer's machine or in CI, where the reader of an error is the one who can
 * mend it; so expected failures travel as this error and a command prints `message` alone. Any other error is a bug
 * and keeps its stack. The message never holds a password or a whole connection string.
 */
export class Failure extends Error {
  override readonly name = "Failure";
}

/** The one line a command prints for `error`; a bug keeps its stack. */
export function describeError(error: unknown): string {
  if (error instanceof Failure) {
    return error.message;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The `code` of a Node or Postgres error (`ENOENT`, `42P01`), or null where there is none. */
export function errorCode(error: unknown): string | null {
  if (typeof error === "object" && error !== null && "code" in error && typeof error.code === "string") {
    return error.code;
  }
  return null;
}
