/** One link: create, upsert, read, change, delete. */
import { createRoute, z } from "@hono/zod-openapi";
import type { ApiDeps } from "../../api-deps.ts";
import { readEntityId, requireFound } from "../../http/entity-id.ts";
import { IfMatchHeader, readIfMatch, versionTag } from "../../http/entity-tag.ts";
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
} from "../../http/operation.ts";
import type { NewIds } from "../../http/new-ids.ts";
import { ProblemError } from "../../http/problem.ts";
import { changeLink } from "../change-link.ts";
import { type LinkChange, type LinkTarget } from "../plan-link-change.ts";
import { createLink } from "../create-links.ts";
import {
  CreateLinkBody,
  hasReadOnly,
  LinkBody,
  LinkParams,
  requireTakenBack,
  toLink,
  type UpdateLink,
  UpdateLinkBody,
  UpsertLinkBody,
} from "../link-shape.ts";
import { toLinkChange } from "../to-link-change.ts";
import { ClicksField, readClicks } from "../../removed-clicks.ts";
import { findLink, findLinkIdByExternalId, forgetLinks } from "../store/link-store.ts";

const createLinkRoute = createRoute({
  method: "post",
  path: "/api/v1/links",
  operationId: "createLink",
  summary: "Create a link",
  tags: ["Links"],
  ...needs("links:write"),
  request: {
    headers: IdempotencyHeader,
    body: jsonBody(CreateLinkBody, { url: "https://example.com/spring", title: "Spring sale" }),
  },
  responses: {
    201: jsonAnswer("The new link.", LinkBody),
    ...problems(
      ...BODY_PROBLEMS,
      ...IDEMPOTENCY_PROBLEMS,
      "not_found",
      "slug_taken",
      "external_id_taken",
      "no_domain",
      "domain_pending",
    ),
  },
});

export function createLinkOperation(deps: ApiDeps) {
  return operation(createLinkRoute, async (context) => {
    const { workspaceId } = context.get("principal");
    const linkId = await createLink(
      { workspaceId, ids: context.get("newIds") },
      context.req.valid("json"),
      deps,
    );
    // While it was published, another may have deleted it.
    const link = toLink(requireFound(await findLink(deps.database, workspaceId, linkId)));
    context.header("etag", await versionTag(link.version, link));
    context.header("location", `/api/v1/links/${link.id}`);
    return context.json(link, 201);
  });
}

const upsertLinkRoute = createRoute({
  method: "post",
  path: "/api/v1/links/upsert",
  operationId: "upsertLink",
  summary: "Create or change the link with this external id",
  description:
    "The body is that of createLink. `domain` applies to a new link only: an existing one does not move to another domain. Rules, limits and redirect status of an existing link stay as they are where they are left out.",
  tags: ["Links"],
  ...needs("links:write"),
  request: {
    headers: IdempotencyHeader,
    body: jsonBody(UpsertLinkBody, { externalId: "product-4711", url: "https://example.com/4711" }),
  },
  responses: {
    200: jsonAnswer("The existing link after the change.", LinkBody),
    201: jsonAnswer("The new link.", LinkBody),
    ...problems(
      ...BODY_PROBLEMS,
      ...IDEMPOTENCY_PROBLEMS,
      "not_found",
      "slug_taken",
      "no_domain",
      "domain_pending",
      "busy",
    ),
  },
});

export function upsertLinkOperation(deps: ApiDeps) {
  return operation(upsertLinkRoute, async (context) => {
    const { workspaceId } = context.get("principal");
    const body = context.req.valid("json");
    const { isNew, linkId } = await upsert({ workspaceId, ids: context.get("newIds") }, body, deps);
    // While it was published, another may have deleted it.
    const link = toLink(requireFound(await findLink(deps.database, workspaceId, linkId)));
    context.header("etag", await versionTag(link.version, link));
    return context.json(link, isNew ? 201 : 200);
  });
}

type Upserted = { readonly isNew: boolean; readonly linkId: string };

