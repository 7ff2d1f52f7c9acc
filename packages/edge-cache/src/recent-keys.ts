/** Keys for which something was done a short while ago. Bounded: the oldest are forgotten first. */

export interface RecentKeys {
  /** True when `key` was not noted within the last `forMs`; it is noted now. */
  note(key: string, nowMs: number): boolean;
}

export function createRecentKeys(maxKeys: number, forMs: number): RecentKeys {
  const notedAtMs = new Map<string, number>();
  return {
    note(key, nowMs) {
      const lastMs = notedAtMs.get(key);
      if (lastMs !== undefined && nowMs - lastMs < forMs) {
        return false;
      }
      notedAtMs.delete(key);
      notedAtMs.set(key, nowMs);
      for (const oldest of notedAtMs.keys()) {
        if (notedAtMs.size <= maxKeys) {
          break;
        }
        notedAtMs.delete(oldest);
      }
      return true;
    },
  };
}
