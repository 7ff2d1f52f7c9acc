/** A limit for what is in flight at the same time, with places that nobody takes all of. */

/** @param group whose it is. Resolves to what `start` does. */
export type InFlight = <Value>(group: string, start: () => Promise<Value>) => Promise<Value>;

/**
 * A group has `limit - 1` places at most, so that one alone never makes the others wait. Who waits is let in by turns: of the
 * group that has the fewest in flight, the oldest.
 */
export function limitInFlight(limit: number): InFlight {
  const inFlight: string[] = [];
  const waiting: { readonly group: string; readonly enter: () => void }[] = [];
  const countOf = (group: string) => inFlight.filter((one) => one === group).length;
  const letIn = (): void => {
    const mostOfAGroup = Math.max(1, limit - 1);
    const allowed = waiting.filter(({ group }) => countOf(group) < mostOfAGroup);
    const [next] = allowed.toSorted((one, other) => countOf(one.group) - countOf(other.group));
    if (next !== undefined && inFlight.length < limit) {
      waiting.splice(waiting.indexOf(next), 1);
      inFlight.push(next.group);
      next.enter();
    }
  };
  return async (group, start) => {
    await new Promise<void>((enter) => {
      waiting.push({ group, enter });
      letIn();
    });
    try {
      return await start();
    } finally {
      inFlight.splice(inFlight.indexOf(group), 1);
      letIn();
    }
  };
}
