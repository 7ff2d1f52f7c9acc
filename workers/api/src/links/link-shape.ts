/** The shapes of links in requests and answers, with their OpenAPI documentation. */
import { z } from "@hono/zod-openapi";
import { DEFAULT_LEVELS, type Filled } from "@hopline/core/link/link-defaults";
import { MAX_DESTINATION_LENGTH } from "@hopline/core/link/destination-url";
import { isReservedSlug, normaliseSlug } from "@hopline/core/link/link-address";
import { MAX_FORWARDS } from "@hopline/core/link/domain-record";
import { defaultStatusOf } from "./compile-record.ts";
import { checkDestination } from "../destination.ts";
import { Tag } from "../link-defaults-shape.ts";
import { RedirectStatusBody } from "../redirect-status-shape.ts";
import { entityIdParam, toPublicId } from "../http/entity-id.ts";
import { changedCap, readWritten, smartAnswerFields, smartFields } from "./smart-shape.ts";
import type { StoredLink } from "./store/link-columns.ts";
import { isOwnStatus, LINK_STATUSES, OWN_STATUSES } from "./store/link-status.ts";
import { invalidField } from "../http/problem.ts";
import { requireUnchanged } from "../http/read-only.ts";
import { plainText } from "../http/text-shape.ts";
import { toInstant, toInstantOrNull } from "../instant.ts";
import { shortUrlOf } from "../short-url.ts";

export const MAX_TAGS = 50;
const MAX_EXTERNAL_ID_LENGTH = 255;
const MAX_TITLE_LENGTH = 500;
export const MAX_DOMAIN_LENGTH = 260;

export const NO_SUCH_FOLDER = "is no folder of this workspace: list the folders, or create one";

export const LinkParams = z.object({ linkId: entityIdParam("lnk") });

const DESTINATION_DESCRIPTION =
  "Behind the host may stand, 20 in all, `{path}` (what follows the slug), `{1}` to `{9}` (its parts), `{query.name}`, `{country}`, `{language}`, `{device}`; what is not known is empty.";

/**
 * Not normalised. A destination that no deployment allows is refused here, together with the other fields; which apps this
 * deployment allows is checked when the link is created (destination.ts).
 */
const DestinationUrl = z
  .string()
  .max(MAX_DESTINATION_LENGTH)
  .superRefine((text, context) => {
    const checked = checkDestination(text, "any");
    if (!checked.isAllowed) {
      context.addIssue(checked.message);
    }
  })
  .openapi({ format: "uri", example: "https://example.com/spring", description: DESTINATION_DESCRIPTION });

export const TOO_LONG_FOR_HOST = "is too long for this domain: choose a shorter one";
export const TOO_MANY_FORWARDS = `would be one more than the ${MAX_FORWARDS} links of its domain that may forward what follows: choose one without /*`;

const SLUG_DESCRIPTION =
  "May have parts: `guide/intro`. One that ends in `/*` forwards what follows it: of `guide/*`, `/guide/intro` leads to where `{path}`, or a `*` at the end of the destination's path, is `intro`. A link at the very address goes first, then the longest match.";

export const Slug = z
  .string()
  .transform((text, context) => {
    const slug = normaliseSlug(text);
    if (slug === null) {
      context.addIssue(
        "is not a slug: use 1 to 128 letters, digits, emoji, -, _, ., ~ or +, in parts with one slash between them, none of which begins with a dot",
      );
      return z.NEVER;
    }
    if (isReservedSlug(slug)) {
      context.addIssue("is reserved for the API or the host itself: choose another one");
      return z.NEVER;
    }
    return slug;
  })
  .openapi({
    type: "string",
    minLength: 1,
    maxLength: 128,
    example: "spring",
    description: SLUG_DESCRIPTION,
  });

/** Of the workspace: the statement that looks for it knows both. */
export const DomainName = plainText(MAX_DOMAIN_LENGTH)
  .toLowerCase()
  .openapi({ description: "Its host or its id (`dom_…`).", example: "go.example.com" });
export const OLDEST_DOMAIN =
  "The host or the id (`dom_…`) of a domain. The workspace's oldest domain if left out.";

