/** A rate-limit binding: counts keys in windows, a location each. */
import type { VirtualTime } from "../time/virtual-time.ts";

export function createRateLimit(
  time: VirtualTime,
  { limit, period }: { readonly limit: number; readonly period: number },
): object {
  const counts = new Map<string, number>();
  return {
    async limit({ key }: { readonly key: string }) {
      const window = `${key} ${Math.floor(time.nowMs() / (period * 1_000))}`;
      const count = (counts.get(window) ?? 0) + 1;
      counts.set(window, count);
      return { success: count <= limit };
    },
  };
}
