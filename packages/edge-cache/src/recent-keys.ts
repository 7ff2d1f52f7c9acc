/** Keys for which something was done a short while ago. Bounded: the oldest are forgotten first. */
import { setLatest } from "./set-latest.ts";

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
      setLatest(notedAtMs, [key, nowMs], maxKeys);
      return true;
    },
  };
}
