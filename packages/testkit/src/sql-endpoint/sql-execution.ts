/**
 * Executes a decoded /sql request on a pooled connection and writes the answer's JSON.
 *
 * Always the extended protocol, one statement each, text in and text out: pg's own type parsing is switched off. A
 * connection that is not idle afterwards (an open transaction, a lost socket, a cancelled query) never goes back into
 * the pool.
 */
import pg, { type PoolClient, type QueryArrayResult } from "pg";

import { ConnectProblem } from "./sql-problem.ts";
import type { SqlRequest, SqlStatement } from "./sql-request.ts";

export type CancelBackend = (processId: number) => Promise<void>;

type TextResult = QueryArrayResult<(string | null)[]>;

const asText = { getTypeParser: () => (text: string) => text };

/** Of each statement's text; a connection keeps its plan under a name with that number. */
const numbers = new Map<string, number>();

type SqlDeps = {
  readonly pool: { connect(): Promise<PoolClient> };
  readonly cancelBackend: CancelBackend;
  /** Whether a connection keeps the plan of a text that is asked again. */
  readonly isPrepared: boolean;
};

/** Resolves with the JSON body; `aborted` cancels what is running in the database and rejects. */
export async function executeSql(deps: SqlDeps, request: SqlRequest, aborted: AbortSignal): Promise<string> {
  const client = await deps.pool.connect().catch((cause: unknown) => {
    throw new ConnectProblem(cause);
  });
  const cancelling: Promise<void>[] = [];
  const cancel = () => {
    cancelling.push(deps.cancelBackend(processIdOf(client)));
  };
  aborted.addEventListener("abort", cancel, { once: true });
  let isReusable = false;
  try {
    aborted.throwIfAborted();
    const body = await runRequest(client, request, deps.isPrepared);
    isReusable = true;
    return body;
  } catch (error) {
    isReusable = error instanceof pg.DatabaseError && error.severity === "ERROR";
    throw error;
  } finally {
    aborted.removeEventListener("abort", cancel);
    // Held until the cancellation is through: it must not hit the next user of this connection.
    await Promise.all(cancelling);
    client.release(!(isReusable && cancelling.length === 0 && client.getTransactionStatus() === "I"));
  }
}

async function runRequest(client: PoolClient, request: SqlRequest, isPrepared: boolean): Promise<string> {
  const [only] = request.statements;
  if (request.begin === null && only !== undefined) {
    return toJson(await runStatement(client, only, isPrepared));
  }
  const results: string[] = [];
  try {
    await client.query(request.begin ?? "BEGIN");
    for (const statement of request.statements) {
      results.push(toJson(await runStatement(client, statement, isPrepared)));
    }
    await client.query("COMMIT");
  } catch (error) {
    // Where even this fails, the transaction's status keeps the connection out of the pool.
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
  return `{"results":[${results.join(",")}]}`;
}

function runStatement(client: PoolClient, statement: SqlStatement, isPrepared: boolean): Promise<TextResult> {
  const name = isPrepared ? nameRepeated(statement.query) : null;
  const query = {
    ...(name === null ? {} : { name }),
    text: statement.query,
    values: [...statement.params],
    rowMode: "array" as const,
    types: asText,
    // Without it a statement without parameters would take the simple protocol, which allows several at once.
    queryMode: "extended",
  };
  return client.query<(string | null)[]>(query);
}

/** `null` for a text that is asked for the first time: most are asked once. */
function nameRepeated(text: string): string | null {
  const number = numbers.get(text);
  if (number === undefined) {
    numbers.set(text, numbers.size);
    return null;
  }
  return `repeated-${number}`;
}

function toJson({ command, rowCount, fields, rows }: TextResult): string {
  return JSON.stringify({ command: command ?? "", rowCount, rowAsArray: true, rows, fields });
}

/** pg keeps the server process's id from the start-up messages but does not declare it. */
function processIdOf(client: PoolClient): number {
  if ("processID" in client && typeof client.processID === "number") {
    return client.processID;
  }
  throw new Error("invariant: a connected client has a process id");
}
