/** A limit for what is in flight at the same time. */

export type InFlight = <Value>(start: () => Promise<Value>) => Promise<Value>;

export function limitInFlight(limit: number): InFlight {
  let free = limit;
  const waiting: (() => void)[] = [];
  return async (start) => {
    if (free === 0) {
      // Whoever ends hands its place over.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      free -= 1;
    }
    try {
      return await start();
    } finally {
      const next = waiting.shift();
      if (next === undefined) {
        free += 1;
      } else {
        next();
      }
    }
  };
}
