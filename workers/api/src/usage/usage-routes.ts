/** GET /api/v1/usage: what the workspace has used in this month, and its limits. */
import { createRoute, z } from "@hono/zod-openapi";
import type { ApiDeps } from "../api-deps.ts";
import { jsonAnswer, needs, operation, problems } from "../http/operation.ts";
import { findUsage } from "./usage-store.ts";

const use = (description: string) =>
  z
    .object({ used: z.number().int(), limit: z.number().int().nullable() })
    .openapi({ description, example: { used: 120, limit: null } });

export const UsageBody = z
  .object({
    month: z.string().openapi({ description: "In UTC.", example: "2026-11" }),
    links: use("That are not deleted, whenever they were made."),
    clicks: use("Of every class, bots too, in this month."),
    requests: use("To the API, in this month."),
  })
  .openapi("Usage");

const route = createRoute({
  method: "get",
  path: "/api/v1/usage",
  operationId: "readUsage",
  summary: "Read what the workspace has used in this month, and its limits",
  description:
    "A limit is the operator's; `null` is none. Links never stop redirecting because of one. With `links` or `clicks` used up, no link can be created; with `requests` used up, keys are refused until the next month, and people are not: both are 402 `limit_reached`.",
  tags: ["Workspaces"],
  ...needs("links:read"),
  responses: { 200: jsonAnswer("The usage.", UsageBody), ...problems() },
});

export function readUsageOperation({ database }: ApiDeps) {
  return operation(route, async (context) => {
    // The question itself counts.
    context.header("cache-control", "no-store");
    return context.json(await findUsage(database, context.get("principal").workspaceId), 200);
  });
}
