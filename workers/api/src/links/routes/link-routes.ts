/** One link: create, upsert, read, change, delete. */
import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { ApiDeps } from "../../api-deps.ts";
import type { ApiContext } from "../../http/authenticate.ts";
import { requireFound } from "../../http/entity-id.ts";
import { versionTag } from "../../http/entity-tag.ts";
import type { NewIds } from "../../http/new-ids.ts";
import { endpoint } from "../../http/endpoint.ts";
import { IdempotencyHeader, jsonAnswer, jsonBody, needs } from "../../http/operation.ts";
import { ProblemError } from "../../http/problem.ts";
import { resource } from "../../http/resource.ts";
import { ClicksField, readClicks } from "../../removed-clicks.ts";
import { changeLink } from "../change-link.ts";
import { type Created, createLink } from "../create-links.ts";
import {
  changeable,
  CreateLinkBody,
  LinkBody,
  MOVING,
  toLink,
  toMadeLink,
  toSettled,
  UpsertLinkBody,
} from "../link-shape.ts";
import { toLinkChange } from "../to-link-change.ts";
import { findLink, findLinkIdByExternalId, forgetLinks, linksOf } from "../store/link-store.ts";

const links = resource<ApiDeps>()({
  path: "/api/v1/links",
  id: ["linkId", "lnk"],
  name: "Link",
  one: "a link",
  many: "links",
  tag: "Links",
  body: LinkBody,
  show: toLink,
  reads: needs("links:read", { reach: "links" }),
  writes: needs("links:write", { reach: "links" }),
  rows: linksOf,
});

export const createLinkOperation = endpoint({
  method: "post",
  path: "/api/v1/links",
  operationId: "createLink",
  summary: "Create a link",
  description:
    "The `defaults` of its folder, its domain and the workspace fill what the request leaves out, and `filled` says what they filled. With `reuse: true`, a link that is the same already is answered instead.",
  tags: ["Links"],
  ...needs("links:write", { reach: "create" }),
  request: {
    headers: IdempotencyHeader,
    body: jsonBody(CreateLinkBody, { url: "https://example.com/spring", title: "Spring sale" }),
  },
  responses: {
    200: jsonAnswer("The existing link, with `reuse: true`.", LinkBody),
    201: jsonAnswer("The new link.", LinkBody),
  },
  problems: ["not_found", "slug_taken", "external_id_taken", "no_domain", "domain_pending"],
}).handle(async (context, deps: ApiDeps) => {
  const { workspaceId } = context.get("principal");
  const of = { workspaceId, ids: context.get("newIds") };
  return answerCreated(context, await createLink(of, context.req.valid("json"), deps), deps);
});

async function answerCreated(
  context: Context<ApiContext>,
  { linkId, isReused, filled }: Created,
  { database }: ApiDeps,
) {
  // While it was published, another may have deleted it.
  const stored = requireFound(await findLink(database, context.get("principal").workspaceId, linkId));
  const link = toMadeLink(stored, filled);
  context.header("etag", await versionTag(link.version, toLink(stored)));
  if (isReused !== true) {
    context.header("location", `/api/v1/links/${link.id}`);
  }
  return context.json(link, isReused === true ? 200 : 201);
}

export const upsertLinkOperation = endpoint({
  method: "post",
  path: "/api/v1/links/upsert",
  operationId: "upsertLink",
  summary: "Create or change the link with this external id",
  description:
    "The body is that of createLink, without `reuse`. `domain` applies to a new link only: an existing one does not move to another domain. Rules, limits, tags and redirect status of an existing link stay as they are where they are left out, and defaults fill a new one only.",
  tags: ["Links"],
  ...needs("links:write", { reach: "links" }),
  request: {
    headers: IdempotencyHeader,
    body: jsonBody(UpsertLinkBody, { externalId: "product-4711", url: "https://example.com/4711" }),
  },
  responses: {
    200: jsonAnswer("The existing link after the change.", LinkBody),
    201: jsonAnswer("The new link.", LinkBody),
  },
  problems: ["not_found", "slug_taken", "external_id_taken", "no_domain", "domain_pending", "busy"],
}).handle(async (context, deps: ApiDeps) => {
  const { workspaceId } = context.get("principal");
  const body = context.req.valid("json");
  return answerCreated(context, await upsert({ workspaceId, ids: context.get("newIds") }, body, deps), deps);
});

async function upsert(
  { workspaceId, ids }: { readonly workspaceId: string; readonly ids: NewIds },
  body: z.infer<typeof UpsertLinkBody>,
  deps: ApiDeps,
): Promise<Created> {
  const { domain: _domain, ...fields } = body;
  const change = async (): Promise<Created | null> => {
    const linkId = await findLinkIdByExternalId(deps.database, workspaceId, body.externalId);
    const version =
      linkId === null ? null : await changeLink({ workspaceId, linkId }, toLinkChange(fields), deps);
    return linkId === null || version === null
      ? null
      : { isCreated: true, isReused: true, linkId, filled: [] };
  };
  const changed = await change();
  if (changed !== null) {
    return changed;
  }
  try {
    return await createLink({ workspaceId, ids }, body, deps);
  } catch (error) {
    const isTaken = error instanceof ProblemError && /^(external_id|slug)_taken$/.test(error.code);
    // Another upsert may have created the link since it was looked for.
    const since = isTaken ? await change() : null;
    if (since === null) {
      throw error;
    }
    return since;
  }
}

export const readLinkOperation = links.read();

export const updateLinkOperation = links.update({
  description:
    "What GET shows can be sent back with what you change in it. `status` disables, archives or restores it: disabled and archived links answer 410, and archived ones are left out of lists. With a new `slug` the link moves and keeps its clicks; the old slug stays with it as an alias, at most 20 of them.",
  body: [
    changeable,
    { url: "https://example.com/summer", status: "live" },
    "Fields that are left out stay as they are. What GET shows can be sent back: read-only fields are accepted as they are.",
  ],
  moving: MOVING,
  problems: ["slug_taken", "external_id_taken", "domain_pending", "busy"],
  update: async (deps, { workspaceId, id: linkId, ifMatch, found }, body) => {
    const change = toLinkChange(await toSettled(body, async () => toLink(await found())));
    const version = await changeLink({ workspaceId, linkId, ifMatch }, change, deps);
    return version === null ? null : findLink(deps.database, workspaceId, linkId);
  },
});

export const deleteLinkOperation = links.delete({
  description:
    "Its address answers 404. For 30 days the link is in the trash, its address is kept for it, and restoreLinks brings it back; then it and its clicks are destroyed. With `clicks=delete` that happens at once, also to a link that is in the trash.",
  query: z.object({ clicks: ClicksField }),
  problems: ["busy"],
  remove: async (deps, { workspaceId, id: linkId, ifMatch, context }, { clicks }) => {
    const withClicks = readClicks(clicks, context.get("principal"));
    const version = await changeLink({ workspaceId, linkId, ifMatch }, { state: "deleted" }, deps);
    // With a version, one that someone else has put into the trash is not destroyed.
    const isWanted = withClicks && (version !== null || ifMatch === null);
    const isForgotten = isWanted && (await forgetLinks(deps.database, workspaceId, [linkId])).size > 0;
    return version !== null || isForgotten;
  },
});
