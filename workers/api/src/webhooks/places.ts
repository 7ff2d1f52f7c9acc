/** Connections of a run. Whoever works on an endpoint has one of its own; those that are free may be used on top. */

export type Places = {
  readonly free: () => number;
  /** A group never gets the last of all places, so that one alone does not make the others wait. */
  readonly isFreeFor: (group: string) => boolean;
  /** Takes one until the promise is settled. Never waits: ask first. */
  readonly use: <Value>(group: string, start: () => Promise<Value>) => Promise<Value>;
};

export function createPlaces(count: number): Places {
  const used: string[] = [];
  const free = (): number => Math.max(0, count - used.length);
  return {
    free,
    isFreeFor: (group) => free() > 0 && used.filter((one) => one === group).length < count - 1,
    async use(group, start) {
      used.push(group);
      try {
        return await start();
      } finally {
        used.splice(used.indexOf(group), 1);
      }
    },
  };
}
