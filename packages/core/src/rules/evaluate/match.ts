/**
 * The one matcher: whether one field of a rule's conditions is met by a visitor. The redirect stops at the first field
 * that is not; the explanation asks for all of them. Both ask here and nowhere else.
 */
import { foldCity } from "./fold-city.ts";
import { matchesLanguage } from "./language.ts";
import { matchesHost } from "./referrer.ts";
import { CONDITION_FIELDS, type ConditionField, type Conditions, type QueryCondition } from "../rule.ts";
import { isWithin } from "./time-window.ts";
import type { Visitor } from "./visitor.ts";

export function matches(when: Conditions, visitor: Visitor): boolean {
  return CONDITION_FIELDS.every((field) => isMet(field, when, visitor));
}

/** Every field that the visitor does not meet, in the order in which they are asked. */
export function allUnmet(when: Conditions, visitor: Visitor): readonly ConditionField[] {
  return CONDITION_FIELDS.filter((field) => !isMet(field, when, visitor));
}

function isMet(field: ConditionField, when: Conditions, visitor: Visitor): boolean {
  if (when[field] === undefined) {
    return true;
  }
  switch (field) {
    case "time":
      return when.time === undefined || isWithin(when.time, visitor.nowMs, visitor.localTime);
    case "query":
      return when.query === undefined || hasParameters(when.query, visitor);
    case "visitor":
      return visitor.device().isBot === (when.visitor === "bot");
    case "language":
      return hasMatch(when.language, factOf(field, visitor), matchesLanguage);
    case "referrer":
      return hasMatch(when.referrer, factOf(field, visitor), matchesHost);
    case "country":
    case "continent":
    case "region":
    case "city":
    case "device":
    case "os":
    case "browser":
      return hasMatch(when[field], factOf(field, visitor), (actual, wanted) => actual === wanted);
  }
}

/** What is known of a visitor, of the fields that a rule compares with a list. */
export function factOf(
  field: Exclude<ConditionField, "time" | "query" | "visitor">,
  visitor: Visitor,
): string | null {
  switch (field) {
    case "country":
    case "continent":
      return visitor.place()[field];
    case "region": {
      const { country, regionCode } = visitor.place();
      return country === null || regionCode === null ? null : `${country}-${regionCode}`;
    }
    case "city": {
      const { city } = visitor.place();
      return city === null ? null : foldCity(city);
    }
    case "language":
      return visitor.language();
    case "referrer":
      return visitor.referrerHost();
    case "device":
    case "os":
    case "browser":
      return visitor.device()[field];
  }
}

function hasMatch(
  patterns: readonly string[] = [],
  actual: string | null,
  isMatch: (actual: string, pattern: string) => boolean,
): boolean {
  return actual !== null && patterns.some((pattern) => isMatch(actual, pattern));
}

function hasParameters(conditions: readonly QueryCondition[], visitor: Visitor): boolean {
  return conditions.every(({ name, values }) =>
    visitor.query().some((sent) => sent.name === name && (values?.includes(sent.value) ?? true)),
  );
}
