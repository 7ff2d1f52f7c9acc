/** GET /api/v1/links/available: whether a new link may have this slug. */
import { z } from "@hono/zod-openapi";
import { foldSlug } from "@hopline/core/link/link-address";
import type { ApiDeps } from "../../api-deps.ts";
import { pendingDomain } from "../../domains/pending-domain.ts";
import { endpoint } from "../../http/endpoint.ts";
import { jsonAnswer, needs } from "../../http/operation.ts";
import { ProblemError } from "../../http/problem.ts";
import { shortUrlOf } from "../../short-url.ts";
import { DomainName, OLDEST_DOMAIN, Slug } from "../link-shape.ts";
import { toStoredSlug } from "../plan-links.ts";
import { findAddresses } from "../store/insert-links.ts";

export const checkSlugOperation = endpoint({
  method: "get",
  path: "/api/v1/links/available",
  operationId: "checkSlug",
  summary: "Ask whether a slug is free",
  description:
    "A slug that a link has, or had before and keeps as an alias, is taken. Nothing is reserved: another request may take it next.",
  tags: ["Links"],
  ...needs("links:read", { reach: "links" }),
  request: {
    query: z.object({
      slug: Slug,
      domain: DomainName.optional().openapi({ description: OLDEST_DOMAIN }),
    }),
  },
  responses: {
    200: jsonAnswer(
      "Whether it is free, and the short URL that the link would get.",
      z
        .object({ available: z.boolean(), domain: z.string(), slug: z.string(), shortUrl: z.url() })
        .openapi("SlugAvailability"),
    ),
  },
  problems: ["no_domain", "domain_pending"],
}).handle(async (context, { database }: ApiDeps) => {
  const { workspaceId } = context.get("principal");
  const { slug, domain = null } = context.req.valid("query");
  const wanted = { domain, slug, foldedSlug: foldSlug(slug), destinationHost: "", externalId: null };
  const [found] = await findAddresses(database, workspaceId, [wanted]);
  if (found === undefined || found.domain === null) {
    throw new ProblemError("no_domain", [
      { path: "domain", message: "does not exist: create the domain first, or leave this out" },
    ]);
  }
  const { domain: stored, pendingToken, isSlugTaken } = found;
  if (pendingToken !== null) {
    throw pendingDomain({ ...stored, proofToken: pendingToken }, "domain");
  }
  const address = { host: stored.host, slug: toStoredSlug(slug, found) };
  return context.json(
    {
      available: !isSlugTaken,
      domain: address.host,
      slug: address.slug,
      shortUrl: shortUrlOf(address),
    },
    200,
  );
});
