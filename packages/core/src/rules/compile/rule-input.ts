/**
 * A smart link as an API client writes it. The API's schema has settled the types; what the values mean is checked in
 * compile-smart-link.ts, which turns this into the published form (rule.ts).
 */
import type { ConditionField, QueryCondition, RuleAction, Variant, VisitorKind } from "../rule.ts";

export type SmartLinkInput = {
  readonly url: string;
  readonly split?: readonly Variant[] | undefined;
  readonly next?: NextInput | undefined;
  readonly rules?: readonly RuleInput[] | undefined;
};

/** `activateAt`: RFC 3339. */
export type NextInput = { readonly url: string; readonly activateAt: string };

export type RuleInput = {
  /** 1-64 letters, digits, `-` and `_`. */
  readonly id: string;
  /** `false`: checked like the others, and not published. */
  readonly enabled?: boolean | undefined;
  readonly when: ConditionsInput;
  readonly to: RuleAction;
};

/** Names of countries, devices and so on are accepted in any case. */
export type ConditionsInput = {
  readonly [field in Exclude<ConditionField, "time" | "query" | "visitor">]?: readonly string[] | undefined;
} & {
  readonly time?: TimeWindowInput | undefined;
  readonly query?: readonly QueryCondition[] | undefined;
  readonly visitor?: VisitorKind | undefined;
};

export const WEEKDAY_NAMES = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type WeekdayName = (typeof WEEKDAY_NAMES)[number];

export type TimeWindowInput = {
  /** IANA name; needed with `days` or `start` and `end`. */
  readonly zone?: string | undefined;
  readonly days?: readonly WeekdayName[] | undefined;
  /** `HH:MM`, inclusive. After `end` it wraps midnight. */
  readonly start?: string | undefined;
  /** `HH:MM`, exclusive, `24:00` at the latest. */
  readonly end?: string | undefined;
  /** RFC 3339, inclusive. */
  readonly from?: string | undefined;
  /** RFC 3339, exclusive. */
  readonly until?: string | undefined;
};
