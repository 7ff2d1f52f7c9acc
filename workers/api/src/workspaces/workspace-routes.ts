/**
 * /api/v1/workspaces: the caller's own, and no other. A workspace is made together with its first key, by
 * `pnpm keys create`: no key of one workspace may make another.
 */
import { createRoute, z } from "@hono/zod-openapi";
import type { ApiDeps } from "../api-deps.ts";
import { readEntityId } from "../http/entity-id.ts";
import {
  BODY_PROBLEMS,
  jsonAnswer,
  jsonBody,
  needs,
  NOT_MODIFIED,
  operation,
  problems,
} from "../http/operation.ts";
import { ProblemError } from "../http/problem.ts";
import { findWorkspace, renameWorkspace } from "./workspace-store.ts";
import { toWorkspace, UpdateWorkspaceBody, WorkspaceBody, WorkspaceParams } from "./workspace-shape.ts";

const listWorkspacesRoute = createRoute({
  method: "get",
  path: "/api/v1/workspaces",
  operationId: "listWorkspaces",
  summary: "List the workspaces of this key: its own",
  tags: ["Workspaces"],
  ...needs("links:read"),
  responses: {
    200: jsonAnswer("One workspace.", z.object({ data: z.array(WorkspaceBody), nextCursor: z.null() })),
    ...NOT_MODIFIED,
    ...problems(),
  },
});

export function listWorkspacesOperation(deps: ApiDeps) {
  return operation(listWorkspacesRoute, async (context) => {
    const stored = await findWorkspace(deps.database, context.get("principal").workspaceId);
    return context.json({ data: stored === null ? [] : [toWorkspace(stored)], nextCursor: null }, 200);
  });
}

const readWorkspaceRoute = createRoute({
  method: "get",
  path: "/api/v1/workspaces/{workspaceId}",
  operationId: "readWorkspace",
  summary: "Read the workspace of this key",
  tags: ["Workspaces"],
  ...needs("links:read"),
  request: { params: WorkspaceParams },
  responses: { 200: jsonAnswer("The workspace.", WorkspaceBody), ...NOT_MODIFIED, ...problems("not_found") },
});

export function readWorkspaceOperation(deps: ApiDeps) {
  return operation(readWorkspaceRoute, async (context) => {
    const workspaceId = requireOwn(context.req.valid("param").workspaceId, context.get("principal"));
    const stored = await findWorkspace(deps.database, workspaceId);
    if (stored === null) {
      throw new ProblemError("not_found");
    }
    return context.json(toWorkspace(stored), 200);
  });
}

const updateWorkspaceRoute = createRoute({
  method: "patch",
  path: "/api/v1/workspaces/{workspaceId}",
  operationId: "updateWorkspace",
  summary: "Rename the workspace of this key",
  tags: ["Workspaces"],
  ...needs("admin"),
  request: { params: WorkspaceParams, body: jsonBody(UpdateWorkspaceBody, { name: "Marketing" }) },
  responses: {
    200: jsonAnswer("The workspace.", WorkspaceBody),
    ...problems(...BODY_PROBLEMS, "not_found"),
  },
});

export function updateWorkspaceOperation(deps: ApiDeps) {
  return operation(updateWorkspaceRoute, async (context) => {
    const workspaceId = requireOwn(context.req.valid("param").workspaceId, context.get("principal"));
    const stored = await renameWorkspace(deps.database, workspaceId, context.req.valid("json").name);
    if (stored === null) {
      throw new ProblemError("not_found");
    }
    return context.json(toWorkspace(stored), 200);
  });
}

function requireOwn(publicId: string, principal: { readonly workspaceId: string }): string {
  const workspaceId = readEntityId("ws", publicId);
  if (workspaceId !== principal.workspaceId) {
    throw new ProblemError("not_found");
  }
  return workspaceId;
}