export const Tags = z
  .array(Tag)
  .max(MAX_TAGS)
  .transform((tags) => [...new Set(tags)])
  .openapi({ type: "array", maxItems: MAX_TAGS, items: { type: "string" }, example: ["newsletter"] });

export const ExternalId = plainText(MAX_EXTERNAL_ID_LENGTH)
  .min(1)
  .openapi({ description: "Your own name for the link, unique in the workspace.", example: "product-4711" });

/** Of the workspace, as a domain. */
const Folder = plainText(100)
  .trim()
  .nullable()
  .openapi({ example: "Spring campaign", description: "Its name or its id (`fld_…`); `null` for none." });

const title = plainText(MAX_TITLE_LENGTH).nullable();

const createFields = {
  url: DestinationUrl,
  slug: Slug.optional().openapi({ description: "Generated if left out." }),
  domain: DomainName.optional().openapi({ description: OLDEST_DOMAIN }),
  redirectStatus: RedirectStatusBody.nullable().optional().openapi({
    description:
      "With `null`, or without a default, the link follows its domain's setting, or is a 302 if that has none.",
  }),
  title: title.default(null),
  tags: Tags.optional(),
  folder: Folder.optional(),
};

/** What makes a link one that no other is the same as, or asks for a certain one. */
export const NOT_REUSED = [
  ...(["slug", "externalId", "redirectStatus", "rules", "split", "next", "startsAt", "expiresAt"] as const),
  ...(["expiredUrl", "password", "cap", "forwardQuery", "openGraph", "qr"] as const),
];

export const CreateLinkBody = z
  .strictObject({
    ...createFields,
    externalId: ExternalId.nullable().default(null),
    ...smartFields,
    reuse: z.boolean().optional().openapi({
      description:
        "If there is such a link already, answers it unchanged (200, the oldest of several) instead of creating one (201); of many such requests at the same time, one creates it. Such a link is on the same domain and in the same folder (or in none), has the same destination (case of scheme and host, a default port and the path `/` make no difference), UTM values and `forwardQuery`; it has no rules, split, planned change, start, cap or password, does not forward what follows its slug, and has an end only where defaults set one; and it is live: not ended, disabled, archived or deleted. `title` and `tags` apply to a new link only.",
    }),
  })
  .superRefine((body, context) => {
    for (const field of NOT_REUSED) {
      if (body.reuse === true && (body[field] ?? null) !== null) {
        const message = "can't be combined with reuse: leave one of them out";
        context.addIssue({ code: "custom", path: [field], message });
      }
    }
  })
  .openapi("CreateLink");

export const UpsertLinkBody = z
  .strictObject({ ...createFields, externalId: ExternalId, ...smartFields })
  .openapi("UpsertLink");

export type CreateLink = z.infer<typeof CreateLinkBody>;

