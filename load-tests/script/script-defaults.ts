/** What each script does by default. Pure: the scripts and the runner read the same. */

export type ScriptDefaults = {
  readonly rate: number;
  /** Of the script's main phase. */
  readonly duration: string;
  /** The bar for the 95th percentile of answers in the steady phase, in milliseconds. */
  readonly p95Ms: number;
};

/** From nothing to the target rate, in `redirect.ts` with warm links. */
export const DEFAULT_RAMP_SECONDS = 20;

/** `redirect.ts` with cold links: the first phase and its bar for the 95th percentile. */
export const FIRST_PHASE = { seconds: 10, p95Ms: 250 };
export const WARM_P95_MS = 500;

export const SCRIPT_DEFAULTS = {
  redirect: { rate: 500, duration: "50s", p95Ms: 100 },
  burst: { rate: 100, duration: "20s", p95Ms: 500 },
  scan: { rate: 200, duration: "60s", p95Ms: 500 },
  mixed: { rate: 100, duration: "60s", p95Ms: 500 },
  soak: { rate: 100, duration: "2h", p95Ms: 500 },
} as const satisfies { readonly [script: string]: ScriptDefaults };

/** The phase whose rate and answer times are the run's figure; as long as `duration`. */
export function mainPhaseOf(script: keyof typeof SCRIPT_DEFAULTS): "steady" | "burst" {
  return script === "burst" ? "burst" : "steady";
}
