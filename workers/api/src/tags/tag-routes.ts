/** /api/v1/tags: create, list, read, rename or merge, delete. A path names a tag by its id or, as links do, by its name. */
import { z } from "@hono/zod-openapi";
import type { ApiDeps } from "../api-deps.ts";
import type { Database } from "../database.ts";
import { parsePublicId, requireFound, toPublicId } from "../http/entity-id.ts";
import { endpoint } from "../http/endpoint.ts";
import { IdempotencyHeader, jsonAnswer, jsonBody, needs, NO_CONTENT } from "../http/operation.ts";
import { listOf, listQuery } from "../http/list-rows.ts";
import { cutPage, decodeCursor } from "../http/page.ts";
import { ProblemError } from "../http/problem.ts";
import { readOnlyOf, requireUnchanged, takesBack } from "../http/read-only.ts";
import { Tag } from "../link-defaults-shape.ts";
import { LINKS_A_STATEMENT, type ReplaceOutcome, replaceTag } from "./replace-tag.ts";
import {
  countTags,
  findTag,
  findTagName,
  insertTag,
  listTags,
  setColor,
  type StoredTag,
} from "./tag-store.ts";

/** For a cursor: the name alone says where a page ends. */
const NO_ID = "00000000-0000-0000-0000-000000000000";

/** What happens to the links of a large tag. */
const LARGE = `With more than ${LINKS_A_STATEMENT} links it takes minutes: until then some have the old name, and no other tag of the workspace can be renamed, merged or deleted (\`tags_busy\`).`;

const color = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, "is not a colour: write it as #rrggbb")
  .toLowerCase()
  .nullable()
  .openapi({ type: ["string", "null"], pattern: "^#[0-9A-Fa-f]{6}$", example: "#0e7c86" });

const TagParams = z.object({
  tag: z
    .string()
    .openapi({ description: "The tag's id, or its name, percent-encoded.", example: "newsletter" }),
});
const CreateTagBody = z.strictObject({ name: Tag, color: color.default(null) }).openapi("CreateTag");
const TagBody = z
  .object({
    id: z.string().openapi({
      description: "Stays when the tag is renamed.",
      example: "tag_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f",
    }),
    name: z.string(),
    color: z.string().nullable().openapi({ example: "#0e7c86" }),
    links: z.number().int().openapi({ description: "That have it, archived ones included." }),
  })
  .openapi("Tag");

const changeable = z.object({
  name: Tag.optional(),
  color: color.optional(),
  merge: z.boolean().default(false).openapi({
    description: "If there is a tag with the new name, its links and those of this one have it together.",
  }),
});
const UpdateTagBody = takesBack(changeable, TagBody).openapi("UpdateTag");

const toTag = ({ id, ...tag }: StoredTag) => ({ id: toPublicId("tag", id), ...tag });

/** The name of the tag that a path names; throws not_found for what is no tag's. */
async function readName(database: Database, workspaceId: string, param: string): Promise<string> {
  const id = parsePublicId("tag", param);
  const name = id === null ? Tag.safeParse(param).data : await findTagName(database, { workspaceId, id });
  return requireFound(name ?? null);
}

function requireReplaced(outcome: ReplaceOutcome): void {
  if (outcome === "missing") {
    throw new ProblemError("not_found");
  }
  if (outcome === "taken") {
    throw new ProblemError("tag_taken", [
      { path: "name", message: "is a tag already: choose another name, or send merge: true" },
    ]);
  }
  if (outcome === "busy") {
    throw new ProblemError("tags_busy");
  }
}

export const createTagOperation = endpoint({
  method: "post",
  path: "/api/v1/tags",
  operationId: "createTag",
  summary: "Create a tag",
  description:
    "Tags need not be created: links get them by name. One that was created stays where no link has it.",
  tags: ["Tags"],
  ...needs("links:write"),
  request: {
    headers: IdempotencyHeader,
    body: jsonBody(CreateTagBody, { name: "newsletter", color: "#0e7c86" }),
  },
  responses: { 201: jsonAnswer("The new tag.", TagBody) },
  problems: ["tag_taken"],
}).handle(async (context, { database }: ApiDeps) => {
  const { workspaceId } = context.get("principal");
  const tag = { id: context.get("newIds").idAt(0), workspaceId, ...context.req.valid("json") };
  const stored = await insertTag(database, tag);
  if (stored === null) {
    throw new ProblemError("tag_taken", [
      { path: "name", message: "is a tag already: choose another name, or change that one" },
    ]);
  }
  return context.json(toTag(stored), 201);
});

