/**
 * Runs our commands in this process with the real wrangler against the fake account, and kills them at a request of
 * theirs: whatever the command waits for never comes, and wrangler with all its processes ends at once.
 */
import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";

import { runCommand } from "citty";

import { COMMANDS } from "@hopline/ops/command-list";
import type { Tools } from "@hopline/ops/deploy/tools";
import { Failure } from "@hopline/testkit/console/failure";
import { createProgress } from "@hopline/testkit/console/progress";
import type { ToolRun } from "@hopline/testkit/console/run-tool";
import { inWorkspace, WORKSPACE_ROOT } from "@hopline/testkit/workspace/workspace";
import type { FakeAccount } from "./account-state.ts";

const VISIT_PAUSE_MS = 500;

export type Kill = { readonly kind: string; readonly isDone: boolean };

export type Run = {
  /** Null where the run was killed. */
  readonly exitCode: number | null;
  readonly output: string;
  /** The kinds of requests it made. */
  readonly requests: readonly string[];
};

export type RunOptions = {
  /** Where it dies. */
  readonly killAt?: (request: Kill) => boolean;
  /** Whether the command line names the account. */
  readonly isNamed?: boolean;
};

export type Stage = ReturnType<typeof createStage>;

/** What `deploy` visits: nothing is there unless a test says so. */
type Visit = (url: string, init: RequestInit) => Promise<Response>;
const NOBODY: Visit = () => Promise.reject(new Error("nobody is there"));

/** @param environment variables for wrangler and the commands: secrets and the database. */
export function createStage(account: FakeAccount, environment: Readonly<Record<string, string>>) {
  const children = new Set<number>();
  /** Command lines of wrangler, in their order. */
  const started: string[] = [];
  const dead = new Set<string>();
  let count = 0;
  let visit = NOBODY;
  /** Commands wait for seconds and minutes; here for as long as the Workers need to do something meanwhile. */
  const wait = (): Promise<void> => delay(visit === NOBODY ? 0 : VISIT_PAUSE_MS);

  /** What commands work with, in this process, whose environment leads to the account. */
  function useTools(write: (text: string) => unknown = () => undefined, token = "rehearsal-token"): Tools {
    Object.assign(process.env, environment, {
      CLOUDFLARE_API_BASE_URL: account.baseUrl,
      CLOUDFLARE_API_TOKEN: token,
      CLOUDFLARE_ACCOUNT_ID: "",
    });
    return {
      ask: null,
      askText: null,
      wait,
      fetch: (url, init) => visit(url, init),
      progress: createProgress({ write }, () => 0),
      runWrangler: (wranglerArguments) => {
        started.push(wranglerArguments.join(" ").replaceAll(`${inWorkspace("")}/`, ""));
        return runWrangler(wranglerArguments, children);
      },
    };
  }

  /** Runs `deploy --env staging` and the like, on the account. */
  async function run(line: string, { killAt, isNamed = true }: RunOptions = {}): Promise<Run> {
    count += 1;
    const token = `rehearsal-token-${count}`;
    const before = account.requests.length;
    let printed = "";
    const died = Promise.withResolvers<null>();
    account.onRequest = ({ kind, token: bearer }, isDone) => {
      const isKilled = !dead.has(token) && killAt?.({ kind, isDone }) === true;
      if (isKilled) {
        dead.add(token);
        children.forEach((pid) => process.kill(-pid, "SIGKILL"));
        died.resolve(null);
      }
      return isKilled || dead.has(bearer);
    };
    const tools = useTools((text) => (printed += text), token);
    const [name = "", ...rest] = line.split(" ");
    const rawArgs = [...rest, ...(isNamed ? ["--account", "account"] : [])];
    const command = (await COMMANDS[name]?.())?.default ?? {};
    const ended = runCommand(command, { rawArgs, data: tools }).then(
      ({ result }) => Number(result ?? 0),
      (error: unknown) => {
        if (dead.has(token)) {
          return null;
        }
        if (!(error instanceof Failure)) {
          throw error;
        }
        printed += `✗ ${error.message}`;
        return 1;
      },
    );
    const exitCode = await Promise.race([ended, died.promise]);
    return { exitCode, output: printed, requests: account.requests.slice(before) };
  }

  const setVisit = (next: Visit | null): void => {
    visit = next ?? NOBODY;
  };
  return { account, run, started, setVisit, useTools };
}

/** As `runTool` does, in a process group of its own. */
function runWrangler(wranglerArguments: readonly string[], children: Set<number>): Promise<ToolRun> {
  const child = spawn(inWorkspace("node_modules/.bin/wrangler"), wranglerArguments, {
    cwd: WORKSPACE_ROOT,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_WRITE_LOGS: "false",
    },
  });
  const pid = child.pid ?? 0;
  children.add(pid);
  let output = "";
  child.stdout.on("data", (chunk) => (output += String(chunk)));
  child.stderr.on("data", (chunk) => (output += String(chunk)));
  return new Promise((resolve) => {
    child.on("close", (code) => {
      children.delete(pid);
      resolve({ exitCode: code ?? 1, output: stripVTControlCharacters(output).trim() });
    });
  });
}
