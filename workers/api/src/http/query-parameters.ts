/**
 * The rules of every operation's query string. A parameter that the operation does not have is refused, so that a misspelt
 * filter is not ignored. A filter that may be repeated means any of its values; different filters have to match together.
 * Anything else may be sent once.
 */
import { z } from "@hono/zod-openapi";
import { ProblemError } from "./problem.ts";

/** The names of a schema's parameters; none without a schema. */
export function listQueryParameters(schema: unknown): readonly string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** Throws `ProblemError` invalid, with each parameter that is not among the names. */
export function requireKnownParameters(url: string, names: ReadonlySet<string>): void {
  const unknown = [...new Set(new URL(url).searchParams.keys())].filter((name) => !names.has(name));
  if (unknown.length > 0) {
    const message = "is not a parameter of this operation: correct its name, or leave it out";
    throw new ProblemError(
      "invalid",
      unknown.map((path) => ({ path, message })),
    );
  }
}

/** A parameter that may be given several times: `tag=a&tag=b`. */
export function repeatable<Item extends z.ZodType>(item: Item, maxItems: number) {
  return z.preprocess((value) => (typeof value === "string" ? [value] : value), z.array(item).max(maxItems));
}

/** `true` or `false`, and nothing else. */
export function flagParam(description: string, isOnIfLeftOut = false) {
  return z
    .enum(["true", "false"])
    .default(isOnIfLeftOut ? "true" : "false")
    .transform((text) => text === "true")
    .openapi({ type: "boolean", default: isOnIfLeftOut, description });
}

/** What a schema found wrong, with a better message for a parameter that came more often than it may. */
export function nameRepeated(issues: readonly z.core.$ZodIssue[], url: string): readonly z.core.$ZodIssue[] {
  const { searchParams } = new URL(url);
  return issues.map((issue) =>
    IS_OF_TYPE.has(issue.code) && searchParams.getAll(issue.path.join(".")).length > 1
      ? { ...issue, message: "was sent more than once: send it once" }
      : issue,
  );
}

const IS_OF_TYPE: ReadonlySet<string> = new Set(["invalid_type", "invalid_value"]);
