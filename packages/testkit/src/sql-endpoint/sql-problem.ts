/**
 * Turns what went wrong behind the /sql endpoint into Neon's error answer.
 *
 * A statement that Postgres refused, and a connection lost in the middle of one, is 400; no connection at all is 500,
 * except where the login or the database name is at fault (400). Source: neondatabase/neon, proxy/src/serverless,
 * sql_over_http.rs (`get_http_status_code`). The driver reads code and the rest from a 400 only.
 */
import pg from "pg";

/** A refusal of the endpoint itself. */
export class SqlProblem extends Error {
  override readonly name = "SqlProblem";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** No connection could be had; the cause is what the database or the network said. */
export class ConnectProblem extends Error {
  override readonly name = "ConnectProblem";

  constructor(cause: unknown) {
    super("no connection to the database", { cause });
  }
}

export type SqlErrorAnswer = { readonly status: number; readonly body: string };

/** Neon's field names; a Postgres error that lacks one says null. */
const ERROR_FIELDS = [
  "detail",
  "hint",
  "position",
  "internalPosition",
  "internalQuery",
  "where",
  "table",
  "column",
  "schema",
  "dataType",
  "constraint",
  "file",
  "line",
  "routine",
] as const;

/** Invalid authorisation (class 28) and unknown database: the caller's fault, also while connecting. */
const CALLERS_CONNECT_FAULT = /^(28|3D)/;

export function toErrorAnswer(error: unknown): SqlErrorAnswer {
  const cause = error instanceof ConnectProblem ? error.cause : error;
  return { status: toStatus(error, cause), body: JSON.stringify(toErrorBody(cause)) };
}

function toStatus(error: unknown, cause: unknown): number {
  if (error instanceof SqlProblem) {
    return error.status;
  }
  if (error instanceof ConnectProblem) {
    return cause instanceof pg.DatabaseError && CALLERS_CONNECT_FAULT.test(cause.code ?? "") ? 400 : 500;
  }
  return 400;
}

function toErrorBody(cause: unknown): Record<string, unknown> {
  const database = cause instanceof pg.DatabaseError ? cause : null;
  const body: Record<string, unknown> = {
    message: messageOf(cause),
    code: database?.code ?? "",
    severity: database?.severity ?? "",
  };
  for (const field of ERROR_FIELDS) {
    body[field] = database?.[field] ?? null;
  }
  return body;
}

/** Node's error for a name with several addresses has an empty message and the reasons inside. */
function messageOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.message === "") {
    return cause.errors.map((one: unknown) => messageOf(one)).join("; ");
  }
  return cause instanceof Error ? cause.message : String(cause);
}
