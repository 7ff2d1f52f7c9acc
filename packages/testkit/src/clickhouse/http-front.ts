/**
 * A program: ClickHouse's HTTP interface over the embedded engine, as far as `@clickhouse/client-web` uses it. Started by
 * clickhouse-server.ts in a process of its own, because the engine blocks its thread and allows one data folder a process.
 *
 * Statements run one after the other. https://clickhouse.com/docs/interfaces/http
 *
 * Arguments: the engine's folder, the data folder, the port, the user, the password. Prints "ready" once it listens.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";

import { readBody } from "../sql-endpoint/read-body.ts";

type Session = { query(statement: string, format: string): string; close(): void };

type Answer = { readonly status: number; readonly code: string | null; readonly body: string };

const MAX_BODY_BYTES = 256 * 1024 * 1024;
/** Parameters of the interface itself; every other one is a setting of the statement. */
const NOT_SETTINGS = new Set(["query", "database", "query_id", "session_id", "role", "default_format"]);
const AUTHENTICATION_FAILED = "516";
/** Codes that the server answers with another status than 500. */
const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  "47": 404,
  "60": 404,
  "81": 404,
  "62": 400,
  "27": 400,
  "456": 400,
};

const [engineDirectory = "", dataDirectory = "", port = "", user = "", password = ""] = process.argv.slice(2);
const session = openSession(engineDirectory, dataDirectory);
const expectedAuthorization = `Basic ${btoa(`${user}:${password}`)}`;

const server = createServer((request, response) => {
  void answer(request).then(
    (result) => send(response, result),
    // The client went away while it was sending.
    () => response.destroy(),
  );
});
server.listen(Number(port), "127.0.0.1", () => console.log("ready"));
// The parent holds the other end: when it dies in any way, so do we.
process.stdin.resume().once("end", () => {
  session.close();
  process.exit(0);
});

function openSession(engine: string, data: string): Session {
  const chdb: unknown = createRequire(join(engine, "package.json"))("chdb");
  const { Session: Constructor } = chdb as { readonly Session: new (path: string) => Session };
  return new Constructor(data);
}

async function answer(request: IncomingMessage): Promise<Answer> {
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  const body = (await readBody(request, MAX_BODY_BYTES)) ?? "";
  if (url.pathname === "/ping") {
    return { status: 200, code: null, body: "Ok.\n" };
  }
  if (request.headers.authorization !== expectedAuthorization) {
    const message = `${user}: Authentication failed: password is incorrect, or there is no user with such name`;
    return toFailure(
      `Code: ${AUTHENTICATION_FAILED}. DB::Exception: ${message}. (AUTHENTICATION_FAILED)`,
      403,
    );
  }
  const parts = readParts(request.headers["content-type"] ?? "", body);
  const parameters = new URLSearchParams([...url.searchParams, ...parts]);
  const given = parameters.get("query") ?? "";
  return run(parameters, given === "" ? body : `${given}\n${parts.length === 0 ? body : ""}`);
}

/** The client sends long parameters as parts of a form, beside the query. */
function readParts(contentType: string, body: string): readonly [string, string][] {
  const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(contentType)?.[1];
  return boundary === undefined
    ? []
    : body.split(`--${boundary}`).flatMap((part): [string, string][] => {
        const [, name, value] =
          /^\r\nContent-Disposition: form-data; name="([^"]+)"\r\n\r\n([^]*)\r\n$/.exec(part) ?? [];
        return name === undefined || value === undefined ? [] : [[name, value]];
      });
}

function run(parameters: URLSearchParams, statement: string): Answer {
  const settings = [...parameters].filter(([name]) => !NOT_SETTINGS.has(name));
  const set = (values: readonly string[]) => session.query(`SET ${values.join(", ")}`, "TabSeparated");
  try {
    session.query(`USE ${quoteName(parameters.get("database") ?? "default")}`, "TabSeparated");
    // A server does not count parameters as parts of the query's text.
    set(["max_query_size = 1000000000"]);
    const given = settings.map(([name, value]) => `${quoteName(name)} = ${quoteText(value)}`);
    set(parameters.has("max_query_size") ? given : [...given, "max_query_size = DEFAULT"]);
    const format = parameters.get("default_format") ?? "TabSeparated";
    return { status: 200, code: null, body: session.query(statement, format) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return toFailure(message.replace(/^Query failed: /, ""));
  } finally {
    // A setting counts for its own statement. Parameters of statements have no default to go back to, and stay.
    const names = settings.map(([name]) => name).filter((name) => !name.startsWith("param_"));
    if (names.length > 0) {
      set(names.map((name) => `${quoteName(name)} = DEFAULT`));
    }
  }
}

function toFailure(message: string, status?: number): Answer {
  const code = /Code: (\d+)\./.exec(message)?.[1] ?? "1002";
  return { status: status ?? STATUS_OF_CODE[code] ?? 500, code, body: `${message}\n` };
}

function send(response: ServerResponse, { status, code, body }: Answer): void {
  if (code !== null) {
    response.setHeader("X-ClickHouse-Exception-Code", code);
  }
  response.writeHead(status, { "Content-Type": "text/plain; charset=UTF-8" }).end(body);
}

function quoteName(name: string): string {
  return `\`${name.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\``;
}

function quoteText(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
