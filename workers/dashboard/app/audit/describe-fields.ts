/** Fields of what was changed, as the audit log and a link's history keep them, for people. Pure. */
import { formatDateTime } from "../format.ts";
import { FIELD_NAMES } from "../links/editor-words.ts";

export type Fields = { readonly [name: string]: unknown };

/** A link's fields have the names of its form; others are here where their name in words differs from their own. */
const NAMES: { readonly [field: string]: string } = {
  ...FIELD_NAMES,
  hasOwnRedirectStatus: "Own redirect status",
  externalId: "External id",
  rootUrl: "Bare host leads to",
  notFoundUrl: "No link leads to",
  endedUrl: "Ended links lead to",
  isOperator: "Operator",
  os: "OS",
};

/** `redirectStatus` is `Redirect status`. */
export function nameOfField(field: string): string {
  const words = inWords(field);
  return NAMES[field] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** `maxClicks` is `max clicks`. */
function inWords(name: string): string {
  return name.replaceAll(/([a-z])([A-Z])/g, (_whole, end: string, start: string) => {
    return `${end} ${start.toLowerCase()}`;
  });
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** Lists of what has parts, such as rules, have a line for each. */
export function describeField(value: unknown, timeZone: string): string {
  if (value === null || value === undefined || value === "") {
    return "none";
  }
  if (typeof value === "boolean") {
    return value ? "yes" : "no";
  }
  if (typeof value === "string") {
    return INSTANT.test(value) ? formatDateTime(value, timeZone) : value;
  }
  if (Array.isArray(value)) {
    const separator = value.some((one) => typeof one === "object") ? "\n" : ", ";
    return value.length === 0 ? "none" : value.map((one) => describeField(one, timeZone)).join(separator);
  }
  if (typeof value === "object") {
    return Object.entries(value)
      .map(([name, one]) => `${inWords(name)} ${describeField(one, timeZone)}`)
      .join(", ");
  }
  return JSON.stringify(value);
}

type Edit = { readonly action: string; readonly before: Fields | null; readonly after: Fields | null };

/** What an edit changed, by the names of the fields; of what was made or deleted all of it is meant. */
export function namesOfChanges({ action, before, after }: Edit): string {
  const isEdit = before !== null && after !== null && !action.endsWith(".deleted");
  return isEdit ? differingFields(before, after).map(nameOfField).join(", ") : "";
}

/** The fields in which they differ, in the order of the alphabet of their names. */
export function differingFields(before: Fields | null, after: Fields | null): readonly string[] {
  const [was, is] = [before ?? {}, after ?? {}];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .filter((field) => JSON.stringify(was[field] ?? null) !== JSON.stringify(is[field] ?? null))
    .toSorted((one, other) => nameOfField(one).localeCompare(nameOfField(other)));
}
