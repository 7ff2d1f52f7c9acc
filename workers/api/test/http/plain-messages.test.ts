import { z } from "@hono/zod-openapi";
import { expect, it } from "vitest";
import { usePlainMessages } from "../../src/http/plain-messages.ts";

usePlainMessages();

it.each([
  [z.string(), undefined, "is missing: send it"],
  [z.string(), 1, "is not text: send that"],
  [z.number().int(), 1.5, "is not a whole number: send that"],
  [z.enum(["true", "false"]), "yes", "is not possible: use true, false"],
  [z.string().max(3), "four", "is too long: write at most 3 characters"],
  [z.string().min(1), "", "is too short: write at least 1 character"],
  [z.array(z.string()).max(1), ["a", "b"], "has too many values: send at most 1"],
  [z.number().max(100), 101, "is too large: send at most 100"],
  [z.email(), "ada", "is not an email address: write it as ada@example.com"],
  [z.string().regex(/^a$/), "b", "does not have the form that the documentation shows: correct it"],
  [z.string().regex(/^a$/, "is not an a"), "b", "is not an a"],
])("%#: what is wrong with %j, then what to do", (schema, value, message) => {
  expect(schema.safeParse(value).error?.issues.map((issue) => issue.message)).toEqual([message]);
});
