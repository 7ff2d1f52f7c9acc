/** POST /api/v1/links/{linkId}/resolve: what a given visitor would get, and why. */
import { parseInstant } from "@hopline/core/rules/compile/instant";
import type { ApiDeps } from "../../api-deps.ts";
import { defaultStatusOf, readRecord } from "../compile-record.ts";
import { readEntityId, requireFound } from "../../http/entity-id.ts";
import { LinkParams } from "../link-shape.ts";
import { endpoint } from "../../http/endpoint.ts";
import { IdempotencyHeader, jsonAnswer, jsonBody, needs } from "../../http/operation.ts";
import { invalidField } from "../../http/problem.ts";
import { resolveLink, SUSPENDED } from "../resolve-link.ts";
import { ResolutionBody, ResolveBody } from "../resolve-shape.ts";
import { readWritten } from "../smart-shape.ts";
import { findAlias } from "./link-aliases.ts";
import { findRecord } from "../store/link-store.ts";

export const resolveLinkOperation = endpoint({
  method: "post",
  path: "/api/v1/links/{linkId}/resolve",
  operationId: "resolveLink",
  summary: "Ask what a visitor would get, and why",
  description: "Evaluates the link like the redirect does. Counts no click and uses up no cap.",
  tags: ["Links"],
  ...needs("links:read", { reach: "links" }),
  request: {
    params: LinkParams,
    headers: IdempotencyHeader,
    body: jsonBody(ResolveBody, { country: "DE", language: "de-DE", os: "iOS" }),
  },
  responses: { 200: jsonAnswer("What the visitor would get.", ResolutionBody) },
  problems: ["not_found"],
}).handle(async (context, deps: ApiDeps) => {
  const { workspaceId } = context.get("principal");
  const linkId = readEntityId("lnk", context.req.valid("param").linkId);
  const input = context.req.valid("json");
  const atMs = input.at === undefined ? deps.nowMs() : parseInstant(input.at);
  if (atMs === null) {
    throw invalidField("at", "is not an RFC 3339 instant: write it as 2027-01-01T00:00:00Z");
  }
  const found = requireFound(await findRecord(deps.database, workspaceId, linkId));
  const { slug } = found;
  const alias = input.alias === null ? null : findAlias(found.aliases, input.alias);
  if (alias === undefined) {
    throw invalidField("alias", "is no alias of this link: leave it out for the slug");
  }
  if (found.isSuspended) {
    return context.json({ ...SUSPENDED, alias }, 200);
  }
  const record = readRecord(found.record);
  const followed = { redirectStatus: defaultStatusOf({ redirectStatus: found.domainStatus }) };
  const current = record.followsDomain === true ? { ...record, ...followed } : record;
  const written = readWritten(found.smart);
  return context.json(resolveLink({ record: current, written, slug, alias }, input, atMs), 200);
});
