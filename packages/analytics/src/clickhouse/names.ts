/**
 * What only Postgres knows of a question: ids of hosts, links of tags, labels. ClickHouse has ids, and gets what it needs of the
 * rest as parameters.
 */
import { isWithin } from "@hopline/db/links/bounds";
import { sql } from "@hopline/db/sql";
import { BOUND, type Dimension } from "../dimension.ts";
import type { Part } from "../engine.ts";
import { readSnapshot, type SnapshotDatabase, type Statement } from "../postgres/snapshot.ts";

export type Names = {
  /** Ids of the domains that have these hosts. */
  readonly domainsOf: (hosts: readonly (string | null)[]) => readonly string[];
  /** Lists of ids of the links that have one of the tags now; `null` means links without tags. */
  readonly linksOf: (tags: readonly (string | null)[]) => readonly string[];
  /** By tag, empty for links without one: ids of the links that have it now, in one text with commas between. */
  readonly linksOfTags: readonly { readonly tag: string; readonly links: string }[];
  /** Of the links within the bounds that the parts have, in the same form; none if there are no such links. */
  readonly linksWithin: readonly string[];
  /** Ids of links or domains whose label contains the text, in any case. */
  readonly matching: (dimension: "link" | "domain", search: string) => readonly string[];
};

/** Reads only what the parts need. Rejects as `readSnapshot` does. */
export async function readNames(
  database: SnapshotDatabase,
  workspaceId: string,
  parts: readonly Part[],
): Promise<Names> {
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
  // All parts of a request are asked by one caller.
  const bounded = filters.filter(({ dimension }) => dimension === BOUND).slice(0, 1);
  const isTagged = needsTags ? sql`tags <> '{}'` : sql`tags && ${known}::text[]`;
  const lists = [
    ...(hosts.length === 0
      ? []
      : [
          sql`SELECT 'domain' AS kind, id::text AS id, host AS text FROM domains
            WHERE workspace_id = ${workspaceId}::uuid AND host = ANY(${hosts}::text[])`,
        ]),
    ...(needsTags || tags.length > 0
      ? [
          sql`SELECT 'tag' AS kind, COALESCE(tag, '') AS id, string_agg(id::text, ',') AS text
            FROM links LEFT JOIN LATERAL unnest(tags) AS tag ON true WHERE workspace_id = ${workspaceId}::uuid
            AND (${isTagged}${tags.includes(null) ? sql` OR tags = '{}'` : sql``}) GROUP BY tag`,
        ]
      : []),
    ...bounded.map(
      ({
        bounds = [],
      }) => sql`SELECT 'within' AS kind, '' AS id, coalesce(string_agg(id::text, ','), '') AS text
        FROM links WHERE workspace_id = ${workspaceId}::uuid AND ${isWithin(bounds) ?? sql`true`}`,
    ),
    ...searched.map(({ dimension, search }) =>
      dimension === "domain"
        ? sql`SELECT 'domain search' AS kind, id::text AS id, ${search}::text AS text FROM domains
            WHERE workspace_id = ${workspaceId}::uuid AND strpos(lower(host), lower(${search}::text)) > 0`
        : sql`SELECT 'link search' AS kind, links.id::text AS id, ${search}::text AS text
            FROM links JOIN domains ON domains.id = links.domain_id WHERE links.workspace_id = ${workspaceId}::uuid
            AND strpos(lower(domains.host || '/' || links.slug), lower(${search}::text)) > 0`,
    ),
  ];
  const [rows] =
    lists.length === 0
      ? [[]]
      : await readSnapshot(database, [{ query: sql.join(lists, sql` UNION ALL `), read: (all) => all }]);
  const found = rows.map(({ kind, id, text }) => ({ kind, id: String(id), text: String(text) }));
  const idsOf = (kind: string, isWanted: (text: string) => boolean) =>
    found.flatMap((row) => (row.kind === kind && isWanted(row.text) ? [row.id] : []));
  const linksOfTags = found
    .filter(({ kind }) => kind === "tag")
    .map(({ id, text }) => ({ tag: id, links: text }));
  return {
    domainsOf: (wanted) => idsOf("domain", (host) => wanted.includes(host)),
    linksOf: (wanted) =>
      linksOfTags.flatMap(({ tag, links }) => (wanted.includes(tag || null) ? [links] : [])),
    linksOfTags,
    linksWithin: found.flatMap(({ kind, text }) => (kind === "within" && text !== "" ? [text] : [])),
    matching: (dimension, search) => idsOf(`${dimension} search`, (text) => text === search),
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
