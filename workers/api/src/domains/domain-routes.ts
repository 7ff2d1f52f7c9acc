/** /api/v1/domains: create, list, read, delete. */
import { createRoute } from "@hono/zod-openapi";
import type { ApiDeps } from "../api-deps.ts";
import { CreateDomainBody, DomainBody, DomainParams, toDomain } from "./domain-shape.ts";
import { newEntityId, readEntityId } from "../http/entity-id.ts";
import {
  BODY_PROBLEMS,
  IDEMPOTENCY_PROBLEMS,
  IdempotencyHeader,
  jsonAnswer,
  jsonBody,
  needs,
  NO_CONTENT,
  NOT_MODIFIED,
  operation,
  problems,
} from "../http/operation.ts";
import { cutPage, decodeCursor, pageOf, PageQuery } from "../http/page.ts";
import { ProblemError } from "../http/problem.ts";
import { deleteDomain, findDomainById, insertDomain, listDomains } from "./domain-store.ts";

const ORDER = "domains";

const createDomainRoute = createRoute({
  method: "post",
  path: "/api/v1/domains",
  operationId: "createDomain",
  summary: "Add a short domain",
  description:
    "Links can be made on it at once. Visitors reach them when the deployment has a route or custom domain for the host.",
  tags: ["Domains"],
  ...needs("admin"),
  request: { headers: IdempotencyHeader, body: jsonBody(CreateDomainBody, { host: "go.example.com" }) },
  responses: {
    201: jsonAnswer("The new domain.", DomainBody),
    ...problems(...BODY_PROBLEMS, ...IDEMPOTENCY_PROBLEMS, "domain_taken"),
  },
});

export function createDomainOperation(deps: ApiDeps) {
  return operation(createDomainRoute, async (context) => {
    const { workspaceId } = context.get("principal");
    const { host } = context.req.valid("json");
    const stored = await insertDomain(deps.database, { id: newEntityId(), workspaceId, host });
    if (stored === null) {
      throw new ProblemError("domain_taken", [{ path: "host", message: "Choose another one." }]);
    }
    return context.json(toDomain(stored), 201);
  });
}

const listDomainsRoute = createRoute({
  method: "get",
  path: "/api/v1/domains",
  operationId: "listDomains",
  summary: "List short domains, newest first",
  tags: ["Domains"],
  ...needs("links:read"),
  request: { query: PageQuery },
  responses: {
    200: jsonAnswer("A page of domains.", pageOf(DomainBody)),
    ...NOT_MODIFIED,
    ...problems("invalid", "cursor_invalid"),
  },
});

export function listDomainsOperation(deps: ApiDeps) {
  return operation(listDomainsRoute, async (context) => {
    const { limit, cursor } = context.req.valid("query");
    const afterId = decodeCursor(cursor, ORDER)?.id ?? null;
    const { workspaceId } = context.get("principal");
    const found = await listDomains(deps.database, workspaceId, { afterId, limit: limit + 1 });
    const { rows, nextCursor } = cutPage(found, limit, ({ id }) => ({ order: ORDER, value: "", id }));
    return context.json({ data: rows.map(toDomain), nextCursor }, 200);
  });
}

const readDomainRoute = createRoute({
  method: "get",
  path: "/api/v1/domains/{domainId}",
  operationId: "readDomain",
  summary: "Read a short domain",
  tags: ["Domains"],
  ...needs("links:read"),
  request: { params: DomainParams },
  responses: { 200: jsonAnswer("The domain.", DomainBody), ...NOT_MODIFIED, ...problems("not_found") },
});

export function readDomainOperation(deps: ApiDeps) {
  return operation(readDomainRoute, async (context) => {
    const domainId = readEntityId("dom", context.req.valid("param").domainId);
    const stored = await findDomainById(deps.database, context.get("principal").workspaceId, domainId);
    if (stored === null) {
      throw new ProblemError("not_found");
    }
    return context.json(toDomain(stored), 200);
  });
}

const deleteDomainRoute = createRoute({
  method: "delete",
  path: "/api/v1/domains/{domainId}",
  operationId: "deleteDomain",
  summary: "Remove a short domain that has no links",
  tags: ["Domains"],
  ...needs("admin"),
  request: { params: DomainParams },
  responses: { ...NO_CONTENT, ...problems("not_found", "domain_in_use") },
});

export function deleteDomainOperation(deps: ApiDeps) {
  return operation(deleteDomainRoute, async (context) => {
    const { workspaceId } = context.get("principal");
    const domainId = readEntityId("dom", context.req.valid("param").domainId);
    if (!(await deleteDomain(deps.database, workspaceId, domainId))) {
      const isThere = (await findDomainById(deps.database, workspaceId, domainId)) !== null;
      throw new ProblemError(isThere ? "domain_in_use" : "not_found");
    }
    return context.body(null, 204);
  });
}
