/** Text that people type and Postgres can store: no NUL and no lone surrogate. */
import { z } from "@hono/zod-openapi";

export function plainText(maxLength: number) {
  return z.string().max(maxLength).refine(isPlainText, "is not valid text: remove control characters");
}

export function isPlainText(text: string): boolean {
  return !text.includes("\u0000") && text.isWellFormed();
}
