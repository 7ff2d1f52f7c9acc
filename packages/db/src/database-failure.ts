/**
 * Classifies the failure of a statement: by SQLSTATE if the server answered, else as unavailable. The driver's messages
 * are dropped because they may quote values.
 */

/**
 * `unavailable`: the database cannot be reached or did not answer (connection, timeout, shutdown): try again later.
 * `conflict`: the same statement may succeed now (serialisation failure, deadlock). `data`: these values will never be
 * accepted. `statement`: the statement does not fit the schema or the role's privileges, which a deployment has to fix.
 */
export type DatabaseFailure = {
  readonly reason: "unavailable" | "conflict" | "data" | "statement";
  /** SQLSTATE, five characters; `null` if the server did not answer. */
  readonly sqlState: string | null;
  /** The violated constraint, if the server named one. */
  readonly constraint: string | null;
};

/** SQLSTATEs that callers distinguish. */
export const UNIQUE_VIOLATION = "23505";
/** By its time limit, or by its caller. */
export const QUERY_CANCELED = "57014";

/** SQLSTATE classes after https://www.postgresql.org/docs/18/errcodes-appendix.html. */
export function toDatabaseFailure(error: unknown): DatabaseFailure {
  const sqlState = readText(error, "code");
  const constraint = readText(error, "constraint");
  if (sqlState === null || !/^[0-9A-Z]{5}$/.test(sqlState)) {
    return { reason: "unavailable", sqlState: null, constraint: null };
  }
  return { reason: classify(sqlState), sqlState, constraint };
}

function classify(sqlState: string): DatabaseFailure["reason"] {
  if (sqlState === "40001" || sqlState === "40P01") {
    return "conflict";
  }
  switch (sqlState.slice(0, 2)) {
    case "22": // data exception
    case "23": // integrity constraint violation
    case "54": // a value beyond a limit of the server: an index entry too large, for example
      return "data";
    case "42": // syntax error or access rule violation
    case "0A": // feature not supported
    case "3F": // invalid schema name
      return "statement";
    default:
      // 08 connection, 53 resources, 55 object state, 57 operator intervention, 58 system, XX internal, 25 read-only:
      // all of them pass, or a person repairs them while the work waits.
      return "unavailable";
  }
}

function readText(error: unknown, field: string): string | null {
  if (typeof error !== "object" || error === null) {
    return null;
  }
  const value: unknown = Object.entries(error).find(([name]) => name === field)?.[1];
  return typeof value === "string" && value !== "" ? value : null;
}
