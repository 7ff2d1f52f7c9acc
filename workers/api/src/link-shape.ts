/** Links as the API shows and takes them, with their OpenAPI documentation. The only place that knows both forms. */
import { z } from "@hono/zod-openapi";
import { normaliseSlug } from "@hopline/core/link-address";
import { REDIRECT_STATUSES } from "@hopline/core/link-record";
import { entityIdParam, toPublicId } from "./entity-id.ts";
import { toInstant } from "./instant.ts";
import type { StoredLink } from "./store/link-store.ts";
import { plainText } from "./text-shape.ts";

/** Longer destinations than this are not taken (DESIGN: 8,192 characters). */
const MAX_URL_LENGTH = 8_192;

const DestinationUrl = z
  .string()
  .max(MAX_URL_LENGTH)
  .refine(isDestination, "Give an absolute http or https address without a user name or password.")
  .openapi({ example: "https://example.com/spring" });

export const LinkParams = z.object({ linkId: entityIdParam("lnk") });

const Slug = z
  .string()
  .transform((text, context) => {
    const slug = normaliseSlug(text);
    if (slug === null) {
      context.addIssue("Use 1 to 128 letters, digits, emoji, - or _.");
      return z.NEVER;
    }
    return slug;
  })
  .openapi({ type: "string", example: "spring" });

export const CreateLinkBody = z
  .strictObject({
    url: DestinationUrl,
    slug: Slug.optional(),
    domain: z.string().toLowerCase().optional().openapi({ example: "go.example.com" }),
    redirectStatus: z.literal(REDIRECT_STATUSES).default(302),
    title: plainText(500).nullable().default(null),
  })
  .openapi("CreateLink");

export type CreateLink = z.infer<typeof CreateLinkBody>;

export const LinkBody = z
  .object({
    id: z.string().openapi({ example: "lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
    domain: z.string(),
    slug: z.string(),
    shortUrl: z.url(),
    url: z.string(),
    status: z.enum(["live", "disabled"]),
    redirectStatus: z.number().int(),
    title: z.string().nullable(),
    clicks: z.object({ total: z.number().int() }),
    version: z.number().int(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .openapi("Link");

export type Link = z.infer<typeof LinkBody>;

export function toLink(stored: StoredLink): Link {
  return {
    id: toPublicId("lnk", stored.id),
    domain: stored.host,
    slug: stored.slug,
    shortUrl: `${schemeOf(stored.host)}://${stored.host}/${encodeURIComponent(stored.slug)}`,
    url: stored.url,
    status: stored.state === "disabled" ? "disabled" : "live",
    redirectStatus: stored.redirectStatus,
    title: stored.title,
    clicks: { total: stored.clickCount },
    version: stored.version,
    createdAt: toInstant(stored.createdAtMs),
    updatedAt: toInstant(stored.updatedAtMs),
  };
}

/** The loopback has no certificates; everything else is served over TLS. */
function schemeOf(host: string): "http" | "https" {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host) ? "http" : "https";
}

function isDestination(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    (url.protocol === "https:" || url.protocol === "http:") &&
    url.username === "" &&
    url.password === ""
  );
}
