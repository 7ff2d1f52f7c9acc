/** The budget of requests (packages/db/src/work/request-budget.ts) of the running invocation, in an AsyncLocalStorage. */
import { AsyncLocalStorage } from "node:async_hooks";
import { createRequestBudget, type RequestBudget } from "@hopline/db/work/request-budget";

const storage = new AsyncLocalStorage<RequestBudget>();

/** Everything that `run` asks for is taken from one budget. */
export function withBudget<Result>(limit: number, run: () => Result): Result {
  return storage.run(createRequestBudget(limit), run);
}

/** Outside of `withBudget`, as in a caller's request, nothing is counted. */
export function spendRequests(requests: number): void {
  storage.getStore()?.spend(requests);
}

export function requestsLeft(): number {
  return storage.getStore()?.left() ?? Number.POSITIVE_INFINITY;
}

/** The same binding, of which each call is counted. */
export function counted<Binding extends object>(binding: Binding): Binding {
  return new Proxy(binding, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function"
        ? (...values: readonly unknown[]) => {
            spendRequests(1);
            return Reflect.apply(value, target, values);
          }
        : value;
    },
  });
}
