/**
 * A Neon-compatible `/sql` endpoint in front of any Postgres, so that @neondatabase/serverless runs unchanged in the
 * local Workers and in tests (`neonConfig.fetchEndpoint`).
 *
 * It talks to the one database it was given, whatever host the client's Neon-Connection-String names. If the user in it
 * is a role of packages/db/roles.sql, statements run under that role, else as the database's owner. The header is never logged.
 * It has to be there, as with Neon: a web page that tries its luck on a local port cannot set it without a preflight,
 * which is not answered. Listens on 127.0.0.1 only.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

import pg, { type Pool } from "pg";

import { toClientConfig } from "../postgres/database-url.ts";
import { TEMPLATE_VARIABLE } from "../postgres/scratch-database.ts";
import { readRole, type WorkerRole } from "../postgres/worker-roles.ts";
import { errorCode, Failure } from "../console/failure.ts";
import { openShortcut, type SqlMessage } from "./in-process.ts";
import { readBody } from "./read-body.ts";
import { type CancelBackend, executeSql } from "./sql-execution.ts";
import { createFaultBox, type DecideSqlFault, type FaultBox, type SqlFault } from "./sql-fault.ts";
import { SqlProblem, toErrorAnswer } from "./sql-problem.ts";
import { decodeSqlRequest } from "./sql-request.ts";

export type SqlEndpointOptions = {
  readonly databaseUrl: string;
  /** Without it the system chooses one. */
  readonly port?: number;
  /** Requests beyond this many at once wait for a connection. */
  readonly maxConnections?: number;
  /** Applies to request and response; Neon's own limit is the default. */
  readonly maxBytes?: number;
};

export type SqlEndpoint = AsyncDisposable & {
  readonly url: string;
  readonly port: number;
  /** Asked for every well-formed request; null ends all faults and lets hanging requests go on. */
  setFault(decide: DecideSqlFault | null): void;
  /** Lets running requests finish for a moment, then cancels them. */
  stop(): Promise<void>;
};

const DEFAULT_MAX_CONNECTIONS = 20;
/** https://neon.com/docs/serverless/serverless-driver: 64 MB each way. */
const NEON_MAX_BYTES = 64 * 1024 * 1024;
/** Longer than clients keep idle connections, so that it is never the server who closes under a new request. */
const KEEP_ALIVE_MS = 75_000;
const STOP_GRACE_MS = 2_000;

type Deps = {
  /** `null`: the owner's. */
  readonly poolOf: (role: WorkerRole | null) => Pool;
  readonly cancelBackend: CancelBackend;
  readonly faults: FaultBox;
  readonly maxBytes: number;
  readonly nextNumber: () => number;
  readonly isStopping: () => boolean;
  readonly isPrepared: boolean;
};

/** Starts listening; the database is first contacted by the first request. A taken port is a Failure. */
export async function startSqlEndpoint(options: SqlEndpointOptions): Promise<SqlEndpoint> {
  const pools = new Map<WorkerRole | null, Pool>();
  const poolOf = (role: WorkerRole | null): Pool => {
    const pool =
      pools.get(role) ??
      createPool(options.databaseUrl, options.maxConnections ?? DEFAULT_MAX_CONNECTIONS, role);
    pools.set(role, pool);
    return pool;
  };
  const control = createPool(options.databaseUrl, 1);
  const faults = createFaultBox();
  let count = 0;
  const deps: Deps = {
    poolOf,
    faults,
    maxBytes: options.maxBytes ?? NEON_MAX_BYTES,
    nextNumber: () => (count += 1),
    isStopping: () => !server.listening,
    // Neon plans every statement anew. So does this endpoint, except in a test run, where keeping plans saves CPU.
    isPrepared: process.env[TEMPLATE_VARIABLE] !== undefined,
    // Where the server is gone there is nothing left to cancel.
    cancelBackend: (processId) =>
      control.query("SELECT pg_cancel_backend($1)", [processId]).then(
        () => undefined,
        () => undefined,
      ),
  };
  const running = new Set<Promise<unknown>>();
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, noDelay: true }, (request, response) => {
    const over = Promise.withResolvers<void>();
    running.add(over.promise);
    response.once("close", () => {
      running.delete(over.promise);
      over.resolve();
    });
    void serve(deps, request, response);
  });
  const port = await listen(server, options.port ?? 0);
  const url = `http://127.0.0.1:${port}/sql`;
  const closeShortcut = openShortcut(url, {
    isOpen: () => !faults.areSet(),
    answer: (message, gone) => answer(deps, message, gone),
  });
  const stop = async () => {
    closeShortcut();
    faults.close();
    await stopServing(server, running);
    await Promise.all([...pools.values()].map((pool) => pool.end()));
    // Last: until the pools are empty there may be something to cancel.
    await control.end();
  };
  return {
    url,
    port,
    setFault: (decide) => faults.set(decide),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function serve(deps: Deps, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) {
      gone.abort();
    }
  });
  try {
    const body = await answer(deps, await receive(deps, request), gone.signal);
    if (body === null) {
      request.socket.resetAndDestroy();
    } else {
      send(response, 200, body, deps.isStopping());
    }
  } catch (error) {
    if (!gone.signal.aborted) {
      const { status, body } = toErrorAnswer(error);
      send(response, status, body, deps.isStopping());
    }
  }
}

