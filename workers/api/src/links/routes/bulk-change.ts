/** Many links at once: change them, delete them. Each has a result of its own, as if it had been sent alone. */
import { z } from "@hono/zod-openapi";
import type { ApiDeps } from "../../api-deps.ts";
import type { Database } from "../../database.ts";
import { parsePublicId } from "../../http/entity-id.ts";
import { endpoint } from "../../http/endpoint.ts";
import { IdempotencyHeader, jsonAnswer, jsonBody, needs } from "../../http/operation.ts";
import { createFaultBudget, toItemErrors } from "../../http/problem.ts";
import { changeLinks, type Refused, type WantedChange } from "../change-links.ts";
import { changeable, Tags, toLink } from "../link-shape.ts";
import { ClicksField, readClicks } from "../../removed-clicks.ts";
import { findDeletedLinks, findLinks, forgetLinks } from "../store/link-store.ts";
import { OWN_STATUSES } from "../store/link-status.ts";
import { toLinkChange } from "../to-link-change.ts";
import { ItemResult, itemsOf, limitPasswords, MAX_PASSWORDS, toInvalid, toRefusal } from "./bulk-items.ts";

const id = z.string().max(100).openapi({ example: "lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" });
const version = z.number().int().min(1).optional().openapi({
  description: "The change applies to this version of the link only; otherwise the item answers 412.",
});

const Change = z.strictObject({
  id,
  version,
  ...changeable.shape,
  status: z.enum(OWN_STATUSES).optional(),
  addTags: Tags.optional(),
  removeTags: Tags.optional(),
});
const Deletion = z.strictObject({ id, version });
export const NamedLink = z.strictObject({ id });

/** Items in the document. */
export const BULK_ITEMS = {
  BulkUpdateItem: Change,
  BulkDeleteItem: Deletion,
  BulkRestoreItem: NamedLink,
};

export const updateLinksOperation = endpoint({
  method: "post",
  path: "/api/v1/links/bulk/update",
  operationId: "updateLinks",
  summary: "Change up to 500 links",
  description: `Each item is like the body of updateLink, with the link's \`id\`; at most ${MAX_PASSWORDS} of them may have a password. \`addTags\` and \`removeTags\` change the tags that a link has. Read-only fields are refused. Without \`version\` the request can be sent again as it is.`,
  tags: ["Links"],
  ...needs("links:write", { reach: "links" }),
  request: {
    headers: IdempotencyHeader,
    body: jsonBody(z.strictObject({ items: itemsOf("BulkUpdateItem") }).openapi("BulkUpdate"), {
      items: [{ id: "lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f", addTags: ["newsletter"] }],
    }),
  },
  responses: {
    200: jsonAnswer(
      "A result for each item, in their order.",
      z.object({ updated: z.number().int(), results: z.array(ItemResult) }).openapi("BulkUpdateResult"),
    ),
  },
}).handle(async (context, deps: ApiDeps) => {
  const { workspaceId } = context.get("principal");
  const parsed = limitPasswords(
    parseItems(context.req.valid("json").items, Change),
    ({ password }) => password,
  );
  const wanted = parsed.flatMap((item) => ("code" in item ? [] : [toWanted(item, toChange(item))]));
  const refused = await changeLinks(wanted, { workspaceId }, deps);
  const { done: updated, results } = await toResults(parsed, refused, { ...deps, workspaceId });
  return context.json({ updated, results }, 200);
});

