/**
 * /api/v1/operators: what the person who runs the deployment may see and do in all workspaces. Nothing of a workspace is deleted
 * or changed here but its limits and whether its links lead anywhere; each act is in that workspace's audit log.
 */
import { z } from "@hono/zod-openapi";
import { FORWARDING_END, parseSlug } from "@hopline/core/link/link-address";
import type { ApiDeps } from "../api-deps.ts";
import { entityIdParam, readEntityId, requireFound, toPublicId } from "../http/entity-id.ts";
import { findRow, listOf, listQuery, listRows, SORTS } from "../http/list-rows.ts";
import { orNull } from "../http/or-null.ts";
import { endpoint } from "../http/endpoint.ts";
import {
  freshly,
  IdempotencyHeader,
  jsonAnswer,
  jsonBody,
  needsPerson,
  NO_CONTENT,
} from "../http/operation.ts";
import { invalidField } from "../http/problem.ts";
import { plainText } from "../http/text-shape.ts";
import { toInstant } from "../instant.ts";
import { SuspensionBody, toSuspension } from "../domains/suspension.ts";
import { UsageBody } from "../usage/usage-routes.ts";
import { findUsage } from "../usage/usage-store.ts";
import { needsOperator } from "./needs-operator.ts";
import {
  allWorkspaces,
  type AnyWorkspace,
  lookUpLink,
  setLimits,
  suspend,
  type Suspending,
} from "./operator-store.ts";

