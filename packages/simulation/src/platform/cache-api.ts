/** The Cache API of one data centre: a response under its URL for as long as its max-age says, and no longer than the data centre likes. */
import type { Seeded } from "../time/seeded.ts";
import type { VirtualTime } from "../time/virtual-time.ts";
import type { Network } from "./network.ts";

type Kept = { readonly bytes: ArrayBuffer; readonly headers: Headers; readonly untilMs: number };

/** Of the reads that find nothing although something was put. */
const DROPPED_SHARE = 0.01;

export function createCacheApi(time: VirtualTime, random: Seeded, network: Network): object {
  const kept = new Map<string, Kept>();
  const urlOf = (request: unknown): string => (request instanceof Request ? request.url : String(request));
  return {
    match: (request: unknown) =>
      network.call(
        () => {
          const found = kept.get(urlOf(request));
          return found === undefined || found.untilMs <= time.nowMs() || random.chance(DROPPED_SHARE)
            ? undefined
            : new Response(found.bytes, { headers: found.headers });
        },
        { thereMs: 1 },
      ),
    async put(request: unknown, response: Response) {
      const maxAge = Number(/max-age=(\d+)/.exec(response.headers.get("cache-control") ?? "")?.[1] ?? 0);
      const bytes = await response.arrayBuffer();
      await network.call(
        () =>
          void kept.set(urlOf(request), {
            bytes,
            headers: response.headers,
            untilMs: time.nowMs() + maxAge * 1_000,
          }),
        { thereMs: 1 },
      );
    },
    delete: (request: unknown) => network.call(() => kept.delete(urlOf(request)), { thereMs: 1 }),
  };
}
