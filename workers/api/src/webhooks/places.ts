/** Connections of a run. Whoever works on an endpoint has one of its own; those that are free may be used on top. */

export type Places = {
  readonly free: () => number;
  /** Takes one until the promise is settled. Never waits: look at `free` first. */
  readonly use: <Value>(start: () => Promise<Value>) => Promise<Value>;
};

export function createPlaces(count: number): Places {
  let used = 0;
  return {
    free: () => Math.max(0, count - used),
    async use(start) {
      used += 1;
      try {
        return await start();
      } finally {
        used -= 1;
      }
    },
  };
}
