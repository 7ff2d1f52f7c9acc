/** The cache status as the API shows it, with its OpenAPI documentation. */
import { z } from "@hono/zod-openapi";
import type { PlacesOfLink, Spread } from "../../publishing/cache-status.ts";

const Version = z.number().int();

export const CacheStatusBody = z
  .object({
    state: z.enum(["pending", "spreading", "settled"]).openapi({
      description:
        "`pending`: not published everywhere yet. `spreading`: caches that miss the change feed may still be older. `settled`: no cache can be.",
    }),
    database: z.object({ version: Version }),
    kv: z.object({ version: Version }).nullable().openapi({
      description: "`null`: KV has no record, or can't be asked. A minute of lag elsewhere is normal.",
    }),
    feed: z
      .object({ version: Version, announcedAt: z.iso.datetime() })
      .nullable()
      .openapi({ description: "`null`: no change in the last minutes, or the feed can't be asked." }),
    expectedBy: z.iso
      .datetime()
      .nullable()
      .openapi({ description: "By then every isolate that reads the change feed has the newest version." }),
    worstCaseEndsAt: z.iso
      .datetime()
      .nullable()
      .openapi({ description: "By then even caches that could not read the change feed have it." }),
  })
  .openapi("CacheStatus");

export type CacheStatusView = z.infer<typeof CacheStatusBody>;

export function toCacheStatus({ database, kv, feed }: PlacesOfLink, spread: Spread): CacheStatusView {
  return {
    state: spread.state,
    database: { version: database.version },
    kv: kv === null ? null : { version: kv.version },
    feed: feed === null ? null : { version: feed.version, announcedAt: toInstant(feed.announcedAtMs) },
    expectedBy: spread.expectedByMs === null ? null : toInstant(spread.expectedByMs),
    worstCaseEndsAt: spread.worstCaseEndsAtMs === null ? null : toInstant(spread.worstCaseEndsAtMs),
  };
}

function toInstant(atMs: number): string {
  return new Date(atMs).toISOString();
}
