/**
 * QR codes of short URLs: of a link, with a key, and of an address, for everybody, as an `<img>` loads it. One drawing for both.
 * Scans are counted as source `qr`.
 */
import { createRoute, z } from "@hono/zod-openapi";
import { foldSlug, normaliseSlug } from "@hopline/core/link/link-address";
import { addresses, domains, links } from "@hopline/db/schema";
import { and, eq, inArray, isNull, or, sql } from "drizzle-orm";
import type { ApiDeps } from "../api-deps.ts";
import type { Database } from "../database.ts";
import { sha256Hex } from "../http/api-key.ts";
import { readEntityId, requireFound } from "../http/entity-id.ts";
import { needs, NOT_MODIFIED, operation, problems, problemsOnly } from "../http/operation.ts";
import { LinkParams, MAX_DOMAIN_LENGTH, shortUrlOf } from "../links/link-shape.ts";
import { findLink } from "../links/store/link-store.ts";
import { drawQr, MAX_PNG_WIDTH, type QrStyle } from "./draw-qr.ts";

/** Light modules around the code, as ISO/IEC 18004 requires. */
const QUIET_ZONE = 4;

const hex = z
  .string()
  .regex(/^[0-9A-Fa-f]{6}$/, "is not a colour: write it as six hexadecimal digits, 1a2b3c");

const QrQuery = z.object({
  format: z.enum(["svg", "png"]).default("svg"),
  scale: z.coerce
    .number()
    .int()
    .min(1)
    .max(32)
    .default(8)
    .openapi({
      type: "integer",
      description: `Pixels per module. A PNG is at most ${MAX_PNG_WIDTH} pixels wide.`,
      example: 8,
    }),
  margin: z.coerce
    .number()
    .int()
    .min(0)
    .max(16)
    .default(QUIET_ZONE)
    .openapi({
      type: "integer",
      description: `Light modules around the code. Scanners may need ${QUIET_ZONE}.`,
      example: QUIET_ZONE,
    }),
  color: hex
    .default("000000")
    .openapi({ description: "Of the dark modules. Keep it much darker than the background." }),
  background: hex.or(z.literal("transparent")).default("ffffff"),
});

const image = z.string().openapi({ type: "string", format: "binary" });
const images = {
  description: "The image.",
  content: { "image/svg+xml": { schema: image }, "image/png": { schema: image } },
};

const ofLinkRoute = createRoute({
  method: "get",
  path: "/api/v1/links/{linkId}/qr",
  operationId: "readQrCode",
  summary: "Read a link's QR code",
  description: "It contains the short URL with `source=qr`, which tells scans from clicks.",
  tags: ["Links"],
  ...needs("links:read"),
  request: { params: LinkParams, query: QrQuery },
  responses: { 200: images, ...NOT_MODIFIED, ...problems("not_found") },
});

export function readQrCodeOperation({ database }: ApiDeps) {
  return operation(ofLinkRoute, async (context) => {
    const { workspaceId } = context.get("principal");
    const linkId = readEntityId("lnk", context.req.valid("param").linkId);
    const stored = requireFound(await findLink(database, workspaceId, linkId));
    return toImage(shortUrlOf(stored), context.req.valid("query"), {});
  });
}

/** A link that is deleted, and a domain's setting, take effect in what browsers keep after this long. */
const PUBLIC_SECONDS = 3_600;

export const PUBLIC_QR_PATH = "/api/qr/*";

const ofAddressRoute = createRoute({
  method: "get",
  path: "/api/qr/{host}/{slug}",
  operationId: "readPublicQrCode",
  summary: "Read the QR code of a short URL, without a key",
  description:
    "For `<img>` on any page. Browsers keep it for an hour; a network may ask 60 times in 10 seconds. Unless the domain's `hasPublicQr` is false; that is answered like an address where no link is.",
  tags: ["Links"],
  request: {
    params: z.object({
      host: z.string().max(MAX_DOMAIN_LENGTH).openapi({ example: "go.example.com" }),
      slug: z.string().max(1_000).openapi({ example: "spring" }),
    }),
    query: QrQuery,
  },
  responses: {
    200: images,
    ...NOT_MODIFIED,
    ...problemsOnly("not_found", "invalid", "rate_limited", "internal_error", "database_unavailable"),
  },
});

export function readPublicQrCodeOperation({ database }: ApiDeps) {
  return operation(ofAddressRoute, async (context) => {
    const params = context.req.valid("param");
    const slug = requireFound(normaliseSlug(params.slug));
    const address = requireFound(await findAddress(database, params.host.toLowerCase(), slug));
    return toImage(shortUrlOf(address), context.req.valid("query"), {
      "cache-control": `public, max-age=${PUBLIC_SECONDS}`,
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
    });
  });
}

type Address = { readonly host: string; readonly slug: string };

/** The address as it is stored, if a link or an alias of one is there, and its domain lets everybody have its code. */
async function findAddress(database: Database, host: string, slug: string): Promise<Address | null> {
  const rows = await database
    .select({ host: addresses.host, slug: addresses.slug })
    .from(addresses)
    .innerJoin(links, eq(links.id, addresses.linkId))
    .innerJoin(domains, eq(domains.id, links.domainId))
    .where(
      and(
        eq(addresses.host, host),
        inArray(addresses.slug, [slug, foldSlug(slug)]),
        isNull(addresses.endedAt),
        sql`leads_visitors(${domains})`,
        sql`coalesce((${domains.settings} ->> 'hasPublicQr')::boolean, true)`,
        or(eq(addresses.slug, slug), sql`(${domains.settings} ->> 'ignoresCase')::boolean`),
      ),
    );
  return rows[0] ?? null;
}

async function toImage(shortUrl: string, style: QrStyle, headers: Record<string, string>): Promise<Response> {
  const text = `${shortUrl}?source=qr`;
  const tag = await sha256Hex(new TextEncoder().encode(JSON.stringify([text, style])));
  return new Response(drawQr(text, style), {
    headers: {
      "content-type": style.format === "svg" ? "image/svg+xml" : "image/png",
      etag: `"${tag.slice(0, 32)}"`,
      ...headers,
    },
  });
}
