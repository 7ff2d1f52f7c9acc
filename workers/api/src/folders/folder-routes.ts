/** /api/v1/folders. A link is in one folder or in none. */
import { z } from "@hono/zod-openapi";
import type { ApiDeps } from "../api-deps.ts";
import { failureOf } from "../database.ts";
import { requireFound, toPublicId } from "../http/entity-id.ts";
import { needs } from "../http/operation.ts";
import { ProblemError } from "../http/problem.ts";
import { resource } from "../http/resource.ts";
import { plainText } from "../http/text-shape.ts";
import { toInstant } from "../instant.ts";
import { DefaultsField, readDefaults } from "../link-defaults-shape.ts";
import {
  deleteFolder,
  foldersOf,
  insertFolder,
  MAX_COUNTED,
  type StoredFolder,
  updateFolder,
} from "./folder-store.ts";

const name = plainText(100)
  .trim()
  .min(1)
  .openapi({ minLength: 1, maxLength: 100, example: "Spring campaign" });

const FolderBody = z
  .object({
    id: z.string().openapi({ example: "fld_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
    name: z.string(),
    defaults: DefaultsField,
    links: z
      .number()
      .int()
      .openapi({
        description: `Links in it, ${MAX_COUNTED} at most: countLinks with \`folder\` counts more.`,
      }),
    createdAt: z.iso.datetime(),
  })
  .openapi("Folder");

const toFolder = ({ id, name, defaults, links, createdAtMs }: StoredFolder) => ({
  id: toPublicId("fld", id),
  name,
  defaults: readDefaults(defaults),
  links,
  createdAt: toInstant(createdAtMs),
});

const folders = resource<ApiDeps>()({
  path: "/api/v1/folders",
  id: ["folderId", "fld"],
  name: "Folder",
  one: "a folder",
  many: "folders",
  tag: "Folders",
  body: FolderBody,
  show: toFolder,
  reads: needs("links:read", { reach: "links" }),
  writes: needs("links:write"),
  rows: foldersOf,
});

function explainTaken(error: unknown): never {
  if (failureOf(error).constraint === "folders_by_name") {
    throw new ProblemError("folder_taken", [{ path: "name", message: "is taken: choose another one" }]);
  }
  throw error;
}

export const createFolderOperation = folders.create({
  description: "Links are put into it by their `folder`.",
  body: [
    z.strictObject({ name, defaults: DefaultsField.optional() }).openapi("CreateFolder"),
    { name: "Spring campaign" },
  ],
  answer: ["The new folder."],
  problems: ["folder_taken"],
  create: async ({ database }, { workspaceId, newId: id }, body) =>
    toFolder(requireFound(await insertFolder(database, { id, workspaceId, ...body }).catch(explainTaken))),
});

export const listFoldersOperation = folders.list({
  searched: "its name",
});

export const readFolderOperation = folders.read();

export const updateFolderOperation = folders.update({
  body: [
    z.object({ name, defaults: DefaultsField }).partial(),
    { name: "Summer campaign", defaults: { utm: { campaign: { value: "{folder}" } } } },
  ],
  problems: ["folder_taken"],
  update: ({ database }, target, { name: wanted, defaults }) =>
    updateFolder(database, target, { name: wanted, defaults }).catch(explainTaken),
});

export const deleteFolderOperation = folders.delete({
  description: "Its links stay, in no folder.",
  remove: ({ database }, target) => deleteFolder(database, target),
});
