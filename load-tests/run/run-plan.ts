/** What one run of k6 is to do. */
import type { SCRIPT_DEFAULTS } from "../script/script-defaults.ts";

export const SCRIPTS = ["redirect", "burst", "scan", "mixed", "soak"] as const;
export const TARGETS = ["hopline", "constant"] as const;
export type TargetName = (typeof TARGETS)[number];
export const SPREADS = ["80-20", "uniform"] as const;

export type RunPlan = {
  readonly script: keyof typeof SCRIPT_DEFAULTS;
  readonly target: TargetName;
  /** Requests a second; `null`: the script's own. */
  readonly rate: number | null;
  /** As k6 writes durations; `null`: the script's own. */
  readonly duration: string | null;
  /** How long the way up to the rate takes, for `redirect` with warm links; `null`: the script's own. */
  readonly rampSeconds: number | null;
  readonly linkCount: number;
  /** Visits begin with the import's answer; otherwise all links are put into KV before them. */
  readonly isCold: boolean;
  /** The API writes nothing to the KV that visitors read. */
  readonly isPublishingPaused: boolean;
  readonly spread: (typeof SPREADS)[number];
  /** The constant Worker is visited in turn, in the same workerd, and the tail is held to its. */
  readonly isTail: boolean;
};
