/** The shapes of links in requests and answers, with their OpenAPI documentation. */
import { z } from "@hono/zod-openapi";
import { MAX_DESTINATION_LENGTH } from "@hopline/core/link/destination-url";
import { normaliseSlug } from "@hopline/core/link/link-address";
import { defaultStatusOf } from "./compile-record.ts";
import { checkDestination } from "../destination.ts";
import { RedirectStatusBody } from "../redirect-status-shape.ts";
import { entityIdParam, parsePublicId, toPublicId } from "../http/entity-id.ts";
import { changedCap, readWritten, smartAnswerFields, smartFields } from "./smart-shape.ts";
import type { StoredLink } from "./store/link-columns.ts";
import { isOwnStatus, LINK_STATUSES, OWN_STATUSES } from "./store/link-status.ts";
import { invalidField } from "../http/problem.ts";
import { readOnlyOf, requireUnchanged, takesBack } from "../http/read-only.ts";
import { plainText } from "../http/text-shape.ts";
import { toInstant, toInstantOrNull } from "../instant.ts";

export const MAX_TAGS = 50;
const MAX_TAG_LENGTH = 64;
const MAX_EXTERNAL_ID_LENGTH = 255;
const MAX_TITLE_LENGTH = 500;
export const MAX_DOMAIN_LENGTH = 260;

export const NO_SUCH_FOLDER = "is not the id of a folder: list the folders, or create one";

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
  .openapi({ format: "uri", example: "https://example.com/spring" });

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

/** Of the workspace: the statement that looks for it knows both. */
export const DomainName = plainText(MAX_DOMAIN_LENGTH)
  .toLowerCase()
  .openapi({ description: "Its host or its id (`dom_…`).", example: "go.example.com" });
export const OLDEST_DOMAIN =
  "The host or the id (`dom_…`) of a domain. The workspace's oldest domain if left out.";

export const Tag = plainText(MAX_TAG_LENGTH)
  .trim()
  .normalize("NFC")
  .min(1)
  // Browsers take them for steps in a path, whether encoded or not.
  .refine((tag) => tag !== "." && tag !== "..", "can't be part of an address: choose another tag")
  .openapi({ type: "string", minLength: 1, maxLength: MAX_TAG_LENGTH, example: "newsletter" });

export const Tags = z
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
  .nullable()
  .openapi({
    type: ["string", "null"],
    maxLength: 100,
    example: "fld_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f",
    description: "The folder that the link is in; `null` for none.",
  });

const title = plainText(MAX_TITLE_LENGTH).nullable();

const createFields = {
  url: DestinationUrl,
  slug: Slug.optional().openapi({ description: "Generated if left out." }),
  domain: DomainName.optional().openapi({ description: OLDEST_DOMAIN }),
  redirectStatus: RedirectStatusBody.optional().openapi({
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

export type CreateLink = z.infer<typeof CreateLinkBody>;

export const LinkBody = z
  .object({
    id: z.string().openapi({ example: "lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
    domain: z.string(),
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
    folderId: FolderId,
    externalId: ExternalId.nullable(),
    ...smartFields,
    cap: changedCap.nullable(),
  })
  .partial();

export const UpdateLinkBody = takesBack(changeable, LinkBody).openapi("UpdateLink", {
  description:
    "Fields that are left out stay as they are. What GET shows can be sent back: read-only fields are accepted as they are.",
});

export type Link = z.infer<typeof LinkBody>;
export type UpdateLink = z.infer<typeof UpdateLinkBody>;

/** These move on while a link is looked at. */
const MOVING = ["clicks", "lastClickedAt", "cap.used"];

/** Throws `ProblemError` invalid if the body has read-only fields and they are not those of the link. */
export function requireTakenBack(sent: UpdateLink, link: Link): void {
  const { status, cap } = sent;
  const used = cap?.used === undefined ? {} : { cap: { used: cap.used } };
  requireUnchanged({ ...readOnlyOf(sent, changeable), ...used }, link, MOVING);
  // It may have started since.
  const isTheirs = status === link.status || (status === "scheduled" && link.startsAt !== null);
  if (status !== undefined && !isOwnStatus(status) && !isTheirs) {
    throw invalidField("status", "follows from startsAt, expiresAt and cap: change those");
  }
}

/** Whether a body has something that only `requireTakenBack` can judge. */
export function hasReadOnly(sent: UpdateLink): boolean {
  const isDerived = sent.status !== undefined && !isOwnStatus(sent.status);
  return isDerived || sent.cap?.used !== undefined || readOnlyOf(sent, changeable) !== null;
}

export function toLink(stored: StoredLink): Link {
  const smart = readWritten(stored.smart);
  return {
    id: toPublicId("lnk", stored.id),
    domain: stored.host,
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

/** The link's address as people get it. */
export function shortUrlOf({ host, slug }: { readonly host: string; readonly slug: string }): string {
  return `${schemeOf(host)}://${host}/${encodeURIComponent(slug)}`;
}

/** Loopback hosts have no certificates; all others are served over TLS. */
function schemeOf(host: string): "http" | "https" {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host) ? "http" : "https";
}
