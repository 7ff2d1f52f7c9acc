/** /api/v1/domains: create, list, read, verify, change, delete. */
import { createRoute } from "@hono/zod-openapi";
import type { ApiDeps } from "../api-deps.ts";
import { newEntityId, readEntityId, requireFound } from "../http/entity-id.ts";
import {
  BODY_PROBLEMS,
  IDEMPOTENCY_PROBLEMS,
  IdempotencyHeader,
  freshly,
  jsonAnswer,
  jsonBody,
  needs,
  NO_CONTENT,
  NOT_MODIFIED,
  operation,
  problems,
} from "../http/operation.ts";
import { pageOf, PageQuery, readPageById } from "../http/page.ts";
import { invalidField, ProblemError } from "../http/problem.ts";
import { requireUnchanged } from "../http/read-only.ts";
import { changeDomain } from "./change-domain.ts";
import { checkDomain } from "./check-domain.ts";
import {
  CreateDomainBody,
  DeleteDomainQuery,
  DomainBody,
  DomainParams,
  MOVING,
  readOnlyOfDomain,
  toDomain,
  UpdateDomainBody,
  VerificationBody,
} from "./domain-shape.ts";
import { findDomainById, insertDomain, listDomains } from "./domain-store.ts";
import { readClicks } from "../removed-clicks.ts";
import { deleteDomain } from "./remove-domain.ts";

const createDomainRoute = createRoute({
  method: "post",
  path: "/api/v1/domains",
  operationId: "createDomain",
  summary: "Add a short domain",
  description:
    "It is `pending` until its owner proves it: add the TXT record in `proof.record`, then call `verify`. Hosts that the operator of the deployment vouches for are `active` at once. Of two workspaces that add the same host, the first to prove it gets it.",
  tags: ["Domains"],
  ...needs("admin"),
  request: { headers: IdempotencyHeader, body: jsonBody(CreateDomainBody, { host: "go.example.com" }) },
  responses: {
    201: jsonAnswer("The new domain.", DomainBody),
    ...problems(...BODY_PROBLEMS, ...IDEMPOTENCY_PROBLEMS, "domain_taken"),
  },
});

export function createDomainOperation({ database, publisher, vouchedSuffixes }: ApiDeps) {
  return operation(createDomainRoute, async (context) => {
    const { workspaceId } = context.get("principal");
    const { readHostName } = await import("./host-name.ts");
    const name = readHostName(context.req.valid("json").host, vouchedSuffixes);
    if (!name.ok) {
      throw invalidField("host", name.error);
    }
    const lease = publisher.newLease();
    const insert = (id: string) => insertDomain(database, { id, workspaceId, ...name.value }, lease);
    const first = await insert(context.get("newIds").idAt(0));
    // What an earlier attempt of this request made, and was deleted since, is made again under another id.
    const inserted = first === "deleted" ? await insert(newEntityId()) : first;
    if (inserted === null || inserted === "deleted") {
      throw new ProblemError("domain_taken", [{ path: "host", message: "is in use: choose another one" }]);
    }
    await publisher.publish(inserted.changes, lease);
    return context.json(toDomain(inserted.stored), 201);
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
    ...problems("cursor_invalid"),
  },
});

