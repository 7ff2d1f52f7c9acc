/**
 * Judges the alert rules over readings of the metrics, as Prometheus does with the same rules, and says what operators have to be
 * told. Pure: whoever reads the metrics keeps the state.
 *
 * While nothing can be read only that is judged: every other rule stays as it was, instead of ending because of an outage.
 */
import { ALERT_RULES, type AlertRule, type Condition, type Value, type Where } from "./alert-rules.ts";

/** One number of the metrics. `up` is 1 for a reading that succeeded, and 0, alone, for one that failed. */
export type Sample = {
  readonly name: string;
  readonly labels: { readonly [label: string]: string };
  readonly value: number;
};

export type AlertState = {
  /** Of the last hour, the oldest first. */
  readonly readings: readonly Reading[];
  readonly rules: { readonly [name: string]: RuleState };
  /** Something holds that may come to fire, or end, without any more traffic. */
  readonly isTense: boolean;
};

/** The numbers that rules ask for, each under `keyOf` it. */
type Reading = { readonly atMs: number; readonly numbers: { readonly [key: string]: number } };

type RuleState = {
  /** Since when all conditions hold, epoch milliseconds; `null`: they do not. */
  readonly sinceMs: number | null;
  readonly isFiring: boolean;
  /** Operators know that it fires. */
  readonly isTold: boolean;
  /** When they were last told that it began, epoch milliseconds. */
  readonly toldAtMs: number;
};

/** What operators are to be told of a rule: that it began, or that it is over. */
export type Notice = { readonly rule: AlertRule; readonly isFiring: boolean; readonly sinceMs: number };

export const NEW_ALERTS: AlertState = { readings: [], rules: {}, isTense: false };
const QUIET: RuleState = { sinceMs: null, isFiring: false, isTold: false, toldAtMs: 0 };

const MINUTE_MS = 60_000;
const KEPT_FOR_MS = 61 * MINUTE_MS;
const TOLD_EVERY_MS = 60 * MINUTE_MS;

type Leaf = Exclude<Value, { part: unknown } | { allBut: unknown }>;

export function judgeAlerts(state: AlertState, samples: readonly Sample[], nowMs: number): AlertState {
  const isDown = samples.every(({ name }) => name === "up") && samples.some(({ value }) => value === 0);
  const now = { atMs: nowMs, numbers: takeNumbers(samples, isDown) };
  const known = state.readings.filter(({ atMs }) => nowMs - atMs < KEPT_FOR_MS && atMs < nowMs);
  const readings = [...known, now];
  let isTense = false;
  const rules = ALERT_RULES.map((rule): [string, RuleState] => {
    const before = state.rules[rule.name] ?? QUIET;
    const held = rule.when.map((condition) => holds(condition, readings));
    if (isDown && held.includes(null)) {
      isTense ||= before.sinceMs !== null;
      return [rule.name, before];
    }
    const sinceMs = held.every((one) => one === true) ? (before.sinceMs ?? nowMs) : null;
    isTense ||= rule.when.every(({ value }, index) => held[index] === true || isOfTime(value, rule));
    const isFiring = sinceMs !== null && nowMs - sinceMs >= rule.minutes * MINUTE_MS;
    return [rule.name, { ...before, sinceMs, isFiring }];
  });
  return { readings: isDown ? known : readings, rules: Object.fromEntries(rules), isTense };
}

/** What has changed since operators were told last: of each rule one beginning an hour at most, and its end. */
export function listNotices({ rules }: AlertState, nowMs: number): readonly Notice[] {
  return ALERT_RULES.flatMap((rule) => {
    const { isFiring, isTold, toldAtMs, sinceMs } = rules[rule.name] ?? QUIET;
    const isDue = isFiring ? !isTold && nowMs - toldAtMs >= TOLD_EVERY_MS : isTold;
    return isDue ? [{ rule, isFiring, sinceMs: sinceMs ?? nowMs }] : [];
  });
}

