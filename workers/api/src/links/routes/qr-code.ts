/** GET /api/v1/links/{linkId}/qr: the link's short URL as a QR code. Scans are counted as source `qr`. */
import { createRoute, z } from "@hono/zod-openapi";
import { encode as encodePng } from "fast-png";
import { encode } from "uqr";
import type { ApiDeps } from "../../api-deps.ts";
import { sha256Hex } from "../../http/api-key.ts";
import { readEntityId, requireFound } from "../../http/entity-id.ts";
import { LinkParams, shortUrlOf } from "../link-shape.ts";
import { needs, NOT_MODIFIED, operation, problems } from "../../http/operation.ts";
import { findLink } from "../store/link-store.ts";

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
    .openapi({ type: "integer", description: "Pixels per module.", example: 8 }),
});

const image = z.string().openapi({ type: "string", format: "binary" });

const route = createRoute({
  method: "get",
  path: "/api/v1/links/{linkId}/qr",
  operationId: "readQrCode",
  summary: "Read a link's QR code",
  description: "It contains the short URL with `source=qr`, which tells scans from clicks.",
  tags: ["Links"],
  ...needs("links:read"),
  request: { params: LinkParams, query: QrQuery },
  responses: {
    200: {
      description: "The image.",
      content: { "image/svg+xml": { schema: image }, "image/png": { schema: image } },
    },
    ...NOT_MODIFIED,
    ...problems("not_found"),
  },
});

export function readQrCodeOperation(deps: ApiDeps) {
  return operation(route, async (context) => {
    const { workspaceId } = context.get("principal");
    const linkId = readEntityId("lnk", context.req.valid("param").linkId);
    const stored = requireFound(await findLink(deps.database, workspaceId, linkId));
    const { format, scale } = context.req.valid("query");
    const text = `${shortUrlOf(stored)}?source=qr`;
    const modules = encode(text, { ecc: "M", border: QUIET_ZONE });
    const tag = await sha256Hex(new TextEncoder().encode(`${format} ${scale} ${text}`));
    const body = format === "svg" ? toSvg(modules, scale) : toPng(modules, scale);
    return new Response(body, {
      headers: {
        "content-type": format === "svg" ? "image/svg+xml" : "image/png",
        etag: `"${tag.slice(0, 32)}"`,
      },
    });
  });
}

type Modules = { readonly data: readonly (readonly boolean[])[]; readonly size: number };

/** One path with a square for each dark module. */
function toSvg({ data, size }: Modules, scale: number): string {
  const squares = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  const pixels = size * scale;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels}" height="${pixels}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${squares.join("")}"/></svg>`;
}

function toPng({ data, size }: Modules, scale: number): Uint8Array<ArrayBuffer> {
  const width = size * scale;
  const pixels = Uint8Array.from({ length: width * width }, (_, at) =>
    data[Math.floor(at / width / scale)]?.[Math.floor((at % width) / scale)] ? 0 : 255,
  );
  return new Uint8Array(encodePng({ width, height: width, data: pixels, channels: 1 }));
}