/** The answer's body, or null where a fault wants the connection reset instead. */
async function answer(deps: Deps, { headers, body }: SqlMessage, gone: AbortSignal): Promise<string | null> {
  const role = readRole(String(headers["neon-connection-string"]));
  const sql = decodeSqlRequest(body, headers);
  const fault = deps.faults.decide({
    number: deps.nextNumber(),
    statements: sql.statements,
    isTransaction: sql.begin !== null,
  });
  if (fault?.kind === "reset") {
    return null;
  }
  await suffer(fault, deps.faults, gone);
  const answered = await executeSql({ ...deps, pool: deps.poolOf(role) }, sql, gone);
  if (fault?.kind === "execute-then-reset") {
    return null;
  }
  if (Buffer.byteLength(answered) > deps.maxBytes) {
    throw new SqlProblem(507, `response is too large (max is ${deps.maxBytes} bytes)`);
  }
  return answered;
}

async function receive(deps: Deps, request: IncomingMessage): Promise<SqlMessage> {
  if (request.url !== "/sql") {
    throw new SqlProblem(404, "there is only POST /sql here");
  }
  if (request.method !== "POST") {
    throw new SqlProblem(405, "there is only POST /sql here");
  }
  if (request.headers["neon-connection-string"] === undefined) {
    throw new SqlProblem(400, "missing header Neon-Connection-String");
  }
  const body = await readBody(request, deps.maxBytes);
  if (body === null) {
    throw new SqlProblem(413, `request is too large (max is ${deps.maxBytes} bytes)`);
  }
  return { headers: request.headers, body };
}

/** Lives through the faults that come before execution; rejects when the client gives up meanwhile. */
async function suffer(fault: SqlFault | null, faults: FaultBox, gone: AbortSignal): Promise<void> {
  if (fault?.kind === "status") {
    throw new SqlProblem(fault.status, fault.message);
  }
  if (fault?.kind === "hang") {
    await Promise.race([faults.untilChanged(), untilAborted(gone)]);
  }
  if (fault?.kind === "delay") {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, fault.delayMs)));
    await Promise.race([over, untilAborted(gone)]);
    clearTimeout(timer);
  }
  gone.throwIfAborted();
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
    }
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function send(response: ServerResponse, status: number, body: string, isStopping: boolean): void {
  // A body that was refused unread is not worth keeping the connection for.
  const isLast = isStopping || !response.req.complete;
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...(isLast ? { connection: "close" } : {}),
  });
  response.end(body);
}

function createPool(databaseUrl: string, max: number, role: WorkerRole | null = null): Pool {
  const options = role === null ? {} : { options: `-c role=${role}` };
  const pool = new pg.Pool({ ...toClientConfig(databaseUrl), ...options, max, allowExitOnIdle: true });
  // A connection that breaks tells its query; without a listener it would also end the process.
  pool.on("connect", (client) => client.on("error", () => undefined));
  pool.on("error", () => undefined);
  return pool;
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      const isTaken = errorCode(cause) === "EADDRINUSE";
      reject(
        isTaken
          ? new Failure(`Port ${port} of 127.0.0.1 is taken; choose another for /sql.`, { cause })
          : cause,
      );
    });
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

/** Connections that have nothing to say yet would hold up a plain close; those that still run get a moment. */
async function stopServing(server: Server, running: ReadonlySet<Promise<unknown>>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const grace = Promise.withResolvers<void>();
  const timer = setTimeout(grace.resolve, STOP_GRACE_MS);
  await Promise.race([Promise.all(running), grace.promise]);
  clearTimeout(timer);
  server.closeAllConnections();
  await closed;
}
