/** /api/v1/domains/{domainId}/logo: the picture in the QR codes of a domain's links. */
import { z } from "@hono/zod-openapi";
import type { ApiDeps } from "../api-deps.ts";
import { DomainBody, DomainParams, toDomain } from "../domains/domain-shape.ts";
import { findDomainById } from "../domains/domain-store.ts";
import { pendingDomain } from "../domains/pending-domain.ts";
import { readEntityId, requireFound } from "../http/entity-id.ts";
import { endpoint } from "../http/endpoint.ts";
import { jsonAnswer, needs, NO_CONTENT } from "../http/operation.ts";
import { invalidField } from "../http/problem.ts";
import { MAX_LOGO_BYTES } from "../http/request-limits.ts";
import { MAX_SIDE } from "./qr-limits.ts";
import { findLogo, removeLogo, storeLogo } from "./logo-store.ts";

const picture = z.string().openapi({ type: "string", format: "binary" });

export const setDomainLogoOperation = endpoint({
  method: "put",
  path: "/api/v1/domains/{domainId}/logo",
  operationId: "setDomainLogo",
  summary: "Set the logo in the QR codes of a domain's links",
  description: `A PNG of at most ${MAX_LOGO_BYTES / 1_024} KiB and ${MAX_SIDE} × ${MAX_SIDE} pixels, not interlaced; other formats are refused. A transparent background looks best. It is scaled down to 256 pixels and encoded again, and is in every code drawn from then on, unless \`logo=false\` is asked for.`,
  tags: ["Domains"],
  "x-max-body-bytes": MAX_LOGO_BYTES,
  ...needs("admin"),
  request: {
    params: DomainParams,
    body: { required: true, content: { "image/png": { schema: picture } } },
  },
  responses: { 200: jsonAnswer("The domain with its logo.", DomainBody) },
  problems: ["not_found", "domain_pending"],
}).handle(async (context, { database }: ApiDeps) => {
  const { workspaceId } = context.get("principal");
  const domainId = readEntityId("dom", context.req.valid("param").domainId);
  const found = requireFound(await findDomainById(database, workspaceId, domainId));
  if (found.proof === "pending") {
    throw pendingDomain(found, "logo");
  }
  const { readLogo } = await import("./logo.ts");
  const read = readLogo(new Uint8Array(await context.req.arrayBuffer()));
  if (!read.ok) {
    throw invalidField("logo", read.error);
  }
  const isStored = await storeLogo(database, { workspaceId, domainId }, read.logo);
  const stored = isStored ? await findDomainById(database, workspaceId, domainId) : null;
  return context.json(toDomain(requireFound(stored)), 200);
});

export const readDomainLogoOperation = endpoint({
  method: "get",
  path: "/api/v1/domains/{domainId}/logo",
  operationId: "readDomainLogo",
  summary: "Read a domain's logo, as it is kept",
  tags: ["Domains"],
  ...needs("links:read", { reach: "links" }),
  request: { params: DomainParams },
  responses: { 200: { description: "The picture.", content: { "image/png": { schema: picture } } } },
  problems: ["not_found"],
}).handle(async (context, { database }: ApiDeps) => {
  const { workspaceId } = context.get("principal");
  const domainId = readEntityId("dom", context.req.valid("param").domainId);
  const { png, hash } = requireFound(await findLogo(database, { workspaceId, domainId }));
  return context.body(png, 200, { "content-type": "image/png", etag: `"${hash}"` });
});

export const deleteDomainLogoOperation = endpoint({
  method: "delete",
  path: "/api/v1/domains/{domainId}/logo",
  operationId: "deleteDomainLogo",
  summary: "Remove a domain's logo",
  description: "Codes drawn from then on have none. Browsers may show one with it for an hour.",
  tags: ["Domains"],
  ...needs("admin"),
  request: { params: DomainParams },
  responses: NO_CONTENT,
  problems: ["not_found"],
}).handle(async (context, { database }: ApiDeps) => {
  const { workspaceId } = context.get("principal");
  const domainId = readEntityId("dom", context.req.valid("param").domainId);
  requireFound(await removeLogo(database, { workspaceId, domainId }));
  return context.body(null, 204);
});
