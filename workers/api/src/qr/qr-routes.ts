/**
 * QR codes of short URLs: of a link, with a key, and of an address, for everybody, as an `<img>` loads it. One drawing for both.
 * Scans are counted as source `qr`.
 */
import { createRoute, z } from "@hono/zod-openapi";
import { normaliseSlug } from "@hopline/core/link/link-address";
import type { ApiDeps } from "../api-deps.ts";
import { sha256Hex } from "../http/api-key.ts";
import { readEntityId, requireFound } from "../http/entity-id.ts";
import { endpoint } from "../http/endpoint.ts";
import { needs, NOT_MODIFIED, operation, problemsOnly } from "../http/operation.ts";
import { flagParam } from "../http/query-parameters.ts";
import { LinkParams, MAX_DOMAIN_LENGTH } from "../links/link-shape.ts";
import { MAX_QR_MARGIN, QrBackground, QrColor, QrShape } from "../links/qr-design.ts";
import { type Code, findCodeOfLink, findPublicCode } from "./code-store.ts";
import type { QrStyle } from "./draw-qr.ts";
import { MAX_PNG_WIDTH, MAX_PNG_WIDTH_WITH_LOGO } from "./qr-limits.ts";
import { plainText } from "../http/text-shape.ts";
import { shortUrlOf } from "../short-url.ts";

/** Light modules around the code, as ISO/IEC 18004 requires. */
const QUIET_ZONE = 4;

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
      description: `Pixels per module. A PNG is at most ${MAX_PNG_WIDTH} pixels wide, with a logo ${MAX_PNG_WIDTH_WITH_LOGO}.`,
      example: 8,
    }),
  margin: z.coerce
    .number()
    .int()
    .min(0)
    .max(MAX_QR_MARGIN)
    .default(QUIET_ZONE)
    .openapi({
      type: "integer",
      description: `Light modules around the code. Scanners may need ${QUIET_ZONE}.`,
      example: QUIET_ZONE,
    }),
  color: QrColor.default("000000").openapi({
    description: "Of the dark modules. Keep it much darker than the background.",
  }),
  background: QrBackground.default("ffffff"),
  dots: QrShape.default("square"),
  eyes: QrShape.default("square").openapi({ description: "Of the three patterns in the corners." }),
  // A logo appears in codes that are in use already, too, whose addresses stay as they are.
  logo: flagParam(
    "With the logo of the domain, if it has one. Such a code has more modules; there is none for an address of more than 1,273 characters.",
    true,
  ),
});

const image = z.string().openapi({ type: "string", format: "binary" });
const images = {
  description: "The image.",
  content: { "image/svg+xml": { schema: image }, "image/png": { schema: image } },
};

export const readQrCodeOperation = endpoint({
  method: "get",
  path: "/api/v1/links/{linkId}/qr",
  operationId: "readQrCode",
  summary: "Read a link's QR code",
  description: "It contains the short URL with `source=qr`, which tells scans from clicks.",
  tags: ["Links"],
  ...needs("links:read", { reach: "links" }),
  request: { params: LinkParams, query: QrQuery },
  responses: { 200: images },
  problems: ["not_found"],
}).handle(async (context, { database }: ApiDeps) => {
  const { workspaceId } = context.get("principal");
  const linkId = readEntityId("lnk", context.req.valid("param").linkId);
  const { logo, ...style } = context.req.valid("query");
  const code = requireFound(await findCodeOfLink(database, { workspaceId, linkId }, logo));
  return toImage({ code, style });
});

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
      host: plainText(MAX_DOMAIN_LENGTH).openapi({ example: "go.example.com" }),
      slug: plainText(1_000).openapi({ example: "spring" }),
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
    const { logo, ...style } = context.req.valid("query");
    const address = { host: params.host.toLowerCase(), slug };
    const code = requireFound(await findPublicCode(database, address, logo));
    const headers = {
      "cache-control": `public, max-age=${PUBLIC_SECONDS}`,
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
    };
    return toImage({ code, style, headers });
  });
}

type Drawn = {
  readonly code: Code;
  readonly style: QrStyle;
  readonly headers?: Readonly<Record<string, string>>;
};

async function toImage({ code, style, headers = {} }: Drawn): Promise<Response> {
  const text = `${shortUrlOf(code)}?source=qr`;
  const { logo } = code;
  const tag = await sha256Hex(new TextEncoder().encode(JSON.stringify([text, style, logo?.hash])));
  const { drawQr } = await import("./draw-qr.ts");
  return new Response(drawQr(text, style, logo), {
    headers: {
      "content-type": style.format === "svg" ? "image/svg+xml" : "image/png",
      etag: `"${tag.slice(0, 32)}"`,
      ...headers,
    },
  });
}
