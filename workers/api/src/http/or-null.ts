import { z } from "@hono/zod-openapi";

/**
 * A schema with a name in the document, or `null`. `nullable()` would give the name to both, and then it is nullable wherever it is
 * used.
 */
export function orNull<Schema extends z.ZodType>(schema: Schema) {
  return z.union([schema, z.null()]);
}
