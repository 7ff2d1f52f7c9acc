/**
 * Reads the rules, the split and the switch-over of a published record: total, hand-written, run once per cache fill. Strict on
 * purpose: a condition that this reader does not know would make its rule match everybody, so it fails the record.
 * Every decoded object has all its fields, set or undefined: the matcher then meets one object shape only.
 */
import { fail, ok, type Result } from "../decode/result.ts";
import {
  fieldsOf,
  nameIn,
  readAnyText,
  readInteger,
  readList,
  readText,
  type Faults,
  type Read,
} from "../decode/decode-parts.ts";
import { BROWSER_NAMES, DEVICE_CLASSES, OS_NAMES } from "./device-names.ts";
import {
  CONDITION_FIELDS,
  CONTINENTS,
  MAX_RULES,
  MAX_VARIANTS,
  type ConditionField,
  type Conditions,
  type NextDestination,
  type QueryCondition,
  type RuleAction,
  type SmartRule,
  type TimeWindow,
  type Variant,
} from "./rule.ts";

/** Where the value is not a smart link's: `rules[2].when.os`. */
export type RulesFault = { readonly reason: "rules_malformed"; readonly field: string };

/** Decodes `rules` of a record. Never throws. */
export function decodeRules(value: unknown): Result<readonly SmartRule[], RulesFault> {
  const faults: Faults = [];
  return finish(readList(value, "rules", { maxItems: MAX_RULES, read: readRule, faults }), faults);
}

/** Decodes `split` of a record. Never throws. */
export function decodeSplit(value: unknown): Result<readonly Variant[], RulesFault> {
  const faults: Faults = [];
  return finish(readVariants(value, "split", faults), faults);
}

/** Decodes `next` of a record. Never throws. */
export function decodeNext(value: unknown): Result<NextDestination, RulesFault> {
  const faults: Faults = [];
  const fields = readAnyFields(value, "next", faults);
  const next = {
    url: readText(fields["url"], "next.url", faults),
    activateAtMs: readInteger(fields["activateAtMs"], "next.activateAtMs", faults),
  };
  return finish(next, faults);
}

function finish<Value>(value: Value, faults: Faults): Result<Value, RulesFault> {
  const [field] = faults;
  return field === undefined ? ok(value) : fail({ reason: "rules_malformed", field });
}

const readRuleFields = fieldsOf(new Set(["id", "when", "to"]));
const readConditionFields = fieldsOf(new Set<string>(CONDITION_FIELDS));
const readWindowFields = fieldsOf(new Set(["zone", "days", "startMinute", "endMinute", "fromMs", "untilMs"]));
const readQueryFields = fieldsOf(new Set(["name", "values"]));
const readAnyFields = fieldsOf();

function readRule(value: unknown, path: string, faults: Faults): SmartRule {
  const fields = readRuleFields(value, path, faults);
  return {
    id: readText(fields["id"], `${path}.id`, faults),
    when: readConditions(fields["when"], `${path}.when`, faults),
    to: readAction(fields["to"], `${path}.to`, faults),
  };
}

function readConditions(value: unknown, path: string, faults: Faults): Conditions {
  const fields = readConditionFields(value, path, faults);
  function list<Item>(field: ConditionField, read: Read<Item>): readonly Item[] | undefined {
    const items = fields[field];
    return items === undefined ? undefined : readList(items, `${path}.${field}`, { read, faults });
  }
  return {
    country: list("country", readText),
    continent: list("continent", readContinent),
    region: list("region", readText),
    time: fields["time"] === undefined ? undefined : readWindow(fields["time"], `${path}.time`, faults),
    query: list("query", readQueryCondition),
    language: list("language", readText),
    referrer: list("referrer", readText),
    device: list("device", readDeviceClass),
    os: list("os", readOs),
    browser: list("browser", readBrowser),
    visitor:
      fields["visitor"] === undefined ? undefined : readKind(fields["visitor"], `${path}.visitor`, faults),
  };
}

const readContinent = nameIn(CONTINENTS);
const readDeviceClass = nameIn(DEVICE_CLASSES);
const readOs = nameIn(OS_NAMES);
const readBrowser = nameIn(BROWSER_NAMES);
const readKind = nameIn(["bot", "human"] as const);

function readWindow(value: unknown, path: string, faults: Faults): TimeWindow {
  const fields = readWindowFields(value, path, faults);
  function integer(field: string): number | undefined {
    return fields[field] === undefined ? undefined : readInteger(fields[field], `${path}.${field}`, faults);
  }
  const time: TimeWindow = {
    zone: fields["zone"] === undefined ? undefined : readText(fields["zone"], `${path}.zone`, faults),
    days:
      fields["days"] === undefined
        ? undefined
        : readList(fields["days"], `${path}.days`, { read: readInteger, faults }),
    startMinute: integer("startMinute"),
    endMinute: integer("endMinute"),
    fromMs: integer("fromMs"),
    untilMs: integer("untilMs"),
  };
  const isLocal = time.days !== undefined || time.startMinute !== undefined;
  if (
    (time.startMinute === undefined) !== (time.endMinute === undefined) ||
    isLocal !== (time.zone !== undefined)
  ) {
    faults.push(path);
  }
  return time;
}

function readQueryCondition(value: unknown, path: string, faults: Faults): QueryCondition {
  const { name, values } = readQueryFields(value, path, faults);
  return {
    name: readText(name, `${path}.name`, faults),
    values:
      values === undefined ? undefined : readList(values, `${path}.values`, { read: readAnyText, faults }),
  };
}

/** Exactly one of url, split and block. */
function readAction(value: unknown, path: string, faults: Faults): RuleAction {
  const fields = readAnyFields(value, path, faults);
  if (Object.keys(fields).length !== 1) {
    faults.push(path);
  } else if ("split" in fields) {
    return { split: readVariants(fields["split"], `${path}.split`, faults) };
  } else if (fields["block"] === true) {
    return { block: true };
  }
  return { url: readText(fields["url"], `${path}.url`, faults) };
}

function readVariants(value: unknown, path: string, faults: Faults): readonly Variant[] {
  return readList(value, path, { maxItems: MAX_VARIANTS, read: readVariant, faults });
}

function readVariant(value: unknown, path: string, faults: Faults): Variant {
  const { id, url, weight } = readAnyFields(value, path, faults);
  const variant = {
    id: readText(id, `${path}.id`, faults),
    url: readText(url, `${path}.url`, faults),
    weight: readInteger(weight, `${path}.weight`, faults),
  };
  if (variant.weight < 1) {
    faults.push(`${path}.weight`);
  }
  return variant;
}
