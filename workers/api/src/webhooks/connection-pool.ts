/** Connections of a run. Each endpoint has one; free ones are lent. A group never gets the last, so none makes all others wait. */

export type ConnectionPool = {
  /** Whether there is one for this group that no endpoint waits for. */
  readonly isFreeFor: (group: string) => boolean;
  /** Takes one until the promise is settled. Ask first. */
  readonly use: <Value>(group: string, start: () => Promise<Value>) => Promise<Value>;
  /** The same when there is one, in the order of asking; resolves to `null` if there is none within `waitMs`. */
  readonly enter: <Value>(
    group: string,
    start: () => Promise<Value>,
    waitMs: number,
  ) => Promise<Value | null>;
};

type Waiting = { readonly group: string; readonly letIn: () => void };

export function createConnectionPool(count: number): ConnectionPool {
  const used: string[] = [];
  const waiting: Waiting[] = [];
  const hasRoomFor = (group: string): boolean =>
    used.length < count && used.filter((one) => one === group).length < count - 1;
  const leave = (group: string): void => {
    used.splice(used.indexOf(group), 1);
    const next = waiting.find((one) => hasRoomFor(one.group));
    if (next !== undefined) {
      waiting.splice(waiting.indexOf(next), 1);
      used.push(next.group);
      next.letIn();
    }
  };
  const hold = async <Value>(group: string, start: () => Promise<Value>): Promise<Value> => {
    try {
      return await start();
    } finally {
      leave(group);
    }
  };
  const use = <Value>(group: string, start: () => Promise<Value>): Promise<Value> => {
    used.push(group);
    return hold(group, start);
  };
  return {
    isFreeFor: (group) => hasRoomFor(group) && !waiting.some((one) => hasRoomFor(one.group)),
    use,
    async enter(group, start, waitMs) {
      if (hasRoomFor(group)) {
        return use(group, start);
      }
      const isIn = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(one), 1);
          resolve(false);
        }, waitMs);
        const one = {
          group,
          letIn: () => {
            clearTimeout(timer);
            resolve(true);
          },
        };
        waiting.push(one);
      });
      return isIn ? hold(group, start) : null;
    },
  };
}
