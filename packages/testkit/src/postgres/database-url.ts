/**
 * Reads a database URL, and shows it to people without its secrets.
 *
 * Every connection of this package takes its settings from here, so that the meaning of a URL (and the one line about
 * a broken one) is the same for the migrations, the tests and the /sql endpoint.
 */
import type { ClientConfig } from "pg";

import { errorCode, Failure } from "../console/failure.ts";

/**
 * What Workers get as DATABASE_URL where a /sql endpoint stands in front of the database: they never see the real one, so that
 * no log line of theirs can give it away.
 */
export const PLACEHOLDER_DATABASE_URL = "postgresql://local:local@database.local.invalid/hopline";

const CONNECT_TIMEOUT_MS = 15_000;

/** Settings for pg; `source` names where the text came from in the error, which never repeats the text itself. */
export function toClientConfig(databaseUrl: string, source = "DATABASE_URL"): ClientConfig {
  const url = parseUrl(databaseUrl, source);
  // pg reads require, prefer and verify-ca as verify-full and warns about it at length; verify-full means the same.
  if (["require", "prefer", "verify-ca"].includes(url.searchParams.get("sslmode") ?? "")) {
    url.searchParams.set("sslmode", "verify-full");
  }
  return {
    connectionString: url.href,
    application_name: "hopline",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  };
}

/** `127.0.0.1:5432/hopline`: fit for a log. */
export function describeDatabase(databaseUrl: string): string {
  const url = parseUrl(databaseUrl, "DATABASE_URL");
  return `${url.hostname}:${url.port === "" ? "5432" : url.port}${url.pathname}`;
}

/** The same server and login, another database. */
export function withDatabase(databaseUrl: string, name: string): string {
  const url = parseUrl(databaseUrl, "DATABASE_URL");
  url.pathname = `/${name}`;
  return url.href;
}

/** What a failed connection means for the person who set the URL. */
export function explainConnection(databaseUrl: string, error: unknown): Failure {
  const place = describeDatabase(databaseUrl);
  const code = errorCode(error) ?? "";
  const detail = error instanceof Error && error.message !== "" ? error.message : code;
  if (code === "28P01" || code === "28000") {
    return new Failure(`The database at ${place} refused the login in DATABASE_URL: ${detail}.`, {
      cause: error,
    });
  }
  if (code === "3D000") {
    return new Failure(`There is no database at ${place}: create it first, or correct DATABASE_URL.`, {
      cause: error,
    });
  }
  return new Failure(`The database at ${place} cannot be reached: ${redact(detail, databaseUrl)}.`, {
    cause: error,
  });
}

function parseUrl(databaseUrl: string, source: string): URL {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : null;
  if (url === null || !["postgres:", "postgresql:"].includes(url.protocol) || url.hostname === "") {
    throw new Failure(
      `${source} is not a Postgres address: it should read postgresql://user:password@host:port/name.`,
    );
  }
  return url;
}

function redact(text: string, databaseUrl: string): string {
  const { password } = new URL(databaseUrl);
  return password === ""
    ? text
    : text.replaceAll(decodeURIComponent(password), "***").replaceAll(password, "***");
}
