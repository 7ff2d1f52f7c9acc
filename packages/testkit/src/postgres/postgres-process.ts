/**
 * Runs one Postgres server process and ends it for certain.
 *
 * The server gets its own session, so that Ctrl-C reaches us and not the server: we decide the order in which things
 * stop. A guard (a few lines of sh, holding nothing but one end of a pipe) takes it down when we die in any way,
 * SIGKILL included. Signals: https://www.postgresql.org/docs/current/server-shutdown.html
 */
import { execa } from "execa";

import { Failure } from "../console/failure.ts";
import { type Account, asAccount } from "./postgres-account.ts";

export type PostgresProcess = {
  /** "fast" disconnects clients and shuts down cleanly; "crash" leaves recovery to the next start. */
  end(how: "fast" | "crash"): Promise<void>;
};

export type LaunchOptions = {
  readonly program: string;
  readonly args: readonly string[];
  readonly dataDirectory: string;
  readonly account: Account;
  readonly environment: Readonly<Record<string, string>>;
  /** A folder that the guard removes when this process dies without stopping the server. */
  readonly throwAwayDirectory: string | null;
  /** The server was ready and ended without being asked to; the argument is the signal, or the last line of its log. */
  readonly onUnexpectedEnd: (reason: string) => void;
};

const READY_LINE = "database system is ready to accept connections";
const KEPT_LOG_LINES = 40;
const START_TIMEOUT_MS = 120_000;
const FAST_SHUTDOWN_MS = 20_000;

/**
 * $1 the server's process, $2 its data, $3 what to remove afterwards. The lock file is watched too: an ended server
 * that no process has waited for (a container without an init) still answers `kill -0`.
 */
const GUARD_SCRIPT = `
read -r word
if [ "$word" = done ]; then exit 0; fi
kill -INT "$1" 2>/dev/null
tries=0
while [ -e "$2/postmaster.pid" ] && kill -0 "$1" 2>/dev/null && [ "$tries" -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
kill -QUIT "$1" 2>/dev/null
if [ -n "$3" ]; then rm -rf "$3"; fi
`;

/** Starts the server and waits until it accepts connections; a server that ends first is a Failure with its reason. */
export async function launchPostgres(options: LaunchOptions): Promise<PostgresProcess> {
  const account = asAccount(options.account);
  const child = execa(options.program, options.args, {
    ...account,
    env: { ...account.env, ...options.environment },
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
    buffer: false,
    reject: false,
    killSignal: "SIGINT",
    forceKillAfterDelay: FAST_SHUTDOWN_MS,
  });
  const guard = execa(
    "/bin/sh",
    [
      "-c",
      GUARD_SCRIPT,
      "hopline-guard",
      `${child.pid}`,
      options.dataDirectory,
      options.throwAwayDirectory ?? "",
    ],
    { cwd: "/", detached: true, stdio: ["pipe", "ignore", "ignore"], reject: false },
  );
  const lines: string[] = [];
  const ready = Promise.withResolvers<"ready">();
  const followLog = async (): Promise<void> => {
    for await (const line of child.iterable({ from: "stderr" })) {
      lines.push(line);
      lines.splice(0, lines.length - KEPT_LOG_LINES);
      if (line.includes(READY_LINE)) {
        ready.resolve("ready");
      }
    }
    guard.stdin.end("done\n");
  };
  const ended = followLog();
  const timer = setTimeout(() => child.kill("SIGQUIT"), START_TIMEOUT_MS);
  const first = await Promise.race([ready.promise, ended]);
  clearTimeout(timer);
  if (first !== "ready") {
    throw new Failure(explainStart(lines) ?? `Postgres did not start: ${(await child).shortMessage}`);
  }
  let isAsked = false;
  const reportEnd = async (): Promise<void> => {
    await ended;
    // A server that is killed has no last word.
    const { signal } = await child;
    if (!isAsked) {
      options.onUnexpectedEnd(signal ?? lines.at(-1) ?? "no last word");
    }
  };
  void reportEnd();
  return {
    end: async (how) => {
      isAsked = true;
      child.kill(how === "fast" ? "SIGINT" : "SIGQUIT");
      await ended;
    },
  };
}

function explainStart(lines: readonly string[]): string | null {
  const found = lines.findIndex((line) =>
    /\b(?:FATAL|PANIC|could not bind|error while loading)\b/.test(line),
  );
  const line = lines.at(found);
  if (line === undefined) {
    return null;
  }
  const detail = /\bDETAIL:\s*(.*)/.exec(lines[found + 1] ?? "")?.[1];
  const reason = line.replace(/^.*?(?:FATAL|PANIC|LOG):\s*/, "");
  const help = reason.includes("incompatible with server")
    ? " `pnpm dev --reset` starts with a new database."
    : "";
  return `Postgres did not start: ${reason}${detail === undefined ? "" : `: ${detail}`}${help}`;
}
