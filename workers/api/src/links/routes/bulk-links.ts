/** POST /api/v1/links/bulk: up to 500 new links in one transaction, a result for each. */
import { z } from "@hono/zod-openapi";
import type { ApiDeps } from "../../api-deps.ts";
import { type Creation, createLinks } from "../create-links.ts";
import { checkDestination } from "../../destination.ts";
import { CreateLinkBody, type Link, toMadeLink } from "../link-shape.ts";
import { endpoint } from "../../http/endpoint.ts";
import { IdempotencyHeader, jsonAnswer, jsonBody, needs } from "../../http/operation.ts";
import {
  createFaultBudget,
  type FieldError,
  ProblemError,
  PROBLEMS,
  type ProblemCode,
  toItemErrors,
} from "../../http/problem.ts";
import type { Refused } from "../change-links.ts";
import { ItemResult, itemsOf, limitPasswords, MAX_PASSWORDS, toInvalid, toRefusal } from "./bulk-items.ts";
import type { StoredLink } from "../store/link-columns.ts";
import type { WantedLink } from "../plan-links.ts";
import { findLinks } from "../store/link-store.ts";

const BulkBody = z
  .strictObject({
    items: itemsOf("CreateLink"),
    atomic: z.boolean().default(false).openapi({
      description:
        "Create all links or none: if one is refused, the answer is 422, and `errors` names those at fault.",
    }),
  })
  .openapi("BulkCreate");

const CreationResult = ItemResult.extend({
  status: z.number().int().openapi({
    description: "The status that createLink would have answered; 424 for an item that `atomic` held back.",
  }),
});

const BulkResult = z
  .object({ created: z.number().int(), results: z.array(CreationResult) })
  .openapi("BulkResult");

export const bulkLinksOperation = endpoint({
  method: "post",
  path: "/api/v1/links/bulk",
  operationId: "createLinks",
  summary: "Create up to 500 links",
  description: `Each item is like the body of createLink, rules and limits included; at most ${MAX_PASSWORDS} of them may have a password.`,
  tags: ["Links"],
  ...needs("links:write", { reach: "links" }),
  request: {
    headers: IdempotencyHeader,
    body: jsonBody(BulkBody, { items: [{ url: "https://example.com/a" }, { url: "https://example.com/b" }] }),
  },
  responses: { 200: jsonAnswer("A result for each item, in their order.", BulkResult) },
}).handle(async (context, deps: ApiDeps) => {
  const { workspaceId } = context.get("principal");
  const { items, atomic } = context.req.valid("json");
  const read = items.map((item) => parseItem(item, deps));
  const parsed = limitPasswords(read, ({ link }) => link.password);
  const wanted = parsed.flatMap((item) => ("link" in item ? [item.link] : []));
  // With an invalid item, `atomic` creates nothing.
  const isDryRun = atomic && wanted.length < items.length;
  const creations = await createLinks(
    wanted,
    { workspaceId, ids: context.get("newIds"), isAtomic: atomic, isDryRun, publish: "now" },
    deps,
  );
  const ids = isDryRun ? [] : creations.flatMap((one) => (one.isCreated ? [one.linkId] : []));
  const stored = ids.length === 0 ? [] : await findLinks(deps.database, workspaceId, ids);
  const links = new Map(stored.map((row) => [row.id, row]));
  const rest = creations.values();
  const withinBudget = createFaultBudget();
  const results = parsed.map((item, index) => {
    const made = "link" in item ? toMade(rest.next().value, links) : item;
    return "code" in made ? toRefusal(index, made, withinBudget) : { index, ...made };
  });
  if (atomic && links.size === 0) {
    const faults = results.flatMap(toFaults);
    throw new ProblemError("invalid", faults.length > 0 ? faults : [TAKEN_MEANWHILE]);
  }
  const created = results.filter(({ status }) => status === 201).length;
  return context.json({ created, results }, 200);
});

const TAKEN_MEANWHILE = {
  path: "items",
  message: "have an address that another request has taken at this moment: send them again to learn which",
};

/** Of an item, as faults of the request. Of those that nothing is wrong with, none. */
function toFaults({
  index,
  code,
  errors = [],
}: {
  index: number;
  code?: ProblemCode;
  errors?: FieldError[];
}) {
  if (code === undefined || code === "not_done") {
    return [];
  }
  const faults = errors.length > 0 ? errors : [{ path: "", message: PROBLEMS[code].detail }];
  return faults.map(({ path, message }) => ({
    path: path === "" ? `items[${index}]` : `items[${index}].${path}`,
    message,
  }));
}

type Wanted = { readonly link: WantedLink };

function parseItem(item: unknown, { appSchemes }: Pick<ApiDeps, "appSchemes">): Wanted | Refused {
  const parsed = CreateLinkBody.safeParse(item);
  if (!parsed.success) {
    return { code: "invalid", errors: toItemErrors(parsed.error) };
  }
  const { url, ...fields } = parsed.data;
  const checked = checkDestination(url, appSchemes);
  return checked.isAllowed
    ? { link: { ...fields, url: checked.url, state: "live", createdAt: null, usedClicks: 0 } }
    : toInvalid("url", checked.message);
}

function toMade(
  creation: Creation | undefined,
  stored: ReadonlyMap<string, StoredLink>,
): { readonly status: number; readonly link: Link } | Refused {
  if (creation?.isCreated !== true) {
    return { code: creation?.problem ?? "not_done", errors: creation?.errors ?? [] };
  }
  const row = stored.get(creation.linkId);
  return row === undefined
    ? { code: "not_done", errors: [] }
    : { status: creation.isReused === true ? 200 : 201, link: toMadeLink(row, creation.filled) };
}