export function listDomainsOperation({ database }: ApiDeps) {
  return operation(listDomainsRoute, async (context) => {
    const { workspaceId } = context.get("principal");
    const { rows, nextCursor } = await readPageById("domains", context.req.valid("query"), (page) =>
      listDomains(database, workspaceId, page),
    );
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

export function readDomainOperation({ database }: ApiDeps) {
  return operation(readDomainRoute, async (context) => {
    const domainId = readEntityId("dom", context.req.valid("param").domainId);
    const stored = await findDomainById(database, context.get("principal").workspaceId, domainId);
    return context.json(toDomain(requireFound(stored)), 200);
  });
}

const verifyDomainRoute = createRoute({
  method: "post",
  path: "/api/v1/domains/{domainId}/verify",
  operationId: "verifyDomain",
  summary: "Look up a short domain's TXT record now",
  description:
    "Answers what DNS says, and makes the domain `active` if the record is there. DNS remembers for a while that a record is missing, mostly for some minutes: if you have just added it and it is not seen, try again later.",
  tags: ["Domains"],
  ...needs("admin"),
  request: { params: DomainParams, headers: IdempotencyHeader },
  responses: {
    200: jsonAnswer("What was seen, and the domain after it.", VerificationBody),
    ...problems(...IDEMPOTENCY_PROBLEMS, "not_found", "domain_taken"),
  },
});

export function verifyDomainOperation(deps: ApiDeps) {
  return operation(verifyDomainRoute, async (context) => {
    const domainId = readEntityId("dom", context.req.valid("param").domainId);
    const { workspaceId } = context.get("principal");
    const check = async () =>
      checkDomain(requireFound(await findDomainById(deps.database, workspaceId, domainId)), "request", deps);
    // The second time, the domain is what another check has just made of it.
    const { domain, ...saw } = requireFound((await check()) ?? (await check()));
    return context.json({ domain: toDomain(domain), ...saw }, 200);
  });
}

const updateDomainRoute = createRoute({
  method: "patch",
  path: "/api/v1/domains/{domainId}",
  operationId: "updateDomain",
  summary: "Change a short domain's settings",
  description: "Takes effect everywhere as fast as a change of a link.",
  tags: ["Domains"],
  ...needs("admin"),
  request: {
    params: DomainParams,
    body: jsonBody(UpdateDomainBody, { rootUrl: "https://example.com/", title: "Example" }),
  },
  responses: {
    200: jsonAnswer("The domain after the change.", DomainBody),
    ...problems(...BODY_PROBLEMS, "not_found", "domain_pending", "busy"),
  },
});

export function updateDomainOperation(deps: ApiDeps) {
  return operation(updateDomainRoute, async (context) => {
    const { workspaceId } = context.get("principal");
    const domainId = readEntityId("dom", context.req.valid("param").domainId);
    const body = context.req.valid("json");
    const readOnly = readOnlyOfDomain(body);
    if (readOnly !== null) {
      const found = requireFound(await findDomainById(deps.database, workspaceId, domainId));
      requireUnchanged(readOnly, toDomain(found), MOVING);
    }
    const isChanged = await changeDomain({ workspaceId, domainId }, body, deps);
    const stored = isChanged ? await findDomainById(deps.database, workspaceId, domainId) : null;
    return context.json(toDomain(requireFound(stored)), 200);
  });
}

const deleteDomainRoute = createRoute({
  method: "delete",
  path: "/api/v1/domains/{domainId}",
  operationId: "deleteDomain",
  summary: "Delete a short domain",
  description:
    "With `links=true` its links are deleted with it. Visitors get nothing from it at once. The host is free again as soon as all of its addresses are published as deleted: at once for a few hundred links, some minutes for many. Clicks stay in the analytics, under its name.",
  tags: ["Domains"],
  ...freshly(needs("admin")),
  request: { params: DomainParams, query: DeleteDomainQuery },
  responses: { ...NO_CONTENT, ...problems("sign_in_again", "not_found", "domain_in_use") },
});

export function deleteDomainOperation(deps: ApiDeps) {
  return operation(deleteDomainRoute, async (context) => {
    const { workspaceId } = context.get("principal");
    const domainId = readEntityId("dom", context.req.valid("param").domainId);
    const { links, clicks } = context.req.valid("query");
    const extent = {
      withLinks: links,
      withClicks: readClicks(clicks, context.get("principal")),
    };
    if (!(await deleteDomain({ workspaceId, domainId }, extent, deps))) {
      requireFound(await findDomainById(deps.database, workspaceId, domainId));
      throw new ProblemError("domain_in_use");
    }
    return context.body(null, 204);
  });
}
