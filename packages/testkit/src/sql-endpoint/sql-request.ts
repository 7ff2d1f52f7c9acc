/**
 * Decodes one request to the /sql endpoint: the wire format of Neon's SQL over HTTP, as @neondatabase/serverless 1.2
 * speaks it.
 *
 * Body `{query, params}` or `{queries: [...]}` in JSON, whatever the content type says; options of a transaction in Neon-* headers,
 * where only the exact word `true` counts. What the driver always asks for, raw text and rows as arrays, is always given. Parameters that are not text are put into Postgres's text form by pg, as Neon's
 * proxy does.
 */
import type { IncomingHttpHeaders } from "node:http";

import { SqlProblem } from "./sql-problem.ts";

export type SqlStatement = {
  readonly query: string;
  readonly params: readonly unknown[];
};

export type SqlRequest = {
  readonly statements: readonly SqlStatement[];
  /** The opening statement where the statements form one transaction, else null. */
  readonly begin: string | null;
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
  if (isRecord(payload) && Array.isArray(payload["queries"])) {
    return { statements: payload["queries"].map(decodeStatement), begin: beginStatement(headers) };
  }
  return { statements: [decodeStatement(payload)], begin: null };
}

function decodeStatement(value: unknown): SqlStatement {
  if (!isRecord(value) || typeof value["query"] !== "string") {
    throw new SqlProblem(400, "the request body has to be {query, params} or {queries: [{query, params}]}");
  }
  const params = value["params"] ?? [];
  if (!Array.isArray(params)) {
    throw new SqlProblem(400, "params has to be an array");
  }
  return { query: value["query"], params };
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
