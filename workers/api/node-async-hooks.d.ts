/** What the Worker uses of Node, which the runtime has (nodejs_compat); Node's own types would bring all of its globals. */
declare module "node:async_hooks" {
  export class AsyncLocalStorage<Store> {
    run<Result>(store: Store, callback: () => Result): Result;
    getStore(): Store | undefined;
  }
}
