/**
 * Decodes one request to the /sql endpoint: the wire format of Neon's SQL over HTTP, as @neondatabase/serverless 1.2
 * speaks it.
 *
 * Body `{query, params}` or `{queries: [...]}` in JSON, whatever the content type says; options in Neon-* headers,
 * where only the exact word `true` counts. Parameters that are not text are put into Postgres's text form by pg, as Neon's
 * proxy does.
 */
import type { IncomingHttpHeaders } from "node:http";

import { SqlProblem } from "./sql-problem.ts";

export type SqlStatement = {
  readonly query: string;
  readonly params: readonly unknown[];
  readonly isArrayMode: boolean;
};

export type SqlRequest = {
  readonly statements: readonly SqlStatement[];
  /** The opening statement where the statements form one transaction, else null. */
  readonly begin: string | null;
  /** Cells as Postgres wrote them; false asks for JSON numbers, booleans and arrays. */
  readonly isRawText: boolean;
};

const ISOLATION_LEVELS: Readonly<Record<string, string>> = {
  ReadUncommitted: "READ UNCOMMITTED",
  ReadCommitted: "READ COMMITTED",
  RepeatableRead: "REPEATABLE READ",
  Serializable: "SERIALIZABLE",
};

/** A body or header out of form is a SqlProblem with status 400. */
export function decodeSqlRequest(body: string, headers: IncomingHttpHeaders): SqlRequest {
  const payload = parseJson(body);
  const isArrayMode = headers["neon-array-mode"] === "true";
  const isRawText = headers["neon-raw-text-output"] === "true";
  if (isRecord(payload) && Array.isArray(payload["queries"])) {
    const statements = payload["queries"].map((one: unknown) => decodeStatement(one, isArrayMode));
    return { statements, begin: beginStatement(headers), isRawText };
  }
  return { statements: [decodeStatement(payload, isArrayMode)], begin: null, isRawText };
}

function decodeStatement(value: unknown, isArrayMode: boolean): SqlStatement {
  if (!isRecord(value) || typeof value["query"] !== "string") {
    throw new SqlProblem(400, "the request body has to be {query, params} or {queries: [{query, params}]}");
  }
  const params = value["params"] ?? [];
  if (!Array.isArray(params)) {
    throw new SqlProblem(400, "params has to be an array");
  }
  const ownMode = value["arrayMode"];
  return {
    query: value["query"],
    params,
    isArrayMode: typeof ownMode === "boolean" ? ownMode : isArrayMode,
  };
}

function beginStatement(headers: IncomingHttpHeaders): string {
  const level = headers["neon-batch-isolation-level"];
  const words = ["BEGIN"];
  if (level !== undefined) {
    const known = typeof level === "string" ? ISOLATION_LEVELS[level] : undefined;
    if (known === undefined) {
      throw new SqlProblem(400, "invalid isolation level");
    }
    words.push(`ISOLATION LEVEL ${known}`);
  }
  if (headers["neon-batch-read-only"] === "true") {
    words.push("READ ONLY");
  }
  if (headers["neon-batch-deferrable"] === "true") {
    words.push("DEFERRABLE");
  }
  return words.join(" ");
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new SqlProblem(400, "the request body is not valid JSON");
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
