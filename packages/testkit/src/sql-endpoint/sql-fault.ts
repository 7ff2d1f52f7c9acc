/**
 * The faults a test can order from the /sql endpoint, and how a test chooses among requests.
 *
 * The decision is the test's own pure function of the request and its number; nothing here draws lots or looks at a
 * clock, so a chaos run repeats exactly.
 */
import { SqlProblem } from "./sql-problem.ts";

export type SqlFault =
  /** Answers with this status and does not execute. */
  | { readonly kind: "status"; readonly status: number; readonly message: string }
  /** Neither executes nor answers until the faults are changed (then goes on normally) or the client gives up. */
  | { readonly kind: "hang" }
  /** Resets the connection without executing. */
  | { readonly kind: "reset" }
  /** Executes, commits, and resets the connection: the answer is lost. */
  | { readonly kind: "execute-then-reset" }
  /** Waits, then goes on normally. */
  | { readonly kind: "delay"; readonly delayMs: number };

export type SqlFaultRequest = {
  /** Counts the well-formed requests since the endpoint started, from 1. */
  readonly number: number;
  readonly statements: readonly { readonly query: string; readonly params: readonly unknown[] }[];
  readonly isTransaction: boolean;
};

export type DecideSqlFault = (request: SqlFaultRequest) => SqlFault | null;

export type FaultBox = {
  decide(request: SqlFaultRequest): SqlFault | null;
  set(decide: DecideSqlFault | null): void;
  areSet(): boolean;
  /** Resolves at the next `set`; rejects when the endpoint stops: what hung then was never executed. */
  untilChanged(): Promise<void>;
  close(): void;
};

export function createFaultBox(): FaultBox {
  let current: DecideSqlFault | null = null;
  let change = nextChange();
  return {
    decide: (request) => current?.(request) ?? null,
    set(decide) {
      current = decide;
      change.resolve();
      change = nextChange();
    },
    areSet: () => current !== null,
    untilChanged: () => change.promise,
    close: () => change.reject(new SqlProblem(503, "the /sql endpoint is stopping")),
  };
}

function nextChange(): PromiseWithResolvers<void> {
  const change = Promise.withResolvers<void>();
  // It may be rejected without a listener, and that is no failure.
  change.promise.catch(() => undefined);
  return change;
}
