/** GET /api/v1/domains/{domainId}/missed-visits: what visitors asked a domain for that is not there. */
import { z } from "@hono/zod-openapi";
import { MISS_KINDS, nameOfKind } from "@hopline/core/click/missed-visits";
import { sql } from "drizzle-orm";
import type { ApiDeps } from "../api-deps.ts";
import type { Database } from "../database.ts";
import { endpoint } from "../http/endpoint.ts";
import { readEntityId, requireFound, toPublicId } from "../http/entity-id.ts";
import { jsonAnswer, needs } from "../http/operation.ts";
import { toInstant } from "../instant.ts";
import { DomainParams } from "./domain-shape.ts";
import { findDomainById, type StoredDomain } from "./domain-store.ts";
import { shortUrlOf } from "../short-url.ts";

const MAX_DAYS = 90;
const MAX_SLUGS = 100;

const visits = (description: string) => z.number().int().openapi({ description });

const MissedVisitsBody = z
  .object({
    root: visits("To `/`."),
    ended: visits("To links that are disabled, expired or used up."),
    unknown: visits("To what is no link, or not yet."),
    slugs: z
      .array(
        z.object({
          slug: z.string().openapi({ example: "sumer" }),
          shortUrl: z.url(),
          visits: visits("At least so many."),
          lastVisitedAt: z.iso.datetime().openapi({ description: "To within a minute." }),
          linkId: z.string().nullable().openapi({ description: "The link that is there now." }),
        }),
      )
      .openapi({ description: "Part of `unknown`: the slugs with most visits, a hundred at most." }),
  })
  .openapi("MissedVisits");

export const readMissedVisitsOperation = endpoint({
  method: "get",
  path: "/api/v1/domains/{domainId}/missed-visits",
  operationId: "readMissedVisits",
  summary: "Read what visitors asked a short domain for that is not there",
  description:
    "Counted at the edge, a hundred slugs a day (UTC) at most, without anything of the visitor. Under a scan only slugs that are asked for again are counted by name. Slugs that look like a secret or a telephone number (more than 40 characters, more than six digits, letters and digits mixed in a long word), and what programs look for on any host (`wp-login.php`), are only in `unknown`.",
  tags: ["Domains"],
  ...needs("analytics:read"),
  request: {
    params: DomainParams,
    query: z.object({
      days: z.coerce.number().int().min(1).max(MAX_DAYS).default(30).openapi({
        description: "Today and so many days before it, less one. They are kept for `RETENTION_DAYS`, or 90.",
      }),
    }),
  },
  responses: { 200: jsonAnswer("The visits.", MissedVisitsBody) },
  problems: ["not_found"],
}).handle(async (context, { database }: ApiDeps) => {
  const { workspaceId } = context.get("principal");
  const domainId = readEntityId("dom", context.req.valid("param").domainId);
  const domain = requireFound(await findDomainById(database, workspaceId, domainId));
  const missed = await findMissedVisits(database, domain, context.req.valid("query").days);
  return context.json(missed, 200);
});

async function findMissedVisits(
  database: Database,
  { id, host }: Pick<StoredDomain, "id" | "host">,
  days: number,
): Promise<z.infer<typeof MissedVisitsBody>> {
  const { rows } = await database.execute(sql`
    SELECT missed.slug, visits, round(extract(epoch FROM last_at) * 1000) AS last_ms, link_id
    FROM (
      SELECT slug, sum(visits) AS visits, max(last_at) AS last_at FROM missed_visits
      WHERE domain_id = ${id}::uuid AND day > (now() AT TIME ZONE 'UTC')::date - ${days}::integer
      GROUP BY 1
      ORDER BY slug LIKE '/%' DESC, visits DESC, last_at DESC, slug LIMIT ${MISS_KINDS.length + MAX_SLUGS}
    ) AS missed
    LEFT JOIN (addresses JOIN links ON links.id = addresses.link_id AND links.domain_id = ${id}::uuid)
      ON host = ${host} AND addresses.slug = missed.slug AND ended_at IS NULL
    ORDER BY visits DESC, last_at DESC, missed.slug`);
  const sumOf = (name: string) => Number(rows.find(({ slug }) => slug === name)?.["visits"] ?? 0);
  const [root = 0, ended = 0, unknown = 0] = MISS_KINDS.map((kind) => sumOf(nameOfKind(kind)));
  const slugs = rows
    .map((row) => ({ ...row, slug: String(row["slug"]) }))
    .filter(({ slug }) => !slug.startsWith("/"))
    .slice(0, MAX_SLUGS)
    .map(({ slug, ...row }: { readonly slug: string; readonly [column: string]: unknown }) => ({
      slug,
      shortUrl: shortUrlOf({ host, slug }),
      visits: Number(row["visits"]),
      lastVisitedAt: toInstant(Number(row["last_ms"])),
      linkId: typeof row["link_id"] === "string" ? toPublicId("lnk", row["link_id"]) : null,
    }));
  return { root, ended, unknown, slugs };
}
