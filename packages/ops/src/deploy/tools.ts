/** What the deployment commands work with: the terminal and wrangler. Tests pass their own. */
import { setTimeout as delay } from "node:timers/promises";

import { askSecret, askText } from "@hopline/testkit/console/ask";
import { consoleProgress, type Progress } from "@hopline/testkit/console/progress";
import { runTool, type ToolRun } from "@hopline/testkit/console/run-tool";

/** Runs wrangler, which we use for what it does best: bundle and upload a Worker, and keep a login. */
export type RunWrangler = (wranglerArguments: readonly string[]) => Promise<ToolRun>;

export type Tools = {
  readonly progress: Progress;
  readonly runWrangler: RunWrangler;
  /** Asks a person for a secret without showing what is typed; null without a terminal. */
  readonly ask: ((name: string) => Promise<string>) | null;
  /** Asks for what may be seen. */
  readonly askText: ((question: string) => Promise<string>) | null;
  readonly wait: (ms: number) => Promise<void>;
  /** Visits a deployment. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Part of `start`: keys are generated without a terminal, too, and no link for a first account is offered. */
  readonly isStart?: boolean;
};

export function createTools(): Tools {
  return {
    progress: consoleProgress(),
    runWrangler: (wranglerArguments) => runTool("wrangler", wranglerArguments),
    ask: process.stdin.isTTY ? askSecret : null,
    askText: process.stdin.isTTY ? askText : null,
    wait: (ms) => delay(ms),
    fetch: (url, init) => fetch(url, init),
  };
}
