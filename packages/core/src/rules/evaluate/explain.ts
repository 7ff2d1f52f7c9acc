/**
 * Says why a visitor gets what they get: the evaluator's own decision, and for each rule before it every field that did
 * not match, with what was expected and what was there. Texts are for people; only `field` is for programs.
 */
import { decide, matchedRule, type Decision } from "./evaluate.ts";
import { allUnmet, factOf } from "./match.ts";
import type { ConditionField, Conditions, SmartLink, TimeWindow } from "../rule.ts";
import type { Visitor } from "./visitor.ts";

export type Explanation = {
  readonly decision: Decision;
  /** The rules that were tried and did not match, in order. Rules after the matching one were never asked. */
  readonly missed: readonly MissedRule[];
};

export type MissedRule = { readonly ruleId: string; readonly unmet: readonly UnmetField[] };

export type UnmetField = {
  readonly field: ConditionField;
  /** Any one of these would do; for `query`, all parameters are needed. */
  readonly expected: readonly string[];
  /** `null`: not known, or not sent. */
  readonly actual: string | null;
};

/** Evaluates as the redirect does and keeps the reasons. */
export function explain(link: SmartLink, visitor: Visitor): Explanation {
  const { rules = [] } = link;
  const rule = matchedRule(link, visitor);
  const missed = rules.slice(0, rule === null ? rules.length : rules.indexOf(rule)).map(({ id, when }) => ({
    ruleId: id,
    unmet: allUnmet(when, visitor).map((field) => ({
      field,
      expected: describeExpected(field, when),
      actual: describeActual(field, when, visitor),
    })),
  }));
  return { decision: decide(link, rule, visitor), missed };
}

function describeExpected(field: ConditionField, when: Conditions): readonly string[] {
  if (field === "time") {
    return when.time === undefined ? [] : [describeWindow(when.time)];
  }
  if (field === "query") {
    return (when.query ?? []).map(({ name, values }) =>
      values === undefined ? `${name} present` : `${name}=${values.join("|")}`,
    );
  }
  return [when[field] ?? []].flat();
}

function describeActual(field: ConditionField, when: Conditions, visitor: Visitor): string | null {
  if (field === "time") {
    return describeInstant(when.time?.zone, visitor);
  }
  if (field === "query") {
    return describeQuery(when, visitor);
  }
  return field === "visitor" ? (visitor.device().isBot ? "bot" : "human") : factOf(field, visitor);
}

/** The parameters that the condition names, as the visitor sent them; `null` when none of them was sent. */
function describeQuery(when: Conditions, visitor: Visitor): string | null {
  const asked = visitor
    .query()
    .filter(({ name }) => when.query?.some((condition) => condition.name === name));
  return asked.length === 0 ? null : asked.map(({ name, value }) => `${name}=${value}`).join("&");
}

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

/** `Mon,Tue 22:00-06:00 Europe/Berlin from 2026-01-01T00:00:00.000Z` */
function describeWindow({ days, startMinute, endMinute, zone, fromMs, untilMs }: TimeWindow): string {
  const parts = [
    days?.map((day) => WEEKDAYS[day - 1]).join(","),
    startMinute === undefined || endMinute === undefined
      ? undefined
      : `${toClock(startMinute)}-${toClock(endMinute)}`,
    zone,
    fromMs === undefined ? undefined : `from ${toInstant(fromMs)}`,
    untilMs === undefined ? undefined : `until ${toInstant(untilMs)}`,
  ];
  return parts.filter((part) => part !== undefined).join(" ");
}

/** `2026-03-29T01:00:00.000Z (Sun 03:00 Europe/Berlin)` */
function describeInstant(zone: string | undefined, visitor: Visitor): string {
  const instant = toInstant(visitor.nowMs);
  if (zone === undefined) {
    return instant;
  }
  const minuteOfWeek = visitor.localTime(zone, visitor.nowMs);
  if (minuteOfWeek === null) {
    return `${instant} (time zone ${zone} unknown here)`;
  }
  return `${instant} (${WEEKDAYS[Math.floor(minuteOfWeek / 1_440)]} ${toClock(minuteOfWeek % 1_440)} ${zone})`;
}

function toClock(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
}

function toInstant(atMs: number): string {
  return Math.abs(atMs) <= 8.64e15 ? new Date(atMs).toISOString() : String(atMs);
}