export const deleteLinksOperation = endpoint({
  method: "post",
  path: "/api/v1/links/bulk/delete",
  operationId: "deleteLinks",
  "x-destructive": true,
  summary: "Delete up to 500 links",
  description:
    'As deleteLink does, into the trash. With `clicks: "delete"` they are destroyed at once, also those in the trash; a link that was destroyed before answers 404 then. Otherwise a link that was deleted before answers 204 too.',
  tags: ["Links"],
  ...needs("links:write", { reach: "links" }),
  request: {
    headers: IdempotencyHeader,
    body: jsonBody(
      z.strictObject({ items: itemsOf("BulkDeleteItem"), clicks: ClicksField }).openapi("BulkDelete"),
      { items: [{ id: "lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }] },
    ),
  },
  responses: {
    200: jsonAnswer(
      "A result for each item, in their order.",
      z
        .object({ deleted: z.number().int(), results: z.array(ItemResult.omit({ link: true })) })
        .openapi("BulkDeleteResult"),
    ),
  },
}).handle(async (context, deps: ApiDeps) => {
  const { workspaceId } = context.get("principal");
  const { items, clicks } = context.req.valid("json");
  const withClicks = readClicks(clicks, context.get("principal"));
  const parsed = parseItems(items, Deletion);
  const wanted = parsed.flatMap((item) => ("code" in item ? [] : [toWanted(item, { state: "deleted" })]));
  const refused = await changeLinks(wanted, { workspaceId }, deps);
  const missing = wanted.filter((_item, index) => refused[index]?.code === "not_found");
  const missingIds = missing.map(({ linkId }) => linkId);
  const deleted = wanted.filter((_item, index) => refused[index] === null).map(({ linkId }) => linkId);
  const gone = withClicks
    ? await forgetLinks(deps.database, workspaceId, [...deleted, ...missing.flatMap(ofAnyVersion)])
    : await findDeletedLinks(deps.database, workspaceId, missingIds);
  const rest = refused.values();
  const withinBudget = createFaultBudget();
  const results = parsed.map((item, index) => {
    const refusal = "code" in item ? item : (rest.next().value ?? null);
    const isGone = refusal === null || ("linkId" in item && gone.has(item.linkId));
    return isGone ? { index, status: 204 } : toRefusal(index, refusal, withinBudget);
  });
  return context.json({ deleted: withClicks ? gone.size : deleted.length, results }, 200);
});

/** With a version, one that someone else has put into the trash is not destroyed. */
function ofAnyVersion({ linkId, ifMatch }: WantedChange): readonly string[] {
  return ifMatch === null ? [linkId] : [];
}

/** A result for each item, with the link as it is now, and how many are done. `refused` is of those items that were parsed. */
export async function toResults(
  items: readonly (Item<object> | Refused)[],
  refused: readonly (Refused | null)[],
  { database, workspaceId }: { readonly database: Database; readonly workspaceId: string },
) {
  const linkIds = items.flatMap((item) => ("code" in item ? [] : [item.linkId]));
  const done = linkIds.filter((_id, index) => refused[index] === null);
  const stored = done.length === 0 ? [] : await findLinks(database, workspaceId, done);
  const links = new Map(stored.map((row) => [row.id, toLink(row)]));
  const rest = refused.values();
  const withinBudget = createFaultBudget();
  const results = items.map((item, index) => {
    const refusal = "code" in item ? item : (rest.next().value ?? null);
    const link = "code" in item ? undefined : links.get(item.linkId);
    return refusal === null && link !== undefined
      ? { index, status: 200, link }
      : toRefusal(index, refusal ?? { code: "not_found", errors: [] }, withinBudget);
  });
  return { done: links.size, results };
}

type Item<Fields> = Fields & { readonly linkId: string };

export function parseItems<Fields extends { readonly id: string }>(
  items: readonly unknown[],
  shape: z.ZodType<Fields>,
): readonly (Item<Fields> | Refused)[] {
  const seen = new Set<string>();
  return items.map((item) => {
    const parsed = shape.safeParse(item);
    if (!parsed.success) {
      return { code: "invalid", errors: toItemErrors(parsed.error) };
    }
    const linkId = parsePublicId("lnk", parsed.data.id);
    if (linkId === null) {
      return { code: "not_found", errors: [] };
    }
    if (seen.has(linkId)) {
      return toInvalid("id", "is in this request before: send one item for each link");
    }
    seen.add(linkId);
    return { ...parsed.data, linkId };
  });
}

type Changing = Item<z.infer<typeof Change>>;

function toChange({ addTags, removeTags, ...fields }: Changing): WantedChange["change"] {
  return {
    ...toLinkChange(fields),
    ...(addTags === undefined ? {} : { addTags }),
    ...(removeTags === undefined ? {} : { removeTags }),
  };
}

function toWanted(
  { linkId, version: only }: { readonly linkId: string; readonly version?: number | undefined },
  change: WantedChange["change"],
): WantedChange {
  return { linkId, ifMatch: only === undefined ? null : [only], change };
}
