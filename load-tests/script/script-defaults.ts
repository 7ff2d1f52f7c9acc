/** What each script does when nobody says otherwise. Pure: the scripts and the harness read the same. */

export type ScriptDefaults = {
  readonly rate: number;
  /** Of the script's main phase. */
  readonly duration: string;
  /** The phase whose rate and answer times are the run's figure; as long as `duration`. */
  readonly mainPhase: "steady" | "burst";
};

/** From nothing to the target rate, in `redirect.ts`. */
export const DEFAULT_RAMP_SECONDS = 20;

export const SCRIPT_DEFAULTS = {
  redirect: { rate: 500, duration: "60s", mainPhase: "steady" },
  burst: { rate: 100, duration: "20s", mainPhase: "burst" },
  scan: { rate: 200, duration: "60s", mainPhase: "steady" },
  mixed: { rate: 100, duration: "60s", mainPhase: "steady" },
  soak: { rate: 100, duration: "2h", mainPhase: "steady" },
} as const satisfies { readonly [script: string]: ScriptDefaults };
