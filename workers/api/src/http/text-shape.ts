/** Text that people type and Postgres can store: no NUL and no lone surrogate. */
import { z } from "@hono/zod-openapi";

export function plainText(maxLength: number) {
  return z
    .string()
    .max(maxLength)
    .refine(
      (text) => !text.includes("\u0000") && text.isWellFormed(),
      "is not valid text: remove control characters",
    );
}
