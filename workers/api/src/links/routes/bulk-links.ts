/** POST /api/v1/links/bulk: up to 500 new links in one transaction, a result for each. */
import { z } from "@hono/zod-openapi";
import type { ApiDeps } from "../../api-deps.ts";
import { type Creation, createLinks } from "../create-links.ts";
import { checkDestination } from "../../destination.ts";
import { CreateLinkBody, type Link, LinkBody, toLink } from "../link-shape.ts";
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
import { toRefusal } from "./bulk-change.ts";
import type { WantedLink } from "../plan-links.ts";
import { findLinks } from "../store/link-store.ts";

const MAX_ITEMS = 500;

/** Hashing is slow by design: 50 passwords take about a second of CPU time (100,000 rounds of PBKDF2 each). */
const MAX_PASSWORDS = 50;

const BulkBody = z
  .strictObject({
    items: z
      .array(z.unknown().openapi({ allOf: [{ $ref: "#/components/schemas/CreateLink" }] }))
      .min(1)
      .max(MAX_ITEMS),
    atomic: z.boolean().default(false).openapi({
      description:
        "Create all links or none: if one is refused, the answer is 422, and `errors` names those at fault.",
    }),
  })
  .openapi("BulkCreate");

const ItemResult = z.object({
  index: z.number().int(),
  status: z.number().int().openapi({
    description: "The status that createLink would have answered; 424 for an item that `atomic` held back.",
  }),
  link: LinkBody.optional(),
  code: z.string().optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

const BulkResult = z
  .object({ created: z.number().int(), results: z.array(ItemResult) })
  .openapi("BulkResult");

type Refused = { readonly code: ProblemCode; readonly errors: readonly FieldError[] };

export const bulkLinksOperation = endpoint({
  method: "post",
  path: "/api/v1/links/bulk",
  operationId: "createLinks",
  summary: "Create up to 500 links",
  description: `Each item is like the body of createLink, rules and limits included; at most ${MAX_PASSWORDS} of them may have a password.`,
  tags: ["Links"],
  ...needs("links:write"),
  request: {
    headers: IdempotencyHeader,
    body: jsonBody(BulkBody, { items: [{ url: "https://example.com/a" }, { url: "https://example.com/b" }] }),
  },
  responses: { 200: jsonAnswer("A result for each item, in their order.", BulkResult) },
}).handle(async (context, deps: ApiDeps) => {
  const { workspaceId } = context.get("principal");
  const { items, atomic } = context.req.valid("json");
  const parsed = parseItems(items, deps);
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
  const links = new Map(stored.map((row) => [row.id, toLink(row)]));
  const rest = creations.values();
  const withinBudget = createFaultBudget();
  const results = parsed.map((item, index) => {
    const made = "link" in item ? toMade(rest.next().value, links) : item;
    return "code" in made ? toRefusal(index, made, withinBudget) : { index, status: 201, link: made };
  });
  if (atomic && links.size === 0) {
    const faults = results.flatMap(toFaults);
    throw new ProblemError("invalid", faults.length > 0 ? faults : [TAKEN_MEANWHILE]);
  }
  return context.json({ created: links.size, results }, 200);
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

type Parsed = { readonly link: WantedLink } | Refused;

function parseItems(items: readonly unknown[], deps: Pick<ApiDeps, "appSchemes">): readonly Parsed[] {
  let passwords = 0;
  return items.map((item) => {
    const parsed = parseItem(item, deps);
    if (!("link" in parsed) || typeof parsed.link.password !== "string") {
      return parsed;
    }
    passwords += 1;
    return passwords <= MAX_PASSWORDS
      ? parsed
      : toInvalid(
          "password",
          `is one of more than ${MAX_PASSWORDS} in this request: send the item in the next one`,
        );
  });
}

function parseItem(item: unknown, { appSchemes }: Pick<ApiDeps, "appSchemes">): Parsed {
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

function toInvalid(path: string, message: string): Refused {
  return { code: "invalid", errors: [{ path, message }] };
}

function toMade(creation: Creation | undefined, links: ReadonlyMap<string, Link>): Link | Refused {
  const link = creation?.isCreated === true ? links.get(creation.linkId) : undefined;
  return (
    link ?? {
      code: creation?.isCreated === false ? creation.problem : "not_done",
      errors: creation?.isCreated === false ? creation.errors : [],
    }
  );
}
