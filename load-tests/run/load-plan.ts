/** What `pnpm load` is asked to do: its flags, read and checked. */
import { Failure } from "@hopline/testkit/console/failure";
import { readFlags, readWholeNumber } from "@hopline/testkit/console/read-flags";
import { parseDurationSeconds } from "../script/settings.ts";
import { DEFAULT_LINK_COUNT, MAX_LINK_COUNT } from "../script/targets.ts";

const SCRIPTS = ["redirect", "burst", "scan", "mixed", "soak"] as const;
type ScriptName = (typeof SCRIPTS)[number];

const TARGETS = ["hopline", "constant"] as const;
export type TargetName = (typeof TARGETS)[number];

/** One run of k6. */
export type RunPlan = {
  readonly script: ScriptName;
  readonly target: TargetName;
  /** Requests a second; `null`: the script's own. */
  readonly rate: number | null;
  /** As k6 writes durations; `null`: the script's own. */
  readonly duration: string | null;
  /** How long the way up to the rate takes, for `redirect`; `null`: the script's own. */
  readonly rampSeconds: number | null;
  readonly linkCount: number;
};

export type LoadPlan = RunPlan & {
  /** Look for the highest rate that holds, of Hopline and of the constant Worker; `rate` is where the search begins. */
  readonly isSearch: boolean;
  /** Where the machine-readable result goes, and the report; `null`: nowhere. */
  readonly jsonPath: string | null;
  readonly htmlPath: string | null;
};

const USAGE =
  "pnpm load [--rate N] [--duration 60s] [--script redirect|burst|scan|mixed|soak] [--target hopline|constant] " +
  "[--links N] [--json FILE] [--html FILE], or pnpm load --search [--rate FROM] [--duration 60s] [--links N] [--json FILE]";

/** Reads the flags of this process; a wrong one is a `Failure`. */
export function readLoadPlan(): LoadPlan {
  const { values, positionals } = readFlags(
    {
      rate: { type: "string" },
      duration: { type: "string" },
      script: { type: "string", default: "redirect" },
      target: { type: "string", default: "hopline" },
      links: { type: "string", default: String(DEFAULT_LINK_COUNT) },
      json: { type: "string" },
      html: { type: "string" },
      search: { type: "boolean", default: false },
    },
    USAGE,
  );
  const [unexpected] = positionals;
  if (unexpected !== undefined) {
    throw new Failure(`"${unexpected}" is not expected here. Usage: ${USAGE}`);
  }
  if (
    values.search &&
    (values.script !== "redirect" || values.target !== "hopline" || values.html !== undefined)
  ) {
    throw new Failure(`--search runs redirect against both targets and writes no report. Usage: ${USAGE}`);
  }
  return {
    isSearch: values.search,
    rampSeconds: null,
    script: choose("--script", values.script.replace(/\.ts$/, ""), SCRIPTS),
    target: choose("--target", values.target, TARGETS),
    rate:
      values.rate === undefined
        ? null
        : readWholeNumber(values.rate, { name: "--rate", min: 1, max: 100_000 }),
    duration: values.duration === undefined ? null : readDuration(values.duration),
    linkCount: readWholeNumber(values.links, { name: "--links", min: 1, max: MAX_LINK_COUNT }),
    jsonPath: values.json ?? null,
    htmlPath: values.html ?? null,
  };
}

function choose<const Name extends string>(flag: string, text: string, names: readonly Name[]): Name {
  const name = names.find((known) => known === text);
  if (name === undefined) {
    throw new Failure(`${flag} must be one of ${names.join(", ")}, not "${text}".`);
  }
  return name;
}

function readDuration(text: string): string {
  try {
    parseDurationSeconds(text);
    return text;
  } catch {
    throw new Failure(`--duration should read like 60s, 5m or 1h30m, not "${text}".`);
  }
}
