/**
 * How much a key or a member may: which of a workspace's links, and what is counted of them, exist for it. The one predicate for
 * that, which statements that read or change links carry. Without bounds there is none, and a statement is what it was.
 */
import { type Sql, sql } from "../sql.ts";

/** Every part that is there has to let a link through; of the values of one part any. An empty part lets nothing through. */
export type Bound = {
  readonly domainIds?: readonly string[];
  /** Folders that are there. */
  readonly folderIds?: readonly string[];
  readonly tags?: readonly string[];
  /** Of keys and people: links that one of them made. */
  readonly makerIds?: readonly string[];
  readonly createOnly?: CreateOnly;
};

/** A key that a browser may hold: nothing but new links. */
export type CreateOnly = {
  /** Of the pages that use it: `https://www.example.com`. */
  readonly origins: readonly string[];
  /** Where its links may lead, with the port where there is one. */
  readonly destinationHosts: readonly string[];
  readonly linksPerMinute: number;
};

/** As `api_keys` and `members` keep it: ids, of tags too. `own`: of keys; `true` of a member: of the person and their keys. */
export type StoredBound = {
  readonly domains?: readonly string[];
  readonly folders?: readonly string[];
  readonly tags?: readonly string[];
  readonly own?: readonly string[] | true;
  readonly createOnly?: CreateOnly;
};

/** All of them have to let a link through: a key's own, and its maker's. */
export type Bounds = readonly Bound[];

export const NO_BOUNDS: Bounds = [];

/** On rows of `links`, deleted ones too. `null`: there are no bounds. */
export function isWithin(bounds: Bounds): Sql | null {
  const conditions = bounds.flatMap(({ domainIds, folderIds, tags, makerIds }) => [
    ...(domainIds === undefined ? [] : [sql`links.domain_id = ANY(${domainIds}::uuid[])`]),
    ...(folderIds === undefined ? [] : [sql`links.folder_id = ANY(${folderIds}::uuid[])`]),
    ...(tags === undefined ? [] : [sql`links.tags && ${tags}::text[]`]),
    ...(makerIds === undefined ? [] : [sql`links.maker_id = ANY(${makerIds}::uuid[])`]),
  ]);
  // Each as an index reads it. NULL, as of a link in no folder, lets nothing through: nobody asks for the rest by NOT.
  return conditions.length === 0 ? null : sql`(${sql.join(conditions, sql` AND `)})`;
}
