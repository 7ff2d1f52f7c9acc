/**
 * /api/v1/workspaces: the caller's own, and no other. `pnpm keys create` creates a workspace together with its first key: a
 * key of one workspace can't create another.
 */
import { createRoute, z } from "@hono/zod-openapi";
import type { ApiDeps } from "../api-deps.ts";
import { entityIdParam, readEntityId, requireFound, toPublicId } from "../http/entity-id.ts";
import {
  BODY_PROBLEMS,
  jsonAnswer,
  jsonBody,
  needs,
  NO_CONTENT,
  NOT_MODIFIED,
  operation,
  problems,
} from "../http/operation.ts";
import { invalidField } from "../http/problem.ts";
import { readOnlyOf, requireUnchanged, takesBack } from "../http/read-only.ts";
import { plainText } from "../http/text-shape.ts";
import { toInstant } from "../instant.ts";
import { ClicksField, readClicks } from "../removed-clicks.ts";
import { deleteWorkspace } from "./remove-workspace.ts";
import { findWorkspace, renameWorkspace, type StoredWorkspace } from "./workspace-store.ts";

const WorkspaceParams = z.object({ workspaceId: entityIdParam("ws") });

const changeable = z.object({ name: plainText(200).min(1).openapi({ example: "Marketing" }) });

const WorkspaceBody = z
  .object({
    id: z.string().openapi({ example: "ws_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
    name: z.string(),
    createdAt: z.iso.datetime(),
  })
  .openapi("Workspace");

const UpdateWorkspaceBody = takesBack(changeable, WorkspaceBody).openapi("UpdateWorkspace");

function toWorkspace({ id, name, createdAtMs }: StoredWorkspace) {
  return { id: toPublicId("ws", id), name, createdAt: toInstant(createdAtMs) };
}

const listWorkspacesRoute = createRoute({
  method: "get",
  path: "/api/v1/workspaces",
  operationId: "listWorkspaces",
  summary: "List the key's workspaces: its own",
  tags: ["Workspaces"],
  ...needs("links:read"),
  responses: {
    200: jsonAnswer("One workspace.", z.object({ data: z.array(WorkspaceBody), nextCursor: z.null() })),
    ...NOT_MODIFIED,
    ...problems(),
  },
});

export function listWorkspacesOperation({ database }: ApiDeps) {
  return operation(listWorkspacesRoute, async (context) => {
    const stored = await findWorkspace(database, context.get("principal").workspaceId);
    return context.json({ data: stored === null ? [] : [toWorkspace(stored)], nextCursor: null }, 200);
  });
}

const readWorkspaceRoute = createRoute({
  method: "get",
  path: "/api/v1/workspaces/{workspaceId}",
  operationId: "readWorkspace",
  summary: "Read the key's workspace",
  tags: ["Workspaces"],
  ...needs("links:read"),
  request: { params: WorkspaceParams },
  responses: { 200: jsonAnswer("The workspace.", WorkspaceBody), ...NOT_MODIFIED, ...problems("not_found") },
});

export function readWorkspaceOperation({ database }: ApiDeps) {
  return operation(readWorkspaceRoute, async (context) => {
    const workspaceId = requireOwn(context.req.valid("param").workspaceId, context.get("principal"));
    return context.json(toWorkspace(requireFound(await findWorkspace(database, workspaceId))), 200);
  });
}

const updateWorkspaceRoute = createRoute({
  method: "patch",
  path: "/api/v1/workspaces/{workspaceId}",
  operationId: "updateWorkspace",
  summary: "Rename the key's workspace",
  tags: ["Workspaces"],
  ...needs("admin"),
  request: { params: WorkspaceParams, body: jsonBody(UpdateWorkspaceBody, { name: "Marketing" }) },
  responses: {
    200: jsonAnswer("The workspace.", WorkspaceBody),
    ...problems(...BODY_PROBLEMS, "not_found"),
  },
});

export function updateWorkspaceOperation({ database }: ApiDeps) {
  return operation(updateWorkspaceRoute, async (context) => {
    const workspaceId = requireOwn(context.req.valid("param").workspaceId, context.get("principal"));
    const body = context.req.valid("json");
    const readOnly = readOnlyOf(body, changeable);
    if (readOnly !== null) {
      requireUnchanged(readOnly, toWorkspace(requireFound(await findWorkspace(database, workspaceId))));
    }
    const stored = await renameWorkspace(database, workspaceId, body.name);
    return context.json(toWorkspace(requireFound(stored)), 200);
  });
}

const deleteWorkspaceRoute = createRoute({
  method: "delete",
  path: "/api/v1/workspaces/{workspaceId}",
  operationId: "deleteWorkspace",
  summary: "Delete the key's workspace, with everything in it",
  description:
    "Ends all of its keys. Visitors get nothing from its links at once; its rows are removed within minutes. Clicks stay until they are too old, under ids that lead nowhere, unless `clicks=delete` is given.",
  tags: ["Workspaces"],
  ...needs("admin"),
  request: {
    params: WorkspaceParams,
    query: z.object({
      name: plainText(200).default("").openapi({
        description: "The workspace's name, as it is: to be sure. Required.",
      }),
      clicks: ClicksField,
    }),
  },
  responses: { ...NO_CONTENT, ...problems("not_found") },
});

export function deleteWorkspaceOperation(deps: ApiDeps) {
  return operation(deleteWorkspaceRoute, async (context) => {
    const workspaceId = requireOwn(context.req.valid("param").workspaceId, context.get("principal"));
    const { name } = requireFound(await findWorkspace(deps.database, workspaceId));
    const query = context.req.valid("query");
    if (query.name !== name) {
      throw invalidField("name", "is not the workspace's name: send it as GET shows it");
    }
    const withClicks = readClicks(query.clicks, context.get("principal"));
    requireFound((await deleteWorkspace({ workspaceId, withClicks }, deps)) ? true : null);
    return context.body(null, 204);
  });
}

function requireOwn(publicId: string, principal: { readonly workspaceId: string }): string {
  const workspaceId = readEntityId("ws", publicId);
  return requireFound(workspaceId === principal.workspaceId ? workspaceId : null);
}
