/** Workspaces as the API shows and takes them. */
import { z } from "@hono/zod-openapi";
import { entityIdParam, toPublicId } from "../http/entity-id.ts";
import { toInstant } from "../http/instant.ts";
import type { StoredWorkspace } from "./workspace-store.ts";
import { plainText } from "../http/text-shape.ts";

export const WorkspaceParams = z.object({ workspaceId: entityIdParam("ws") });

export const UpdateWorkspaceBody = z
  .strictObject({ name: plainText(200).min(1).openapi({ example: "Marketing" }) })
  .openapi("UpdateWorkspace");

export const WorkspaceBody = z
  .object({
    id: z.string().openapi({ example: "ws_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
    name: z.string(),
    createdAt: z.iso.datetime(),
  })
  .openapi("Workspace");

export function toWorkspace(stored: StoredWorkspace) {
  return {
    id: toPublicId("ws", stored.id),
    name: stored.name,
    createdAt: toInstant(stored.createdAtMs),
  };
}
