/** PATCH /api/v1/domains/{domainId} */
import { createRoute } from "@hono/zod-openapi";
import type { ApiDeps } from "../api-deps.ts";
import { changeDomain } from "./change-domain.ts";
import { DomainBody, DomainParams, toDomain, UpdateDomainBody } from "./domain-shape.ts";
import { readEntityId } from "../http/entity-id.ts";
import { BODY_PROBLEMS, jsonAnswer, jsonBody, needs, operation, problems } from "../http/operation.ts";
import { ProblemError } from "../http/problem.ts";
import { findDomainById } from "./domain-store.ts";

const route = createRoute({
  method: "patch",
  path: "/api/v1/domains/{domainId}",
  operationId: "updateDomain",
  summary: "Change what a short domain answers",
  description: "In effect everywhere as fast as a change of a link.",
  tags: ["Domains"],
  ...needs("admin"),
  request: {
    params: DomainParams,
    body: jsonBody(UpdateDomainBody, { rootUrl: "https://example.com/", title: "Example" }),
  },
  responses: {
    200: jsonAnswer("The domain as it is now.", DomainBody),
    ...problems(...BODY_PROBLEMS, "not_found"),
  },
});

export function updateDomainOperation(deps: ApiDeps) {
  return operation(route, async (context) => {
    const { workspaceId } = context.get("principal");
    const domainId = readEntityId("dom", context.req.valid("param").domainId);
    const isChanged = await changeDomain({ workspaceId, domainId }, context.req.valid("json"), deps);
    const stored = isChanged ? await findDomainById(deps.database, workspaceId, domainId) : null;
    if (stored === null) {
      throw new ProblemError("not_found");
    }
    return context.json(toDomain(stored), 200);
  });
}
