/** Text that people type, fit for Postgres: no NUL, which no text column takes, and no half surrogate pair. */
import { z } from "@hono/zod-openapi";

export function plainText(maxLength: number) {
  return z
    .string()
    .max(maxLength)
    .refine((text) => !text.includes("\u0000") && text.isWellFormed(), "holds characters that are no text");
}
