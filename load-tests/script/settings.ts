/**
 * What the environment says about a run (`k6 run -e RATE=500 …`). Everything has a default; a malformed value stops
 * the script with the name of the variable, before the first request. Pure.
 */
import { DEFAULT_RAMP_SECONDS, type ScriptDefaults, WARM_P95_MS } from "./script-defaults.ts";
import { DEFAULT_LINK_COUNT, MAX_LINK_COUNT } from "./targets.ts";

export type Environment = { readonly [name: string]: string | undefined };

export type Settings = {
  /** Scheme and host of the short domain, without a slash at the end. */
  readonly baseUrl: string;
  /** Its host, with the port. */
  readonly host: string;
  /** Requests a second. */
  readonly rate: number;
  /** How long the steady phase is, as k6 writes durations. */
  readonly duration: string;
  readonly durationSeconds: number;
  /** `redirect.ts` finds its links in KV already, and takes `rampSeconds` from nothing to the rate. */
  readonly isWarm: boolean;
  readonly rampSeconds: number;
  readonly linkCount: number;
  /** The bar for the 95th percentile of answers in the steady phase, in milliseconds. */
  readonly p95Ms: number;
  /** The same for the 99th, of each load zone of a cloud run too, and for 999 of 1,000. */
  readonly p99Ms: number;
  readonly p999Ms: number;
  /** `redirect.ts` visits all links alike; otherwise a fifth of them takes four fifths of the requests. */
  readonly isUniform: boolean;
  /** Where every link leads, for a target that answers a constant; `null`: each where the formula says. */
  readonly constantLocation: string | null;
  /** The constant Worker in the same workerd, visited in turn; `null`: only the links are. */
  readonly yardstickUrl: string | null;
  /** The target is workerd itself, without Cloudflare in front: the script sends what the edge would add. */
  readonly isLocalEdge: boolean;
  /** A key with links:write, for the scripts that import or change links. */
  readonly apiKey: string | null;
  /** `redirect.ts` imports its links first. */
  readonly isImporting: boolean;
};

export function readSettings(environment: Environment, defaults: ScriptDefaults): Settings {
  const isWarm = readText(environment, "WARM") === "1";
  const baseUrl = readBaseUrl(environment);
  const duration = readText(environment, "DURATION") ?? defaults.duration;
  const p95Ms = readWholeNumber(environment, "P95_MS", {
    fallback: isWarm ? WARM_P95_MS : defaults.p95Ms,
    max: 60_000,
  });
  return {
    baseUrl,
    host: baseUrl.slice(baseUrl.indexOf("://") + 3),
    rate: readWholeNumber(environment, "RATE", { fallback: defaults.rate, max: 1_000_000 }),
    duration,
    durationSeconds: parseDurationSeconds(duration),
    isWarm,
    rampSeconds: parseDurationSeconds(readText(environment, "RAMP") ?? `${DEFAULT_RAMP_SECONDS}s`, "RAMP"),
    linkCount: readWholeNumber(environment, "LINKS", { fallback: DEFAULT_LINK_COUNT, max: MAX_LINK_COUNT }),
    p95Ms,
    p99Ms: readWholeNumber(environment, "P99_MS", { fallback: p95Ms * 3, max: 60_000 }),
    p999Ms: readWholeNumber(environment, "P999_MS", { fallback: p95Ms * 5, max: 60_000 }),
    isUniform: readText(environment, "SPREAD") === "uniform",
    constantLocation: readText(environment, "CONSTANT_LOCATION"),
    yardstickUrl: readText(environment, "YARDSTICK_URL"),
    isLocalEdge: readText(environment, "LOCAL_EDGE") === "1",
    apiKey: readText(environment, "API_KEY"),
    isImporting: readText(environment, "IMPORT") === "1",
  };
}

/** `90s`, `1m30s`, `1h`: whole parts, each unit once. Throws for any other text, and for no time at all. */
export function parseDurationSeconds(text: string, name = "DURATION"): number {
  const [, hours, minutes, seconds] = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text) ?? [];
  const total = Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
  if (total < 1) {
    throw new Error(`${name}: "${text}" should read like 60s, 5m or 1h30m.`);
  }
  return total;
}

function readBaseUrl(environment: Environment): string {
  const text = readText(environment, "BASE_URL") ?? "http://127.0.0.1:8787";
  if (!/^https?:\/\/[^/?#\s]+\/?$/.test(text)) {
    throw new Error("BASE_URL should read like https://go.example.com: the short domain, without a path.");
  }
  return text.replace(/\/$/, "");
}

function readWholeNumber(
  environment: Environment,
  name: string,
  { fallback, max }: { readonly fallback: number; readonly max: number },
): number {
  const text = readText(environment, name);
  const value = text === null ? fallback : Number(text);
  if (!Number.isSafeInteger(value) || value < 1 || value > max) {
    throw new Error(`${name} should be a whole number from 1 to ${max}, not "${text}".`);
  }
  return value;
}

/** An empty variable counts as not set. */
function readText(environment: Environment, name: string): string | null {
  const text = environment[name] ?? "";
  return text === "" ? null : text;
}
