/** The tiers that `Server-Timing` can name, and the counter of each. Pure: the script counts, the harness reads. */

export const TIERS = ["isolate", "kv", "db", "stale", "negative"] as const;
export type Tier = (typeof TIERS)[number];

/** Tier to metric name. */
export const TIER_COUNTERS: Readonly<Record<Tier, string>> = {
  isolate: "tier_isolate",
  kv: "tier_kv",
  db: "tier_db",
  stale: "tier_stale",
  negative: "tier_negative",
};

/** The tier in a `Server-Timing` header, `isolate` or `isolate;dur=0.1`; `null` when it names none that we know. */
export function tierOf(serverTiming: string): Tier | null {
  const name = /^[a-z]+/.exec(serverTiming.trim())?.[0];
  return TIERS.find((tier) => tier === name) ?? null;
}
