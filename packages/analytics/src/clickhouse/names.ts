/**
 * What only Postgres knows of a question: ids of hosts, links of tags, labels. ClickHouse has ids, and gets what it needs of the
 * rest as parameters.
 */
import { sql } from "@hopline/db/sql";
import type { Dimension } from "../dimension.ts";
import type { Part } from "../engine.ts";
import type { Statement } from "../postgres/snapshot.ts";

export type Names = {
  /** Ids of the domains that have these hosts. */
  readonly domainsOf: (hosts: readonly (string | null)[]) => readonly string[];
  /** Lists of ids of the links that have one of the tags now; `null` means links without tags. */
  readonly linksOf: (tags: readonly (string | null)[]) => readonly string[];
  /** By tag, empty for links without one: ids of the links that have it now, in one text with commas between. */
  readonly linksOfTags: readonly { readonly tag: string; readonly links: string }[];
  /** Ids of links or domains whose label contains the text, in any case. */
  readonly matching: (dimension: "link" | "domain", search: string) => readonly string[];
};

/** Reads only what the parts need. */
export function findNames(workspaceId: string, parts: readonly Part[]): Statement<Names> {
  const filters = parts.flatMap(({ question }) => question.filters);
  const tags = valuesOf(filters, "tag");
  const needsTags = parts.some((part) => part.kind === "breakdown" && part.dimension === "tag");
  const searched = parts.flatMap((part) =>
    part.kind === "breakdown" && part.search && (part.dimension === "link" || part.dimension === "domain")
      ? [{ dimension: part.dimension, search: part.search }]
      : [],
  );
  const known = tags.filter((tag) => tag !== null);
  const hosts = valuesOf(filters, "domain").filter((host) => host !== null);
  const isTagged = needsTags ? sql`tags <> '{}'` : sql`tags && ${known}::text[]`;
  const lists = [
    sql`SELECT 'domain' AS kind, id::text AS id, ARRAY[host] AS names FROM domains
      WHERE workspace_id = ${workspaceId}::uuid AND host = ANY(${hosts}::text[])`,
    ...(needsTags || tags.length > 0
      ? [
          sql`SELECT 'tag', COALESCE(tag, ''), ARRAY[string_agg(id::text, ',')]
            FROM links LEFT JOIN LATERAL unnest(tags) AS tag ON true WHERE workspace_id = ${workspaceId}::uuid
            AND (${isTagged}${tags.includes(null) ? sql` OR tags = '{}'` : sql``}) GROUP BY tag`,
        ]
      : []),
    ...searched.map(({ dimension, search }) =>
      dimension === "domain"
        ? sql`SELECT 'search', id::text, ARRAY['domain', ${search}::text] FROM domains
            WHERE workspace_id = ${workspaceId}::uuid AND strpos(lower(host), lower(${search}::text)) > 0`
        : sql`SELECT 'search', links.id::text, ARRAY['link', ${search}::text]
            FROM links JOIN domains ON domains.id = links.domain_id WHERE links.workspace_id = ${workspaceId}::uuid
            AND strpos(lower(domains.host || '/' || links.slug), lower(${search}::text)) > 0`,
    ),
  ];
  return {
    query: sql.join(lists, sql` UNION ALL `),
    read: (rows) => {
      const found = rows.map(({ kind, id, names }) => ({ kind, id: String(id), names: toTexts(names) }));
      const ofKind = (kind: string) => found.filter((row) => row.kind === kind);
      const linksOfTags = ofKind("tag").map(({ id, names: [links = ""] }) => ({ tag: id, links }));
      return {
        domainsOf: (wanted) =>
          ofKind("domain").flatMap(({ id, names: [host] }) =>
            host !== undefined && wanted.includes(host) ? [id] : [],
          ),
        linksOf: (wanted) =>
          linksOfTags.flatMap(({ tag, links }) => (wanted.includes(tag || null) ? [links] : [])),
        linksOfTags,
        matching: (dimension, search) =>
          ofKind("search").flatMap(({ id, names }) =>
            names[0] === dimension && names[1] === search ? [id] : [],
          ),
      };
    },
  };
}

/** Labels of links and domains by id. */
export function findLabels(ids: readonly string[]): Statement<ReadonlyMap<string, string>> {
  const wanted = sql`ANY(${ids}::uuid[])`;
  return {
    query: sql`SELECT links.id::text AS id, domains.host || '/' || links.slug AS label
        FROM links JOIN domains ON domains.id = links.domain_id WHERE links.id = ${wanted}
      UNION ALL SELECT id::text, host FROM domains WHERE id = ${wanted}`,
    read: (rows) => new Map(rows.map(({ id, label }) => [String(id), String(label)])),
  };
}

function valuesOf(filters: Part["question"]["filters"], dimension: Dimension): readonly (string | null)[] {
  return filters.flatMap((filter) => (filter.dimension === dimension ? [...filter.is, ...filter.isNot] : []));
}

function toTexts(cell: unknown): readonly string[] {
  return Array.isArray(cell) ? cell.map(String) : [];
}
