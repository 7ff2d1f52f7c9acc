/** What each script does when nobody says otherwise. Pure: the scripts and the harness read the same. */

export type ScriptDefaults = {
  readonly rate: number;
  /** Of the script's main phase. */
  readonly duration: string;
  /** Where the steady phase is another one than the main phase: how long that is. */
  readonly steadySeconds: number | null;
};

/** From nothing to the target rate, in `redirect.ts`. */
export const DEFAULT_RAMP_SECONDS = 20;

export const SCRIPT_DEFAULTS = {
  redirect: { rate: 500, duration: "60s", steadySeconds: null },
  burst: { rate: 100, duration: "20s", steadySeconds: 10 },
  scan: { rate: 200, duration: "60s", steadySeconds: null },
  mixed: { rate: 100, duration: "60s", steadySeconds: null },
  soak: { rate: 100, duration: "2h", steadySeconds: null },
} as const satisfies { readonly [script: string]: ScriptDefaults };
