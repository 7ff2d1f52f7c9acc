/**
 * What a schema says of a value where it has no message of its own: what is wrong, then what to do. It follows the field's name, as
 * in `limit is too large: send at most 100`.
 */
import { z } from "@hono/zod-openapi";

const TYPES: { readonly [type: string]: string } = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

const FORMATS: { readonly [format: string]: string } = {
  email: "is not an email address: write it as ada@example.com",
  url: "is not a URL: write it as https://example.com",
  datetime: "is not a time: write it as 2026-11-21T09:30:00Z",
  date: "is not a date: write it as 2026-11-21",
};

/** For all schemas; those of libraries in this Worker too. */
export function usePlainMessages(): void {
  z.config({ localeError: describeIssue });
}

function describeIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? "is missing: send it"
        : `is not ${TYPES[issue.expected] ?? issue.expected}: send that`;
    case "invalid_value":
      return `is not possible: use ${issue.values.map(String).join(", ")}`;
    case "invalid_format":
      return FORMATS[issue.format] ?? "does not have the form that the documentation shows: correct it";
    case "too_big":
      return describeSize(issue.origin, "big", Number(issue.maximum));
    case "too_small":
      return describeSize(issue.origin, "small", Number(issue.minimum));
    case "invalid_union":
      return "has none of the forms that the documentation shows: correct it";
    case "custom":
    case "invalid_element":
    case "invalid_key":
    case "not_multiple_of":
    // Named by the fields that it lists (problem.ts).
    case "unrecognized_keys":
      return "is not valid: see the documentation";
  }
}

function describeSize(origin: string, size: "big" | "small", limit: number): string {
  const most = `at ${size === "big" ? "most" : "least"} ${limit}`;
  if (origin === "string") {
    return `is too ${size === "big" ? "long" : "short"}: write ${most} ${limit === 1 ? "character" : "characters"}`;
  }
  if (origin === "array" || origin === "set" || origin === "map" || origin === "object") {
    return `has too ${size === "big" ? "many" : "few"} values: send ${most}`;
  }
  return `is too ${size === "big" ? "large" : "small"}: send ${most}`;
}
