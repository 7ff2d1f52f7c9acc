/**
 * A failure that a person reads: what happened, where, and what to do about it, in one line.
 *
 * Everything here runs on a developer's machine or in CI, where the reader of an error can fix it; so expected
 * failures are thrown as this error and a command prints only `message`. Any other error is a bug and keeps its stack.
 * The message never contains a password or a whole connection string.
 */
export class Failure extends Error {
  override readonly name = "Failure";
}

/** Wrong arguments: a command ends with exit code 2 and points to its `--help`. */
export class UsageFailure extends Failure {}

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