export const listTagsOperation = endpoint({
  method: "get",
  path: "/api/v1/tags",
  operationId: "listTags",
  summary: "List tags",
  description: "In the order of their code points. Archived links count, deleted ones do not.",
  tags: ["Tags"],
  ...needs("links:read", { reach: "links" }),
  request: { query: listQuery("its name", ["name", "-name"]) },
  responses: { 200: jsonAnswer("A page of tags, with the number of links that have each.", listOf(TagBody)) },
  problems: ["cursor_invalid"],
}).handle(async (context, { database }: ApiDeps) => {
  const { limit, cursor, sort, search = "", count } = context.req.valid("query");
  const { workspaceId } = context.get("principal");
  const order = `tags ${sort}`;
  const found = await listTags(database, workspaceId, {
    isDescending: sort === "-name",
    afterName: decodeCursor(cursor, order)?.value ?? null,
    limit: limit + 1,
    search,
  });
  const { rows, nextCursor } = cutPage(found, limit, ({ name }) => ({ order, value: name, id: NO_ID }));
  const counted = count ? { count: await countTags(database, workspaceId, search) } : {};
  return context.json({ data: rows.map(toTag), nextCursor, ...counted }, 200);
});

export const readTagOperation = endpoint({
  method: "get",
  path: "/api/v1/tags/{tag}",
  operationId: "readTag",
  summary: "Read a tag",
  tags: ["Tags"],
  ...needs("links:read", { reach: "links" }),
  request: { params: TagParams },
  responses: { 200: jsonAnswer("The tag.", TagBody) },
  problems: ["not_found"],
}).handle(async (context, { database }: ApiDeps) => {
  const { workspaceId } = context.get("principal");
  const name = await readName(database, workspaceId, context.req.valid("param").tag);
  return context.json(toTag(requireFound(await findTag(database, { workspaceId, name }))), 200);
});

export const updateTagOperation = endpoint({
  method: "patch",
  path: "/api/v1/tags/{tag}",
  operationId: "updateTag",
  "x-destructive": true,
  summary: "Rename a tag, merge it into another, or set its colour",
  description: `All links of a renamed tag have it under the new name, and its clicks are asked for under that one. ${LARGE}`,
  tags: ["Tags"],
  ...needs("links:write"),
  request: { params: TagParams, body: jsonBody(UpdateTagBody, { color: "#b8336a" }) },
  responses: { 200: jsonAnswer("The tag after the change, with the links that have it by now.", TagBody) },
  problems: ["not_found", "tag_taken", "tags_busy"],
}).handle(async (context, { database }: ApiDeps) => {
  const { workspaceId } = context.get("principal");
  const from = await readName(database, workspaceId, context.req.valid("param").tag);
  const sent = context.req.valid("json");
  const { name = from, color: newColor, merge } = sent;
  const readOnly = readOnlyOf(sent, changeable);
  if (readOnly !== null) {
    requireUnchanged(readOnly, toTag(requireFound(await findTag(database, { workspaceId, name: from }))), [
      "links",
    ]);
  }
  if (name !== from) {
    requireReplaced(await replaceTag(database, { workspaceId, from, to: name }, merge));
  }
  const tag = { workspaceId, name };
  if (newColor !== undefined) {
    await setColor(database, tag, newColor);
  }
  return context.json(toTag(requireFound(await findTag(database, tag))), 200);
});

export const deleteTagOperation = endpoint({
  method: "delete",
  path: "/api/v1/tags/{tag}",
  operationId: "deleteTag",
  summary: "Delete a tag",
  description: `Its links stay, without it. ${LARGE}`,
  tags: ["Tags"],
  ...needs("links:write"),
  request: { params: TagParams },
  responses: NO_CONTENT,
  problems: ["not_found", "tags_busy"],
}).handle(async (context, { database }: ApiDeps) => {
  const { workspaceId } = context.get("principal");
  const from = await readName(database, workspaceId, context.req.valid("param").tag);
  requireReplaced(await replaceTag(database, { workspaceId, from, to: null }, true));
  return context.body(null, 204);
});