async function upsert(
  { workspaceId, ids }: { readonly workspaceId: string; readonly ids: NewIds },
  body: z.infer<typeof UpsertLinkBody>,
  deps: ApiDeps,
): Promise<Upserted> {
  const { domain: _domain, ...named } = body;
  const change = async (): Promise<Upserted | null> => {
    const linkId = await findLinkIdByExternalId(deps.database, workspaceId, body.externalId);
    const version =
      linkId === null ? null : await changeLink({ workspaceId, linkId }, toLinkChange(named), deps);
    return linkId === null || version === null ? null : { isNew: false, linkId };
  };
  const changed = await change();
  if (changed !== null) {
    return changed;
  }
  try {
    return { isNew: true, linkId: await createLink({ workspaceId, ids }, body, deps) };
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

const readLinkRoute = createRoute({
  method: "get",
  path: "/api/v1/links/{linkId}",
  operationId: "readLink",
  summary: "Read a link",
  tags: ["Links"],
  ...needs("links:read"),
  request: { params: LinkParams },
  responses: { 200: jsonAnswer("The link.", LinkBody), ...NOT_MODIFIED, ...problems("not_found") },
});

export function readLinkOperation({ database }: ApiDeps) {
  return operation(readLinkRoute, async (context) => {
    const linkId = readEntityId("lnk", context.req.valid("param").linkId);
    const stored = await findLink(database, context.get("principal").workspaceId, linkId);
    const link = toLink(requireFound(stored));
    context.header("etag", await versionTag(link.version, link));
    return context.json(link, 200);
  });
}

const updateLinkRoute = createRoute({
  method: "patch",
  path: "/api/v1/links/{linkId}",
  operationId: "updateLink",
  summary: "Change a link",
  description:
    "What GET shows can be sent back with what you change in it. `status` disables, archives or restores it: disabled and archived links answer 410, and archived ones are left out of lists. With a new `slug` the link moves and keeps its clicks; the old slug stays with it as an alias, at most 20 of them.",
  tags: ["Links"],
  ...needs("links:write"),
  request: {
    params: LinkParams,
    headers: IfMatchHeader,
    body: jsonBody(UpdateLinkBody, { url: "https://example.com/summer", status: "live" }),
  },
  responses: {
    200: jsonAnswer("The link after the change.", LinkBody),
    ...problems(
      ...BODY_PROBLEMS,
      "not_found",
      "slug_taken",
      "external_id_taken",
      "version_mismatch",
      "domain_pending",
      "busy",
    ),
  },
});

export function updateLinkOperation(deps: ApiDeps) {
  return operation(updateLinkRoute, async (context) => {
    const { workspaceId } = context.get("principal");
    const linkId = readEntityId("lnk", context.req.valid("param").linkId);
    const ifMatch = readIfMatch(context.req.header("if-match"));
    const change = await readChange({ workspaceId, linkId }, context.req.valid("json"), deps);
    const version = await changeLink({ workspaceId, linkId, ifMatch }, change, deps);
    const stored = version === null ? null : await findLink(deps.database, workspaceId, linkId);
    const link = toLink(requireFound(stored));
    context.header("etag", await versionTag(link.version, link));
    return context.json(link, 200);
  });
}

/** Throws `ProblemError` for read-only fields that are not those of the link. */
async function readChange(
  { workspaceId, linkId }: LinkTarget,
  body: UpdateLink,
  { database }: ApiDeps,
): Promise<LinkChange> {
  if (!hasReadOnly(body)) {
    return toLinkChange(body);
  }
  const link = toLink(requireFound(await findLink(database, workspaceId, linkId)));
  requireTakenBack(body, link);
  const { redirectStatus, ...rest } = body;
  const isFollowed = body.hasOwnRedirectStatus === false && redirectStatus === link.redirectStatus;
  return toLinkChange(isFollowed ? rest : body);
}

const deleteLinkRoute = createRoute({
  method: "delete",
  path: "/api/v1/links/{linkId}",
  operationId: "deleteLink",
  summary: "Delete a link",
  description:
    "Its address answers 404. For 30 days the link is in the trash, its address is kept for it, and restoreLinks brings it back; then it and its clicks are destroyed. With `clicks=delete` that happens at once, also to a link that is in the trash.",
  tags: ["Links"],
  ...needs("links:write"),
  request: {
    params: LinkParams,
    query: z.object({ clicks: ClicksField }),
    headers: IfMatchHeader,
  },
  responses: { ...NO_CONTENT, ...problems("not_found", "version_mismatch", "busy") },
});

export function deleteLinkOperation(deps: ApiDeps) {
  return operation(deleteLinkRoute, async (context) => {
    const { workspaceId } = context.get("principal");
    const linkId = readEntityId("lnk", context.req.valid("param").linkId);
    const ifMatch = readIfMatch(context.req.header("if-match"));
    const withClicks = readClicks(context.req.valid("query").clicks, context.get("principal"));
    const version = await changeLink({ workspaceId, linkId, ifMatch }, { state: "deleted" }, deps);
    const isForgotten = withClicks && (await forgetLinks(deps.database, workspaceId, [linkId])).size > 0;
    requireFound(version !== null || isForgotten);
    return context.body(null, 204);
  });
}
