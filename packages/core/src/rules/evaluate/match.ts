/**
 * The one matcher: whether one field of a rule's conditions is met by a visitor. The redirect stops at the first field
 * that is not; the explanation asks for all of them. Both ask here and nowhere else.
 */
import { matchesLanguage } from "./language.ts";
import { matchesHost } from "./referrer.ts";
import { CONDITION_FIELDS, type ConditionField, type Conditions, type QueryCondition } from "../rule.ts";
import { isWithin } from "./time-window.ts";
import type { Visitor } from "./visitor.ts";

/** The first field that the visitor does not meet, or `null`: the rule matches. */
export function firstUnmet(when: Conditions, visitor: Visitor): ConditionField | null {
  for (const field of CONDITION_FIELDS) {
    if (!isMet(field, when, visitor)) {
      return field;
    }
  }
  return null;
}

/** Every field that the visitor does not meet, in the order in which they are asked. */
export function allUnmet(when: Conditions, visitor: Visitor): readonly ConditionField[] {
  return CONDITION_FIELDS.filter((field) => !isMet(field, when, visitor));
}

function isMet(field: ConditionField, when: Conditions, visitor: Visitor): boolean {
  switch (field) {
    case "country":
      return when.country === undefined || holds(when.country, visitor.place().country);
    case "continent":
      return when.continent === undefined || holds(when.continent, visitor.place().continent);
    case "region":
      return when.region === undefined || holds(when.region, regionOf(visitor));
    case "time":
      return when.time === undefined || isWithin(when.time, visitor.nowMs, visitor.localTime);
    case "query":
      return when.query === undefined || hasParameters(when.query, visitor);
    case "language":
      return when.language === undefined || hasMatch(when.language, visitor.language(), matchesLanguage);
    case "referrer":
      return when.referrer === undefined || hasMatch(when.referrer, visitor.referrerHost(), matchesHost);
    case "device":
      return when.device === undefined || holds(when.device, visitor.device().device);
    case "os":
      return when.os === undefined || holds(when.os, visitor.device().os);
    case "browser":
      return when.browser === undefined || holds(when.browser, visitor.device().browser);
    case "visitor":
      return when.visitor === undefined || visitor.device().isBot === (when.visitor === "bot");
  }
}

/** `US-CA`, or `null` when either half is unknown. */
export function regionOf(visitor: Visitor): string | null {
  const { country, regionCode } = visitor.place();
  return country === null || regionCode === null ? null : `${country}-${regionCode}`;
}

function holds<Name extends string>(list: readonly Name[], actual: string | null): boolean {
  return actual !== null && list.some((name) => name === actual);
}

function hasMatch(
  patterns: readonly string[],
  actual: string | null,
  matches: (actual: string, pattern: string) => boolean,
): boolean {
  if (actual === null) {
    return false;
  }
  for (const pattern of patterns) {
    if (matches(actual, pattern)) {
      return true;
    }
  }
  return false;
}

function hasParameters(conditions: readonly QueryCondition[], visitor: Visitor): boolean {
  for (const { name, values } of conditions) {
    const isThere = visitor
      .query()
      .some(
        (parameter) => parameter.name === name && (values === undefined || values.includes(parameter.value)),
      );
    if (!isThere) {
      return false;
    }
  }
  return true;
}