export const LinkBody = z
  .object({
    id: z.string().openapi({ example: "lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
    domain: z.string(),
    domainId: z.string().openapi({ example: "dom_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
    slug: z.string(),
    shortUrl: z.url(),
    url: z.string(),
    status: z.enum(LINK_STATUSES).openapi({
      description:
        "`live`, `disabled` and `archived` are set with PATCH. Of a live link, `scheduled` says that it has not started, `expired` and `used-up` that it has ended.",
    }),
    redirectStatus: RedirectStatusBody.openapi({ description: "The status that visitors get." }),
    hasOwnRedirectStatus: z
      .boolean()
      .openapi({ description: "If false, the link follows its domain's default." }),
    title: z.string().nullable(),
    tags: z.array(z.string()),
    folderId: z.string().nullable(),
    externalId: z.string().nullable(),
    aliases: z.array(z.string()).openapi({
      description:
        "Former slugs of the link, oldest first. They lead to it and count its clicks until they are released, or the link is deleted.",
    }),
    ...smartAnswerFields,
    clicks: z.object({ human: z.number().int(), total: z.number().int() }),
    lastClickedAt: z.iso.datetime().nullable(),
    version: z.number().int(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    filled: z
      .array(z.object({ field: z.string(), from: z.enum(DEFAULT_LEVELS) }))
      .optional()
      .openapi({
        description:
          "Only in the answer to its creation: the fields that defaults filled, and whose defaults. They are the link's own from then on.",
        example: [{ field: "utm.source", from: "folder" }],
      }),
  })
  .openapi("Link");

export const changeable = z
  .object({
    url: DestinationUrl,
    slug: Slug,
    status: z.enum(LINK_STATUSES).openapi({
      description: `${OWN_STATUSES.map((status) => `\`${status}\``).join(", ")}. The others follow from \`startsAt\`, \`expiresAt\` and \`cap\`, and are only taken back.`,
    }),
    redirectStatus: RedirectStatusBody.nullable().openapi({
      description:
        "`null` makes the link follow its domain's default; so does the status that GET shows, sent together with `hasOwnRedirectStatus: false`.",
    }),
    title,
    tags: Tags,
    folder: Folder,
    externalId: ExternalId.nullable(),
    ...smartFields,
    cap: changedCap.nullable(),
  })
  .partial();

export type Link = z.infer<typeof LinkBody>;
export type Changeable = z.infer<typeof changeable>;

/** These move on while a link is looked at, or are shown once. */
export const MOVING = ["clicks", "lastClickedAt", "cap.used", "filled"];

/**
 * A PATCH without what is only taken back in fields that can be changed: a status that follows from others, a cap's uses, the
 * domain's redirect status. Throws `ProblemError` invalid where it is not that of the link.
 */
export async function toSettled(
  sent: Changeable & { readonly hasOwnRedirectStatus?: boolean | undefined },
  find: () => Promise<Link>,
): Promise<Changeable> {
  const { redirectStatus, ...rest } = sent;
  const { status, cap, hasOwnRedirectStatus } = sent;
  const isDerived = status !== undefined && !isOwnStatus(status);
  const isOfDomain = hasOwnRedirectStatus === false && redirectStatus !== undefined;
  if (!isDerived && cap?.used === undefined && !isOfDomain) {
    return sent;
  }
  const link = await find();
  if (cap?.used !== undefined) {
    requireUnchanged({ cap: { used: cap.used } }, link, MOVING);
  }
  // It may have started since.
  if (isDerived && status !== link.status && !(status === "scheduled" && link.startsAt !== null)) {
    throw invalidField("status", "follows from startsAt, expiresAt and cap: change those");
  }
  return isOfDomain && redirectStatus === link.redirectStatus ? rest : sent;
}

export function toLink(stored: StoredLink): Link {
  const smart = readWritten(stored.smart);
  return {
    id: toPublicId("lnk", stored.id),
    domain: stored.host,
    domainId: toPublicId("dom", stored.domainId),
    slug: stored.slug,
    shortUrl: shortUrlOf(stored),
    url: stored.url,
    status: stored.status,
    redirectStatus: defaultStatusOf(stored),
    hasOwnRedirectStatus: !stored.followsDomainStatus,
    title: stored.title,
    tags: [...stored.tags],
    folderId: stored.folderId === null ? null : toPublicId("fld", stored.folderId),
    externalId: stored.externalId,
    aliases: [...stored.aliases],
    rules: smart.rules ?? [],
    split: smart.split ?? null,
    next: smart.next ?? null,
    startsAt: toInstantOrNull(stored.startsAtMs),
    expiresAt: toInstantOrNull(stored.expiresAtMs),
    expiredUrl: smart.expiredUrl ?? null,
    hasPassword: stored.hasPassword,
    cap: stored.cap,
    forwardQuery: smart.forwardQuery ?? "none",
    utm: smart.utm ?? null,
    openGraph: smart.openGraph ?? null,
    qr: smart.qr ?? null,
    clicks: { human: stored.clicks.human, total: stored.clicks.total },
    lastClickedAt: toInstantOrNull(stored.clicks.lastAtMs),
    version: stored.version,
    createdAt: toInstant(stored.createdAtMs),
    updatedAt: toInstant(stored.updatedAtMs),
  };
}

/** In the answer to the request that made it. */
export function toMadeLink(stored: StoredLink, filled: readonly Filled[]): Link {
  return { ...toLink(stored), ...(filled.length === 0 ? {} : { filled: [...filled] }) };
}
