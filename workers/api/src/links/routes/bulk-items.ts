/** What requests for many links have in common: their items, and a result of each. */
import { z } from "@hono/zod-openapi";
import { type createFaultBudget, PROBLEMS } from "../../http/problem.ts";
import type { Refused } from "../change-links.ts";
import { LinkBody } from "../link-shape.ts";

const MAX_ITEMS = 500;

/** Hashing is slow by design: 50 passwords take about a second of CPU time (100,000 rounds of PBKDF2 each). */
export const MAX_PASSWORDS = 50;

/**
 * Of one request. Items are parsed one by one, so that one that is not valid does not hold the others up.
 *
 * @param name of their schema in the document.
 */
export function itemsOf(name: string) {
  const item = z.unknown().openapi({ allOf: [{ $ref: `#/components/schemas/${name}` }] });
  return z.array(item).min(1).max(MAX_ITEMS);
}

export const ItemResult = z.object({
  index: z.number().int(),
  status: z.number().int().openapi({ description: "The status that the link alone would have answered." }),
  link: LinkBody.optional(),
  code: z.string().optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

/** Refuses the items whose password is one too many. */
export function limitPasswords<Item extends object>(
  items: readonly (Item | Refused)[],
  passwordOf: (item: Item) => string | null | undefined,
): readonly (Item | Refused)[] {
  let passwords = 0;
  return items.map((item) => {
    if ("code" in item || typeof passwordOf(item) !== "string") {
      return item;
    }
    passwords += 1;
    return passwords <= MAX_PASSWORDS
      ? item
      : toInvalid(
          "password",
          `is one of more than ${MAX_PASSWORDS} in this request: send the item in the next one`,
        );
  });
}

export function toInvalid(path: string, message: string): Refused {
  return { code: "invalid", errors: [{ path, message }] };
}

/** The result of an item that was refused. */
export function toRefusal(
  index: number,
  { code, errors }: Refused,
  withinBudget: ReturnType<typeof createFaultBudget>,
) {
  const named = withinBudget(errors);
  return {
    index,
    status: PROBLEMS[code].status,
    code,
    ...(named.length > 0 ? { errors: [...named] } : {}),
  };
}
