/** /api/v1/links/{linkId}/history: what a link was in each version, who made it so, and putting a version back. */
import { z } from "@hono/zod-openapi";
import { NIL } from "uuid";
import type { ApiDeps } from "../../api-deps.ts";
import { ActorBody, toActor } from "../../audit/actor.ts";
import { toPublicFields } from "../../audit/public-fields.ts";
import { readEntityId, requireFound } from "../../http/entity-id.ts";
import { IfMatchHeader, readIfMatch, versionTag } from "../../http/entity-tag.ts";
import { endpoint } from "../../http/endpoint.ts";
import { IdempotencyHeader, jsonAnswer, needs } from "../../http/operation.ts";
import { orNull } from "../../http/or-null.ts";
import { cutPage, decodeCursor, pageOf, PageQuery } from "../../http/page.ts";
import { ProblemError } from "../../http/problem.ts";
import { toInstant } from "../../instant.ts";
import { changeLink } from "../change-link.ts";
import { LinkBody, LinkParams, toLink } from "../link-shape.ts";
import { findLink } from "../store/link-store.ts";
import { findVersion, listVersions, type StoredVersion } from "../store/version-store.ts";
import { toRevertedChange } from "../to-reverted-change.ts";

const ORDER = "history";

const fields = z.record(z.string(), z.unknown());

const VersionBody = z
  .object({
    version: z.number().int(),
    at: z.iso.datetime(),
    actor: orNull(ActorBody).openapi({ description: "`null`: from before authors were kept." }),
    before: fields.openapi({
      description: "The fields that this version changed, as they were; empty for the first.",
    }),
    after: fields.openapi({
      description:
        "The same as they were from then on; empty where the link was only published again. A password that changed is `(secret)`.",
    }),
    fields: fields.openapi({
      description: "Everything that an edit can change, as it was. What is absent was not set.",
    }),
  })
  .openapi("LinkVersion");

function toVersion(stored: StoredVersion): z.infer<typeof VersionBody> {
  return {
    version: stored.version,
    at: toInstant(stored.atMs),
    actor: stored.actor === null ? null : toActor(stored.actor, stored.actorName),
    before: toPublicFields(stored.before),
    after: toPublicFields(stored.after),
    fields: toPublicFields(stored.fields),
  };
}

export const listLinkHistoryOperation = endpoint({
  method: "get",
  path: "/api/v1/links/{linkId}/history",
  operationId: "listLinkHistory",
  summary: "List a link's versions with who made them, newest first",
  tags: ["Links"],
  ...needs("links:read", { reach: "links" }),
  request: { params: LinkParams, query: PageQuery },
  responses: { 200: jsonAnswer("A page of versions.", pageOf(VersionBody)) },
  problems: ["not_found", "cursor_invalid"],
}).handle(async (context, { database }: ApiDeps) => {
  const linkId = readEntityId("lnk", context.req.valid("param").linkId);
  const { limit, cursor } = context.req.valid("query");
  const position = decodeCursor(cursor, ORDER);
  const beforeVersion = position === null ? null : parseVersion(position.value);
  if (position !== null && beforeVersion === null) {
    throw new ProblemError("cursor_invalid");
  }
  requireFound(await findLink(database, context.get("principal").workspaceId, linkId));
  const found = await listVersions(database, linkId, { beforeVersion, limit: limit + 1 });
  const { rows, nextCursor } = cutPage(found, limit, ({ version }) => ({
    order: ORDER,
    value: String(version),
    id: NIL,
  }));
  return context.json({ data: rows.map(toVersion), nextCursor }, 200);
});

export const revertLinkOperation = endpoint({
  method: "post",
  path: "/api/v1/links/{linkId}/history/{version}/revert",
  operationId: "revertLink",
  summary: "Put a version of a link back",
  description:
    "Makes a new version that is as this one was: destination, slug, status, rules, limits, password and all else that an edit can change. A folder that is gone is left out. Clicks, and uses that count towards a cap, stay.",
  tags: ["Links"],
  ...needs("links:write", { reach: "links" }),
  request: {
    params: LinkParams.extend({ version: z.string().openapi({ example: "1" }) }),
    headers: IfMatchHeader.extend(IdempotencyHeader.shape),
  },
  responses: { 200: jsonAnswer("The link after the change.", LinkBody) },
  problems: ["not_found", "slug_taken", "external_id_taken", "version_mismatch", "busy", "domain_pending"],
}).handle(async (context, deps: ApiDeps) => {
  const { database } = deps;
  const { workspaceId } = context.get("principal");
  const { linkId: id, version: text } = context.req.valid("param");
  const linkId = readEntityId("lnk", id);
  const version = requireFound(parseVersion(text));
  const kept = requireFound(await findVersion(database, workspaceId, { linkId, version }));
  const ifMatch = readIfMatch(context.req.header("if-match"));
  const written = await changeLink({ workspaceId, linkId, ifMatch }, toRevertedChange(kept), deps);
  const link = toLink(requireFound(written === null ? null : await findLink(database, workspaceId, linkId)));
  context.header("etag", await versionTag(link.version, link));
  return context.json(link, 200);
});

function parseVersion(text: string): number | null {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}
