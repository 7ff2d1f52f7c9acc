/**
 * A request's id: in the answer's `X-Request-Id`, in the body of a problem and in log lines about the request. It is the ray
 * id where Cloudflare gives one, which is in Cloudflare's own logs too.
 */
import { createMiddleware } from "hono/factory";
import type { ApiContext } from "./authenticate.ts";

const RAY_ID = /^[0-9a-f]{16}(?:-[A-Z]{3})?$/;

export const identifyRequest = createMiddleware<ApiContext>(async (context, next) => {
  const ray = context.req.header("cf-ray") ?? "";
  const requestId = RAY_ID.test(ray) ? ray : crypto.randomUUID();
  context.set("requestId", requestId);
  await next();
  context.header("x-request-id", requestId);
});