const reason = plainText(500).trim().min(1);
const AnyWorkspaceBody = z
  .object({
    id: z.string().openapi({ example: "ws_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
    name: z.string(),
    owners: z.array(z.string()).openapi({ description: "Their email addresses." }),
    members: z.number().int(),
    suspension: orNull(SuspensionBody),
    createdAt: z.iso.datetime(),
  })
  .openapi("AnyWorkspace");

const toAnyWorkspace = (stored: AnyWorkspace) => ({
  id: toPublicId("ws", stored.id),
  name: stored.name,
  owners: [...stored.owners],
  members: stored.members,
  suspension: toSuspension(stored),
  createdAt: toInstant(stored.createdAtMs),
});

export const listAnyWorkspacesOperation = endpoint({
  method: "get",
  path: "/api/v1/operators/workspaces",
  operationId: "listAnyWorkspaces",
  summary: "List all workspaces of the deployment, newest first",
  tags: ["Operators"],
  ...needsOperator(),
  request: { query: listQuery("its name and its owners' addresses", SORTS) },
  responses: { 200: jsonAnswer("A page of workspaces.", listOf(AnyWorkspaceBody)) },
  problems: ["cursor_invalid"],
}).handle(async (context, deps: ApiDeps) => {
  const query = context.req.valid("query");
  const rows = allWorkspaces(deps.database);
  const { rows: found, ...page } = await listRows(deps.database, "any-workspaces", { rows, query });
  return context.json({ data: found.map(toAnyWorkspace), ...page }, 200);
});

const WorkspaceParams = z.object({ workspaceId: entityIdParam("ws") });
const WithUsage = AnyWorkspaceBody.extend({ usage: UsageBody }).openapi("AnyWorkspaceWithUsage");

export const readAnyWorkspaceOperation = endpoint({
  method: "get",
  path: "/api/v1/operators/workspaces/{workspaceId}",
  operationId: "readAnyWorkspace",
  summary: "Read any workspace, what it uses and its limits",
  tags: ["Operators"],
  ...needsOperator(),
  request: { params: WorkspaceParams },
  responses: { 200: jsonAnswer("The workspace.", WithUsage) },
  problems: ["not_found"],
}).handle(async (context, deps: ApiDeps) => {
  const workspaceId = readEntityId("ws", context.req.valid("param").workspaceId);
  const { database } = deps;
  const stored = requireFound(await findRow(allWorkspaces(database), workspaceId));
  const usage = await findUsage(database, workspaceId);
  return context.json({ ...toAnyWorkspace(stored), usage }, 200);
});

const limit = z.number().int().min(0).max(1e15).nullable();

export const setLimitsOperation = endpoint({
  method: "put",
  path: "/api/v1/operators/workspaces/{workspaceId}/limits",
  operationId: "setLimits",
  summary: "Set a workspace's limits",
  description: "Of links in all, and of clicks and requests a month; `null` is none.",
  tags: ["Operators"],
  ...needsOperator(freshly(needsPerson(null))),
  request: {
    params: WorkspaceParams,
    body: jsonBody(z.strictObject({ links: limit, clicks: limit, requests: limit }).openapi("SetLimits"), {
      links: 1_000_000,
      clicks: null,
      requests: null,
    }),
  },
  responses: NO_CONTENT,
  problems: ["not_found", "sign_in_again"],
}).handle(async (context, deps: ApiDeps) => {
  const workspaceId = readEntityId("ws", context.req.valid("param").workspaceId);
  requireFound(await setLimits(deps.database, workspaceId, context.req.valid("json")));
  return context.body(null, 204);
});

const SuspendBody = z
  .strictObject({
    suspension: orNull(z.strictObject({ reason })).openapi({
      description: "`null`: its links lead where they did before.",
    }),
  })
  .openapi("Suspend");
const suspendBody = jsonBody(SuspendBody, { suspension: { reason: "phishing, reported on 25 November" } });

export const suspendWorkspaceOperation = endpoint({
  method: "put",
  path: "/api/v1/operators/workspaces/{workspaceId}/suspension",
  operationId: "suspendWorkspace",
  summary: "Suspend a workspace, or let its links lead on",
  description: "Everywhere within two seconds. Domains that it adds later are suspended, too.",
  tags: ["Operators"],
  ...needsOperator(freshly(needsPerson(null))),
  request: { params: WorkspaceParams, body: suspendBody },
  responses: NO_CONTENT,
  problems: ["not_found", "sign_in_again"],
}).handle(async (context, deps: ApiDeps) => {
  const id = readEntityId("ws", context.req.valid("param").workspaceId);
  const { suspension } = context.req.valid("json");
  await publishSuspension({ kind: "workspace", id, reason: suspension?.reason ?? null }, deps);
  return context.body(null, 204);
});

export const suspendDomainOperation = endpoint({
  method: "put",
  path: "/api/v1/operators/domains/{domainId}/suspension",
  operationId: "suspendDomain",
  summary: "Suspend a domain of any workspace, or let its links lead on",
  description: "Everywhere within two seconds.",
  tags: ["Operators"],
  ...needsOperator(freshly(needsPerson(null))),
  request: { params: z.object({ domainId: entityIdParam("dom") }), body: suspendBody },
  responses: NO_CONTENT,
  problems: ["not_found", "sign_in_again"],
}).handle(async (context, deps: ApiDeps) => {
  const id = readEntityId("dom", context.req.valid("param").domainId);
  const { suspension } = context.req.valid("json");
  await publishSuspension({ kind: "domain", id, reason: suspension?.reason ?? null }, deps);
  return context.body(null, 204);
});

async function publishSuspension(target: Suspending, { database, publisher }: ApiDeps): Promise<void> {
  const lease = publisher.newLease();
  await publisher.publish(requireFound(await suspend(database, target, lease)), lease);
}

const LookUpBody = z
  .strictObject({
    address: plainText(2_000).openapi({ example: "https://go.example.com/spring" }),
    reason: reason.openapi({
      description: "For the workspace's audit log.",
      example: "reported as phishing",
    }),
  })
  .openapi("LookUpLink");

const LookedUpBody = z
  .object({
    workspace: z.object({ id: z.string(), name: z.string() }),
    domain: z.object({ id: z.string(), host: z.string(), suspension: orNull(SuspensionBody) }),
    link: orNull(z.object({ id: z.string(), url: z.string(), createdAt: z.iso.datetime() })),
  })
  .openapi("LookedUpLink");

export const lookUpLinkOperation = endpoint({
  method: "post",
  path: "/api/v1/operators/look-ups",
  operationId: "lookUpLink",
  summary: "Look for the link at an address, in all workspaces",
  description:
    "The address may be a host alone. Where there is no link, `link` is `null`. A domain that was deleted while suspended is found, too. The workspace's audit log says who looked, when and why.",
  tags: ["Operators"],
  ...needsOperator(needsPerson(null, { isRepeatable: true })),
  request: {
    headers: IdempotencyHeader,
    body: jsonBody(LookUpBody, { address: "https://go.example.com/spring", reason: "reported as phishing" }),
  },
  responses: { 200: jsonAnswer("What is there.", LookedUpBody) },
  problems: ["not_found"],
}).handle(async (context, deps: ApiDeps) => {
  const { address, reason: why } = context.req.valid("json");
  const found = requireFound(await lookUpLink(deps.database, { ...readAddress(address), reason: why }));
  return context.json(
    {
      workspace: { id: toPublicId("ws", found.workspaceId), name: found.workspaceName },
      domain: { id: toPublicId("dom", found.domainId), host: found.host, suspension: toSuspension(found) },
      link: found.link && {
        id: toPublicId("lnk", found.link.id),
        url: found.link.url,
        createdAt: toInstant(found.link.createdAtMs),
      },
    },
    200,
  );
});

/** With or without its scheme. Then what may forward it, the longest first. Of a host alone, no slugs. */
function readAddress(address: string) {
  const url = URL.parse(/^\s*https?:/i.test(address) ? address : `https://${address.trim()}`);
  if (url?.pathname === "/") {
    return { host: url.host, slugs: [] };
  }
  const slug = url === null ? null : parseSlug(url.pathname);
  if (url === null || slug === null) {
    throw invalidField(
      "address",
      "is not a short link: write it as https://go.example.com/slug, or its host alone",
    );
  }
  const parts = slug.split("/");
  const forwarding = parts.map((_, index) => parts.slice(0, parts.length - index).join("/") + FORWARDING_END);
  return { host: url.host, slugs: [slug, ...forwarding] };
}
