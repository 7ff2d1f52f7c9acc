/**
 * The shapes of the rules, the split and the switch-over of a published record. Strict on purpose: a condition that this
 * reader does not know would make its rule match every visitor, so it fails the record. A *name* that it does not know, of a
 * browser for example, only matches no visitor.
 */
import { anyText, integer, listOf, objectOf, oneOf, positive, type Shape, text } from "../decode/shape.ts";
import { CONDITION_FIELDS, type Conditions, MAX_RULES, MAX_VARIANTS, type SmartRule } from "./rule.ts";

const texts = listOf(text);

const timeFields = objectOf(
  {},
  {
    zone: text,
    days: listOf(integer),
    startMinute: integer,
    endMinute: integer,
    fromMs: integer,
    untilMs: integer,
  },
);

/** Start and end come together, and days and minutes with a zone. */
const time: Shape = (value) => {
  const fault = timeFields(value);
  if (fault !== null) {
    return fault;
  }
  const { zone, days, startMinute, endMinute } = value as NonNullable<Conditions["time"]>;
  const isLocal = days !== undefined || startMinute !== undefined;
  const isWhole = (startMinute === undefined) === (endMinute === undefined);
  return isWhole && isLocal === (zone !== undefined) ? null : "";
};

const conditions = objectOf({}, {
  country: texts,
  continent: texts,
  region: texts,
  city: texts,
  time,
  query: listOf(objectOf({ name: text }, { values: listOf(anyText) })),
  language: texts,
  referrer: texts,
  device: texts,
  os: texts,
  browser: texts,
  visitor: oneOf("bot", "human"),
} satisfies { readonly [field in keyof Conditions]-?: Shape });

const anyField = (): boolean => true;

export const SPLIT: Shape = listOf(
  objectOf({ id: text, url: text, weight: positive }, {}, anyField),
  MAX_VARIANTS,
);
export const NEXT: Shape = objectOf({ url: text, activateAtMs: integer }, {}, anyField);

const actions: ReadonlyMap<string | undefined, Shape> = new Map([
  ["url", objectOf({ url: text })],
  ["split", objectOf({ split: SPLIT })],
  ["block", objectOf({ block: oneOf(true) })],
]);

const action: Shape = (value) => {
  const [field, ...others] = typeof value === "object" && value !== null ? Object.keys(value) : [];
  const shape = others.length === 0 ? actions.get(field) : undefined;
  return shape === undefined ? "" : shape(value);
};

export const RULES: Shape = listOf(objectOf({ id: text, when: conditions, to: action }), MAX_RULES);

const NO_CONDITIONS: Conditions = Object.fromEntries(CONDITION_FIELDS.map((field) => [field, undefined]));

/** With all fields of the conditions, set or undefined: the matcher then meets one object shape only. */
export function withAllConditions(rule: SmartRule): SmartRule {
  return { id: rule.id, when: { ...NO_CONDITIONS, ...rule.when }, to: rule.to };
}
