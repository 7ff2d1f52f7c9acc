/** POST /api/v1/links/bulk: up to 500 new links in one transaction, a result for each. */
import { createRoute, z } from "@hono/zod-openapi";
import type { ApiDeps } from "../api-context.ts";
import { type Creation, createLinks, type WantedLink } from "../create-links.ts";
import { type Link, LinkBody, PlainLinkBody, toLink } from "../link-shape.ts";
import {
  BODY_PROBLEMS,
  IDEMPOTENCY_PROBLEMS,
  IdempotencyHeader,
  jsonAnswer,
  jsonBody,
  needs,
  operation,
  problems,
} from "../operation.ts";
import { type FieldError, PROBLEMS, type ProblemCode, toFieldPath } from "../problem.ts";
import { findLinks } from "../store/link-store.ts";

const MAX_ITEMS = 500;

const BulkBody = z
  .strictObject({
    items: z
      .array(z.unknown().openapi({ type: "object", description: "As the body of createLink." }))
      .min(1)
      .max(MAX_ITEMS),
    atomic: z.boolean().default(false).openapi({ description: "All links or none." }),
  })
  .openapi("BulkCreate");

const ItemResult = z.object({
  index: z.number().int(),
  status: z
    .number()
    .int()
    .openapi({ description: "As createLink would have answered; 424 for what `atomic` held back." }),
  link: LinkBody.optional(),
  code: z.string().optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

const BulkResult = z
  .object({ created: z.number().int(), results: z.array(ItemResult) })
  .openapi("BulkResult");

const route = createRoute({
  method: "post",
  path: "/api/v1/links/bulk",
  operationId: "createLinks",
  summary: "Create up to 500 links",
  tags: ["Links"],
  ...needs("links:write"),
  request: {
    headers: IdempotencyHeader,
    body: jsonBody(BulkBody, { items: [{ url: "https://example.com/a" }, { url: "https://example.com/b" }] }),
  },
  responses: {
    200: jsonAnswer("A result for each item, in their order.", BulkResult),
    ...problems(...BODY_PROBLEMS, ...IDEMPOTENCY_PROBLEMS),
  },
});

type Refused = { readonly code: ProblemCode; readonly errors: readonly FieldError[] };

export function bulkLinksOperation(deps: ApiDeps) {
  return operation(route, async (context) => {
    const { workspaceId } = context.get("principal");
    const { items, atomic } = context.req.valid("json");
    const parsed = items.map(parseItem);
    const wanted = parsed.flatMap((item) => ("link" in item ? [item.link] : []));
    // With one item refused, `atomic` has nothing left to try.
    const isDryRun = atomic && wanted.length < items.length;
    const creations = await createLinks(
      wanted,
      { workspaceId, isAtomic: atomic, isDryRun, publish: "all" },
      deps,
    );
    const ids = isDryRun ? [] : creations.flatMap((one) => (one.isCreated ? [one.linkId] : []));
    const stored = ids.length === 0 ? [] : await findLinks(deps.database, workspaceId, ids);
    const links = new Map(stored.map((row) => [row.id, toLink(row)]));
    const rest = creations.values();
    const results = parsed.map((item, index) =>
      "link" in item ? toResult(index, rest.next().value, links) : toRefusal(index, item),
    );
    return context.json({ created: links.size, results }, 200);
  });
}

function parseItem(item: unknown): { readonly link: WantedLink } | Refused {
  const parsed = PlainLinkBody.safeParse(item);
  return parsed.success
    ? { link: { ...parsed.data, createdAt: null } }
    : {
        code: "invalid",
        errors: parsed.error.issues.map(({ path, message }) => ({ path: toFieldPath(path), message })),
      };
}

function toResult(index: number, creation: Creation | undefined, links: ReadonlyMap<string, Link>) {
  if (creation?.isCreated) {
    const link = links.get(creation.linkId);
    return link === undefined
      ? toRefusal(index, { code: "not_done", errors: [] })
      : { index, status: 201, link };
  }
  return toRefusal(index, { code: creation?.problem ?? "not_done", errors: [] });
}

function toRefusal(index: number, { code, errors }: Refused) {
  return {
    index,
    status: PROBLEMS[code].status,
    code,
    ...(errors.length > 0 ? { errors: [...errors] } : {}),
  };
}