export function afterNotices(state: AlertState, notices: readonly Notice[], nowMs: number): AlertState {
  const told = notices.map(({ rule: { name }, isFiring }): [string, RuleState] => {
    const before = state.rules[name] ?? QUIET;
    return [name, { ...before, isTold: isFiring, toldAtMs: isFiring ? nowMs : before.toldAtMs }];
  });
  return { ...state, rules: { ...state.rules, ...Object.fromEntries(told) } };
}

export function listFiring({ rules }: AlertState): readonly AlertRule[] {
  return ALERT_RULES.filter(({ name }) => rules[name]?.isFiring === true);
}

/** Whether time alone makes it true, beside other conditions that need traffic. */
function isOfTime(value: Value, { when }: AlertRule): boolean {
  return "since" in value && when.length > 1;
}

/** `null`: there is no number to judge. */
function holds(condition: Condition, readings: readonly Reading[]): boolean | null {
  const number = evaluate(condition.value, readings);
  if (number === null) {
    return null;
  }
  return "above" in condition ? number > condition.above : number < condition.below;
}

function evaluate(value: Value, readings: readonly Reading[]): number | null {
  if ("of" in value) {
    const part = evaluate("part" in value ? value.part : value.allBut, readings);
    const whole = evaluate(value.of, readings);
    if (part === null || whole === null || whole === 0) {
      return null;
    }
    return "part" in value ? part / whole : 1 - part / whole;
  }
  const newest = readings.at(-1);
  const number = newest?.numbers[keyOf(value)];
  if (newest === undefined || number === undefined) {
    return null;
  }
  if ("since" in value) {
    return newest.atMs / 1_000 - number;
  }
  return "grown" in value ? grown(number, value.minutes * MINUTE_MS, { value, newest, readings }) : number;
}

/** Since the oldest reading of the window, which has to cover half of it. */
function grown(
  number: number,
  windowMs: number,
  {
    value,
    newest,
    readings,
  }: { readonly value: Leaf; readonly newest: Reading; readonly readings: readonly Reading[] },
): number | null {
  const oldest = readings.find(({ atMs }) => newest.atMs - atMs <= windowMs);
  const before = oldest?.numbers[keyOf(value)];
  return oldest === undefined || before === undefined || newest.atMs - oldest.atMs < windowMs / 2
    ? null
    : number - before;
}

/** A counter that nothing has counted yet is 0; a gauge that is left out is no number. */
function takeNumbers(samples: readonly Sample[], isDown: boolean): Reading["numbers"] {
  const numbers: { [key: string]: number } = {};
  for (const leaf of LEAVES) {
    const values = samples.filter((sample) => isOf(sample, leaf)).map(({ value }) => value);
    if (values.length > 0 || ("grown" in leaf && !isDown)) {
      const isSum = "grown" in leaf || "sum" in leaf;
      numbers[keyOf(leaf)] = isSum ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values);
    }
  }
  return numbers;
}

function isOf({ name, labels }: Sample, leaf: Leaf): boolean {
  const where: Where = "where" in leaf && leaf.where !== undefined ? leaf.where : {};
  return (
    name === nameOf(leaf) &&
    Object.entries(where).every(([label, [operator, text]]) => {
      const value = labels[label] ?? "";
      return operator === "="
        ? value === text
        : new RegExp(`^(?:${text})$`).test(value) === (operator === "=~");
    })
  );
}

function nameOf(leaf: Leaf): string {
  if ("largest" in leaf) {
    return leaf.largest;
  }
  if ("sum" in leaf) {
    return leaf.sum;
  }
  return "since" in leaf ? leaf.since : leaf.grown;
}

/** Of the same counter one number, whatever the windows. */
function keyOf(leaf: Leaf): string {
  return JSON.stringify([nameOf(leaf), "where" in leaf ? leaf.where : null]);
}

function leavesOf(value: Value): readonly Leaf[] {
  return "of" in value ? [value.of, "part" in value ? value.part : value.allBut] : [value];
}

const LEAVES: readonly Leaf[] = ALERT_RULES.flatMap(({ when }) =>
  when.flatMap(({ value }) => leavesOf(value)),
);
