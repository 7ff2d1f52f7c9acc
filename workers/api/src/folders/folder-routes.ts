/** /api/v1/folders: create, list, read, rename, delete. A link is in one folder or in none. */
import { createRoute, z } from "@hono/zod-openapi";
import type { ApiDeps } from "../api-deps.ts";
import { failureOf } from "../database.ts";
import { entityIdParam, readEntityId, requireFound, toPublicId } from "../http/entity-id.ts";
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
} from "../http/operation.ts";
import { pageOf, PageQuery, readPageById } from "../http/page.ts";
import { ProblemError } from "../http/problem.ts";
import { readOnlyOf, requireUnchanged, takesBack } from "../http/read-only.ts";
import { plainText } from "../http/text-shape.ts";
import { toInstant } from "../instant.ts";
import {
  deleteFolder,
  findFolder,
  insertFolder,
  listFolders,
  renameFolder,
  type StoredFolder,
} from "./folder-store.ts";

const name = plainText(100)
  .trim()
  .min(1)
  .openapi({ minLength: 1, maxLength: 100, example: "Spring campaign" });
const CreateFolderBody = z.strictObject({ name }).openapi("CreateFolder");
const FolderParams = z.object({ folderId: entityIdParam("fld") });
const FolderBody = z
  .object({
    id: z.string().openapi({ example: "fld_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
    name: z.string(),
    createdAt: z.iso.datetime(),
  })
  .openapi("Folder");

const changeable = z.object({ name: name.optional() });
const UpdateFolderBody = takesBack(changeable, FolderBody).openapi("UpdateFolder");

function toFolder({ id, name, createdAtMs }: StoredFolder): z.infer<typeof FolderBody> {
  return { id: toPublicId("fld", id), name, createdAt: toInstant(createdAtMs) };
}

function explainTaken(error: unknown): never {
  if (failureOf(error).constraint === "folders_by_name") {
    throw new ProblemError("folder_taken", [{ path: "name", message: "is taken: choose another one" }]);
  }
  throw error;
}

const createFolderRoute = createRoute({
  method: "post",
  path: "/api/v1/folders",
  operationId: "createFolder",
  summary: "Create a folder",
  description: "Links are put into it by their `folderId`.",
  tags: ["Folders"],
  ...needs("links:write"),
  request: { headers: IdempotencyHeader, body: jsonBody(CreateFolderBody, { name: "Spring campaign" }) },
  responses: {
    201: jsonAnswer("The new folder.", FolderBody),
    ...problems(...BODY_PROBLEMS, ...IDEMPOTENCY_PROBLEMS, "folder_taken"),
  },
});

export function createFolderOperation({ database }: ApiDeps) {
  return operation(createFolderRoute, async (context) => {
    const { workspaceId } = context.get("principal");
    const folder = { id: context.get("newIds").idAt(0), workspaceId, ...context.req.valid("json") };
    const stored = await insertFolder(database, folder).catch(explainTaken);
    return context.json(toFolder(requireFound(stored)), 201);
  });
}

const listFoldersRoute = createRoute({
  method: "get",
  path: "/api/v1/folders",
  operationId: "listFolders",
  summary: "List folders, newest first",
  description: "countLinks with `folder` says how many links are in one.",
  tags: ["Folders"],
  ...needs("links:read"),
  request: { query: PageQuery },
  responses: {
    200: jsonAnswer("A page of folders.", pageOf(FolderBody)),
    ...NOT_MODIFIED,
    ...problems("cursor_invalid"),
  },
});

export function listFoldersOperation({ database }: ApiDeps) {
  return operation(listFoldersRoute, async (context) => {
    const { workspaceId } = context.get("principal");
    const { rows, nextCursor } = await readPageById("folders", context.req.valid("query"), (page) =>
      listFolders(database, workspaceId, page),
    );
    return context.json({ data: rows.map(toFolder), nextCursor }, 200);
  });
}

const readFolderRoute = createRoute({
  method: "get",
  path: "/api/v1/folders/{folderId}",
  operationId: "readFolder",
  summary: "Read a folder",
  tags: ["Folders"],
  ...needs("links:read"),
  request: { params: FolderParams },
  responses: { 200: jsonAnswer("The folder.", FolderBody), ...NOT_MODIFIED, ...problems("not_found") },
});

export function readFolderOperation({ database }: ApiDeps) {
  return operation(readFolderRoute, async (context) => {
    const folderId = readEntityId("fld", context.req.valid("param").folderId);
    const stored = await findFolder(database, context.get("principal").workspaceId, folderId);
    return context.json(toFolder(requireFound(stored)), 200);
  });
}

const updateFolderRoute = createRoute({
  method: "patch",
  path: "/api/v1/folders/{folderId}",
  operationId: "updateFolder",
  summary: "Rename a folder",
  tags: ["Folders"],
  ...needs("links:write"),
  request: { params: FolderParams, body: jsonBody(UpdateFolderBody, { name: "Summer campaign" }) },
  responses: {
    200: jsonAnswer("The folder after the change.", FolderBody),
    ...problems(...BODY_PROBLEMS, "not_found", "folder_taken"),
  },
});

export function updateFolderOperation({ database }: ApiDeps) {
  return operation(updateFolderRoute, async (context) => {
    const { workspaceId } = context.get("principal");
    const id = readEntityId("fld", context.req.valid("param").folderId);
    const body = context.req.valid("json");
    const found = requireFound(await findFolder(database, workspaceId, id));
    requireUnchanged(readOnlyOf(body, changeable) ?? {}, toFolder(found));
    const { name } = body;
    const stored =
      name === undefined
        ? found
        : await renameFolder(database, workspaceId, { id, name }).catch(explainTaken);
    return context.json(toFolder(requireFound(stored)), 200);
  });
}

const deleteFolderRoute = createRoute({
  method: "delete",
  path: "/api/v1/folders/{folderId}",
  operationId: "deleteFolder",
  summary: "Delete a folder",
  description: "Its links stay, in no folder.",
  tags: ["Folders"],
  ...needs("links:write"),
  request: { params: FolderParams },
  responses: { ...NO_CONTENT, ...problems("not_found") },
});

export function deleteFolderOperation({ database }: ApiDeps) {
  return operation(deleteFolderRoute, async (context) => {
    const { workspaceId } = context.get("principal");
    const folderId = readEntityId("fld", context.req.valid("param").folderId);
    if (!(await deleteFolder(database, workspaceId, folderId))) {
      throw new ProblemError("not_found");
    }
    return context.body(null, 204);
  });
}
