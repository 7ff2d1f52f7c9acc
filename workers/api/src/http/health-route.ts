/** GET /api/health */
import { createRoute, z } from "@hono/zod-openapi";
import type { ApiDeps } from "../api-deps.ts";
import { checkHealth, type Health } from "./health.ts";
import { jsonAnswer, operation } from "./operation.ts";

const DependencyBody = z.object({ status: z.enum(["ok", "down"]), latencyMs: z.number().int() });

const HealthBody = z
  .object({
    status: z.enum(["ok", "degraded", "down"]).openapi({
      description:
        "`degraded`: KV or the change feed does not answer, so changes reach the edge late. `down`: the database does not answer; known links go on redirecting.",
    }),
    dependencies: z.object({ database: DependencyBody, kv: DependencyBody, feed: DependencyBody }),
  })
  .openapi("Health");

const route = createRoute({
  method: "get",
  path: "/api/health",
  operationId: "readHealth",
  summary: "Check each dependency",
  description: "Needs no key and names nothing but what answers, and how fast.",
  tags: ["Operation"],
  responses: {
    200: jsonAnswer("The API can answer.", HealthBody),
    503: jsonAnswer("The database does not answer.", HealthBody),
  },
});

export function readHealthOperation(deps: ApiDeps) {
  return operation(route, async (context) => {
    const health = await checkHealth(deps);
    context.header("cache-control", "no-store");
    const status = toStatus(health);
    const dependencies = {
      database: toBody(health.database),
      kv: toBody(health.kv),
      feed: toBody(health.feed),
    };
    return context.json({ status, dependencies }, status === "down" ? 503 : 200);
  });
}

function toStatus({ database, kv, feed }: Health): z.infer<typeof HealthBody>["status"] {
  if (!database.isUp) {
    return "down";
  }
  return kv.isUp && feed.isUp ? "ok" : "degraded";
}

function toBody({ isUp, latencyMs }: Health["database"]): z.infer<typeof DependencyBody> {
  return { status: isUp ? "ok" : "down", latencyMs };
}
