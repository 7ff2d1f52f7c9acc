/** The shapes of links in requests and answers, with their OpenAPI documentation. */
import { z } from "@hono/zod-openapi";
import { MAX_DESTINATION_LENGTH } from "@hopline/core/link/destination-url";
import { normaliseSlug } from "@hopline/core/link/link-address";
import { REDIRECT_STATUSES } from "@hopline/core/link/link-record";
import { checkDestination } from "./destination.ts";
import { entityIdParam, parsePublicId, toPublicId } from "../http/entity-id.ts";
import { readWritten, smartAnswerFields, smartFields } from "./smart-shape.ts";
import type { StoredLink } from "./store/link-columns.ts";
import { plainText } from "../http/text-shape.ts";
import { toInstant, toInstantOrNull } from "../instant.ts";

const MAX_TAGS = 50;
const MAX_TAG_LENGTH = 64;
const MAX_EXTERNAL_ID_LENGTH = 255;
const MAX_TITLE_LENGTH = 500;
export const MAX_DOMAIN_LENGTH = 260;

export const NO_SUCH_FOLDER = "is not the id of a folder: list the folders, or create one";

export const LINK_STATUSES = ["live", "disabled", "archived"] as const;

export const LinkParams = z.object({ linkId: entityIdParam("lnk") });

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
  .openapi({
    type: "string",
    format: "uri",
    maxLength: MAX_DESTINATION_LENGTH,
    example: "https://example.com/spring",
  });

/** The producer forwards `/api` to the API. Reserved in any case, because a domain may start to ignore case later. */
const RESERVED_SLUG = "api";

export const Slug = z
  .string()
  .transform((text, context) => {
    const slug = normaliseSlug(text);
    if (slug === null) {
      context.addIssue("is not a slug: use 1 to 128 letters, digits, emoji, - or _");
      return z.NEVER;
    }
    if (slug.toLowerCase() === RESERVED_SLUG) {
      context.addIssue("is the address of the API: choose another one");
      return z.NEVER;
    }
    return slug;
  })
  .openapi({ type: "string", minLength: 1, maxLength: 128, example: "spring" });

export const Tag = plainText(MAX_TAG_LENGTH)
  .trim()
  .normalize("NFC")
  .min(1)
  .openapi({ type: "string", minLength: 1, maxLength: MAX_TAG_LENGTH, example: "newsletter" });

const Tags = z
  .array(Tag)
  .max(MAX_TAGS)
  .transform((tags) => [...new Set(tags)])
  .openapi({ type: "array", maxItems: MAX_TAGS, items: { type: "string" }, example: ["newsletter"] });

export const ExternalId = plainText(MAX_EXTERNAL_ID_LENGTH)
  .min(1)
  .openapi({ description: "Your own name for the link, unique in the workspace.", example: "product-4711" });

const FolderId = z
  .string()
  .max(100)
  .transform((id, context) => {
    const folderId = parsePublicId("fld", id);
    if (folderId === null) {
      context.addIssue(NO_SUCH_FOLDER);
    }
    return folderId ?? z.NEVER;
  })
  .openapi({ type: "string", maxLength: 100, example: "fld_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" })
  .nullable()
  .openapi({ description: "The folder that the link is in; `null` for none." });

const redirectStatus = z.literal(REDIRECT_STATUSES);
const title = plainText(MAX_TITLE_LENGTH).nullable();

const createFields = {
  url: DestinationUrl,
  slug: Slug.optional().openapi({ description: "Generated if left out." }),
  domain: plainText(MAX_DOMAIN_LENGTH)
    .toLowerCase()
    .optional()
    .openapi({ description: "The workspace's oldest domain if left out.", example: "go.example.com" }),
  redirectStatus: redirectStatus.optional().openapi({
    description: "If left out, the link follows its domain's default, or 302 if the domain has none.",
  }),
  title: title.default(null),
  tags: Tags.default([]),
  folderId: FolderId.optional(),
};

export const CreateLinkBody = z
  .strictObject({ ...createFields, externalId: ExternalId.nullable().default(null), ...smartFields })
  .openapi("CreateLink");

export const UpsertLinkBody = z
  .strictObject({ ...createFields, externalId: ExternalId, ...smartFields })
  .openapi("UpsertLink");

export const UpdateLinkBody = z
  .strictObject({
    url: DestinationUrl,
    slug: Slug,
    status: z.enum(LINK_STATUSES),
    redirectStatus: redirectStatus
      .nullable()
      .openapi({ description: "`null` makes the link follow its domain's default." }),
    title,
    tags: Tags,
    folderId: FolderId,
    externalId: ExternalId.nullable(),
    ...smartFields,
  })
  .partial()
  .openapi("UpdateLink", { description: "Fields that are left out stay as they are." });

export type CreateLink = z.infer<typeof CreateLinkBody>;
export type UpdateLink = z.infer<typeof UpdateLinkBody>;

export const LinkBody = z
  .object({
    id: z.string().openapi({ example: "lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
    domain: z.string(),
    slug: z.string(),
    shortUrl: z.url(),
    url: z.string(),
    status: z.enum(LINK_STATUSES),
    redirectStatus: z.number().int().openapi({ description: "The status that visitors get." }),
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
  })
  .openapi("Link");

export type Link = z.infer<typeof LinkBody>;

export function toLink(stored: StoredLink): Link {
  const smart = readWritten(stored.smart);
  return {
    id: toPublicId("lnk", stored.id),
    domain: stored.host,
    slug: stored.slug,
    shortUrl: shortUrlOf(stored),
    url: stored.url,
    status: LINK_STATUSES.find((status) => status === stored.state) ?? "disabled",
    redirectStatus: stored.redirectStatus,
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
    clicks: { human: stored.humanClicks, total: stored.totalClicks },
    lastClickedAt: toInstantOrNull(stored.lastClickedAtMs),
    version: stored.version,
    createdAt: toInstant(stored.createdAtMs),
    updatedAt: toInstant(stored.updatedAtMs),
  };
}

/** The link's address as people get it. */
export function shortUrlOf({ host, slug }: { readonly host: string; readonly slug: string }): string {
  return `${schemeOf(host)}://${host}/${encodeURIComponent(slug)}`;
}

/** Loopback hosts have no certificates; all others are served over TLS. */
function schemeOf(host: string): "http" | "https" {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host) ? "http" : "https";
}
