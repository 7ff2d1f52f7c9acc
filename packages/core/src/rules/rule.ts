/**
 * A smart link as it sits in the published record: JSON with short, readable keys, compiled and checked when it was
 * written (compile-smart-link.ts), read once per cache fill (decode-rules.ts) and evaluated as it is (evaluate.ts).
 *
 * First matching rule wins; AND across the fields of `when`, OR inside a list; then the default destination.
 */
import type { BrowserName, DeviceClass, OsName } from "./device-names.ts";

/** Continents as Cloudflare's `request.cf.continent` names them. */
export const CONTINENTS = ["AF", "AN", "AS", "EU", "NA", "OC", "SA"] as const;
export type Continent = (typeof CONTINENTS)[number];

export const MAX_RULES = 50;
export const MAX_VARIANTS = 10;

export type SmartRule = {
  /** Names the rule in clicks and explanations. Unique within its link. */
  readonly id: string;
  readonly when: Conditions;
  readonly to: RuleAction;
};

/** What every matching visitor must satisfy. An absent field asks nothing; a list is never empty. */
export type Conditions = {
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country?: readonly string[] | undefined;
  readonly continent?: readonly Continent[] | undefined;
  /** ISO 3166-2 with its country: `US-CA`. */
  readonly region?: readonly string[] | undefined;
  /** As `foldCity` leaves them. */
  readonly city?: readonly string[] | undefined;
  readonly time?: TimeWindow | undefined;
  readonly query?: readonly QueryCondition[] | undefined;
  /** BCP-47 prefixes, lower case. */
  readonly language?: readonly string[] | undefined;
  /** Hosts in lower case, or `*.host` for the subdomains of one. */
  readonly referrer?: readonly string[] | undefined;
  readonly device?: readonly DeviceClass[] | undefined;
  readonly os?: readonly OsName[] | undefined;
  readonly browser?: readonly BrowserName[] | undefined;
  readonly visitor?: VisitorKind | undefined;
};

export type ConditionField = keyof Conditions;
/** Every field, the cheap ones first: a user agent is classified only when all else has matched. */
export const CONDITION_FIELDS: readonly ConditionField[] = [
  "country",
  "continent",
  "region",
  "city",
  "time",
  "query",
  "language",
  "referrer",
  "device",
  "os",
  "browser",
  "visitor",
];

export type VisitorKind = "bot" | "human";

/**
 * `fromMs` (inclusive) and `untilMs` (exclusive) are epoch milliseconds. `startMinute` (inclusive) and `endMinute`
 * (exclusive) are minutes after local midnight and come together; a start after the end wraps midnight. `days` are
 * ISO weekdays, Monday 1 to Sunday 7. `zone` is there whenever days or minutes are.
 */
export type TimeWindow = {
  readonly zone?: string | undefined;
  readonly days?: readonly number[] | undefined;
  readonly startMinute?: number | undefined;
  readonly endMinute?: number | undefined;
  readonly fromMs?: number | undefined;
  readonly untilMs?: number | undefined;
};

/**
 * One query parameter: present, or with one of `values`. Each parameter is a field of its own, so a list of them is
 * AND; the values of one are OR.
 */
export type QueryCondition = { readonly name: string; readonly values?: readonly string[] | undefined };

export type RuleAction =
  | { readonly url: string }
  | { readonly split: readonly Variant[] }
  | { readonly block: true };

/** One arm of a weighted split. Weights are positive integers and need no common sum. */
export type Variant = { readonly id: string; readonly url: string; readonly weight: number };

/** A switch-over that was scheduled: from `activateAtMs` on, `url` is the default destination, split or not. */
export type NextDestination = { readonly url: string; readonly activateAtMs: number };

/** The part of a link record that decides where a visitor goes. */
export type SmartLink = {
  readonly linkId: string;
  readonly url: string;
  /** Shares out the default destination; `url` is then only what a reader without splits would show. */
  readonly split?: readonly Variant[] | undefined;
  readonly next?: NextDestination | undefined;
  readonly rules?: readonly SmartRule[] | undefined;
};
