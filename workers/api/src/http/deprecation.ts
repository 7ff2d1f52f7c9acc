/**
 * Former paths of operations, kept for one release. Their answers say since when they are deprecated (RFC 9745) and which path
 * has taken their place (RFC 5829, `successor-version`).
 */
import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import type { ApiContext } from "./authenticate.ts";

/** With the release after 0.1 they go. */
const DEPRECATED_AT_MS = Date.UTC(2026, 10, 22);

/**
 * Part of a route's definition.
 *
 * @param successor the new last segment of the path: a reference that is relative to the request's.
 */
export function deprecated(middleware: readonly MiddlewareHandler<ApiContext>[], successor: string) {
  const tell = createMiddleware<ApiContext>(async (context, next) => {
    await next();
    context.header("deprecation", `@${DEPRECATED_AT_MS / 1_000}`);
    context.header("link", `<${successor}>; rel="successor-version"`);
  });
  return { deprecated: true, middleware: [tell, ...middleware] };
}
