/** Compiles a rule's time window: names to numbers, and every way in which a window can be impossible to an error. */
import { parseInstant } from "./instant.ts";
import { isKnownZone } from "../evaluate/local-time.ts";
import type { Problems } from "./problems.ts";
import type { TimeWindow } from "../rule.ts";
import { WEEKDAY_NAMES, type TimeWindowInput } from "./rule-input.ts";

const MINUTES_PER_DAY = 1_440;

/** The compiled window; where `problems` has grown it is not to be used. */
export function compileTime(input: TimeWindowInput, path: string, problems: Problems): TimeWindow {
  const read = (
    field: "start" | "end" | "from" | "until",
    parse: (text: string) => number | null,
    kind: string,
  ): number | undefined => {
    const text = input[field];
    const value = text === undefined ? undefined : parse(text);
    if (value === null) {
      problems.add(`${path}.${field}`, `${JSON.stringify(text)} is not a valid ${kind}`);
    }
    return value ?? undefined;
  };
  const time: TimeWindow = {
    zone: compileZone(input, path, problems),
    days: compileDays(input.days, `${path}.days`, problems),
    startMinute: read("start", parseClock, "HH:MM"),
    endMinute: read("end", parseClock, "HH:MM"),
    fromMs: read("from", parseInstant, "RFC 3339 instant"),
    untilMs: read("until", parseInstant, "RFC 3339 instant"),
  };
  checkRanges(input, time, { path, problems });
  return time;
}

function compileZone(input: TimeWindowInput, path: string, problems: Problems): string | undefined {
  const needsZone = input.days !== undefined || input.start !== undefined || input.end !== undefined;
  if (input.zone === undefined) {
    if (needsZone) {
      problems.add(`${path}.zone`, "a time zone is needed to read weekdays and hours");
    }
    return undefined;
  }
  if (!isKnownZone(input.zone)) {
    problems.add(`${path}.zone`, `unknown time zone ${JSON.stringify(input.zone)}`);
  }
  // Without days and hours the zone would be asked for nothing.
  return needsZone ? input.zone : undefined;
}

function compileDays(
  days: TimeWindowInput["days"],
  path: string,
  problems: Problems,
): readonly number[] | undefined {
  if (days === undefined) {
    return undefined;
  }
  if (days.length === 0) {
    problems.add(path, "must not be empty");
  }
  days.forEach((day, index) => {
    if (!WEEKDAY_NAMES.includes(day)) {
      problems.add(`${path}[${index}]`, `unknown weekday ${JSON.stringify(day)}, expected mon to sun`);
    }
  });
  return [...new Set(days)]
    .map((day) => WEEKDAY_NAMES.indexOf(day) + 1)
    .toSorted((one, other) => one - other);
}

function checkRanges(
  input: TimeWindowInput,
  time: TimeWindow,
  { path, problems }: { readonly path: string; readonly problems: Problems },
): void {
  const { startMinute, endMinute, fromMs, untilMs } = time;
  if (Object.values(input).every((value) => value === undefined)) {
    problems.add(path, "must not be empty");
  } else if (
    time.zone === undefined &&
    input.zone !== undefined &&
    input.from === undefined &&
    input.until === undefined
  ) {
    problems.add(path, "a time zone alone restricts nothing");
  }
  if ((input.start === undefined) !== (input.end === undefined)) {
    const missing = input.start === undefined ? "start" : "end";
    problems.add(`${path}.${missing}`, "start and end belong together");
  }
  if (startMinute === MINUTES_PER_DAY) {
    problems.add(`${path}.start`, "24:00 can only be an end");
  }
  if (startMinute !== undefined && startMinute === endMinute) {
    problems.add(`${path}.end`, "impossible range: start and end are the same");
  }
  if (fromMs !== undefined && untilMs !== undefined && fromMs >= untilMs) {
    problems.add(`${path}.until`, "impossible range: until is not after from");
  }
}

function parseClock(text: string): number | null {
  if (text === "24:00") {
    return MINUTES_PER_DAY;
  }
  const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  return match === null ? null : Number(match[1]) * 60 + Number(match[2]);
}
