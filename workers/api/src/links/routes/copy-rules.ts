/** POST /api/v1/links/{linkId}/rules/copy: the rules of another link, as they are now; later changes there stay there. */
import { z } from "@hono/zod-openapi";
import type { ApiDeps } from "../../api-deps.ts";
import { parsePublicId, readEntityId, requireFound } from "../../http/entity-id.ts";
import { IfMatchHeader, readIfMatch, versionTag } from "../../http/entity-tag.ts";
import { endpoint } from "../../http/endpoint.ts";
import { IdempotencyHeader, jsonAnswer, jsonBody, needs } from "../../http/operation.ts";
import { invalidField } from "../../http/problem.ts";
import { plainText } from "../../http/text-shape.ts";
import { changeLink } from "../change-link.ts";
import { LinkBody, LinkParams, toLink } from "../link-shape.ts";
import { readWritten } from "../smart-shape.ts";
import { findLink, findLinks } from "../store/link-store.ts";

const EXAMPLE = "lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f";
const CopyRulesBody = z
  .strictObject({ from: plainText(100).openapi({ description: "The id of a link.", example: EXAMPLE }) })
  .openapi("CopyRules");

export const copyRulesOperation = endpoint({
  method: "post",
  path: "/api/v1/links/{linkId}/rules/copy",
  operationId: "copyRules",
  summary: "Give a link the rules of another one",
  description:
    "They take the place of its own rules, with their ids and names, those that are switched off too. What is changed at the other link later stays there.",
  tags: ["Links"],
  ...needs("links:write", { reach: "links" }),
  request: {
    params: LinkParams,
    headers: IfMatchHeader.extend(IdempotencyHeader.shape),
    body: jsonBody(CopyRulesBody, { from: EXAMPLE }),
  },
  responses: { 200: jsonAnswer("The link after the change.", LinkBody) },
  problems: ["not_found", "version_mismatch", "busy", "domain_pending"],
}).handle(async (context, deps: ApiDeps) => {
  const { database } = deps;
  const { workspaceId } = context.get("principal");
  const linkId = readEntityId("lnk", context.req.valid("param").linkId);
  const from = parsePublicId("lnk", context.req.valid("json").from);
  const found = await findLinks(database, workspaceId, from === null ? [linkId] : [linkId, from]);
  requireFound(found.find(({ id }) => id === linkId) ?? null);
  const source = found.find(({ id }) => id === from);
  if (source === undefined) {
    throw invalidField("from", "is no link that you may read: give the id of one, lnk_…");
  }
  const rules = readWritten(source.smart).rules ?? null;
  const ifMatch = readIfMatch(context.req.header("if-match"));
  const written = await changeLink({ workspaceId, linkId, ifMatch }, { smart: { rules } }, deps);
  const link = toLink(requireFound(written === null ? null : await findLink(database, workspaceId, linkId)));
  context.header("etag", await versionTag(link.version, link));
  return context.json(link, 200);
});
