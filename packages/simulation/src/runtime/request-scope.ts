/**
 * What belongs to one invocation of a Worker, as workerd has it: its timers and its calls end with it. It ends when the handler has
 * answered, or its visitor has hung up, and what it gave to waitUntil is done, or thirty seconds later; or at once, when its isolate
 * dies. What it had already asked of others still happens.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { VirtualTime } from "../time/virtual-time.ts";

export type RequestScope = {
  isAlive: boolean;
  readonly waitUntil: (work: Promise<unknown>) => void;
};

/** Cloudflare, Workers limits: what waitUntil may take after the answer. */
const WAIT_UNTIL_MS = 30_000;

const scopes = new AsyncLocalStorage<RequestScope>();

/** Of what runs now; `null` outside of any invocation. */
export function currentScope(): RequestScope | null {
  return scopes.getStore() ?? null;
}

export type Invocation<Result> = {
  readonly scope: RequestScope;
  readonly answer: Promise<Result>;
  /** Its visitor has gone: only what it gave to waitUntil goes on. */
  readonly hangUp: () => void;
};

/** Starts a handler in a scope of its own. */
export function invoke<Result>(
  time: Pick<VirtualTime, "nowMs" | "at">,
  handle: (scope: RequestScope) => Result | Promise<Result>,
): Invocation<Result> {
  const pending = new Set<Promise<unknown>>();
  let isAnswered = false;
  const endIfDone = (): void => {
    scope.isAlive &&= !isAnswered || pending.size > 0;
  };
  const scope: RequestScope = {
    isAlive: true,
    waitUntil(work) {
      const settled = Promise.resolve(work).then(
        () => undefined,
        () => undefined,
      );
      pending.add(settled);
      void settled.then(() => {
        pending.delete(settled);
        // What this lets go on may give more to waitUntil: workerd drains the microtasks before it looks whether any is left.
        time.at(time.nowMs(), endIfDone);
      });
    },
  };
  const answer = scopes.run(scope, async () => handle(scope));
  const settle = (): void => {
    isAnswered = true;
    endIfDone();
    time.at(time.nowMs() + WAIT_UNTIL_MS, () => (scope.isAlive = false));
  };
  answer.then(settle, settle);
  return { scope, answer, hangUp: settle };
}

/** Runs something of an invocation later, if that has not ended by then. */
export function inScope(scope: RequestScope | null, run: () => void): () => void {
  return () => {
    if (scope === null) {
      run();
    } else if (scope.isAlive) {
      scopes.run(scope, run);
    }
  };
}
