/**
 * The bounds of a request's caller, for every statement about links. In an AsyncLocalStorage, as with who acts (acting.ts), so that
 * no store can be called without them. Where there are none, a statement is what it was.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { type Bounds, isWithin, NO_BOUNDS } from "@hopline/db/links/bounds";
import { and, type SQL, sql } from "drizzle-orm";
import { toSql } from "../../to-sql.ts";

const storage = new AsyncLocalStorage<Bounds>();

/** In everything that `run` reads and writes, there is nothing outside of these. */
export function actWithin<Result>(bounds: Bounds, run: () => Result): Result {
  return storage.run(bounds, run);
}

export function boundsNow(): Bounds {
  return storage.getStore() ?? NO_BOUNDS;
}

/** A condition on rows of `links`; `undefined` without bounds. */
export function isWithinBounds(): SQL | undefined {
  const condition = isWithin(boundsNow());
  return condition === null ? undefined : toSql(condition);
}

/** The same for a WHERE that is written out. */
export function andWithinBounds(): SQL {
  const condition = isWithinBounds();
  return condition === undefined ? sql`` : sql` AND ${condition}`;
}

/** A condition on the column of a domain's id: new links can be on it. `undefined` where bounds name no domains. */
export function isDomainWithin(id: SQL): SQL | undefined {
  return isInEach(
    id,
    boundsNow().map(({ domainIds }) => domainIds),
  );
}

/** `undefined`: there are no lists. */
function isInEach(id: SQL, lists: readonly (readonly string[] | undefined)[]): SQL | undefined {
  return and(...lists.map((ids) => ids && sql`${id} = ANY(${sql.param([...ids])}::uuid[])`));
}

/**
 * A condition on rows of `folders`: bounds name it, or if they name none, it has a link within them. `undefined` without bounds. Of a
 * create-only key they have to name it: it sees no links, and a stranger who holds it could try names.
 */
export function isFolderWithin(): SQL | undefined {
  const isNamed = isInEach(
    sql`folders.id`,
    boundsNow().map(({ folderIds, createOnly }) => folderIds ?? (createOnly && [])),
  );
  const isWanted = isWithinBounds();
  return (
    isNamed ??
    (isWanted &&
      sql`EXISTS (SELECT FROM links WHERE links.folder_id = folders.id AND links.state <> 'deleted' AND ${isWanted})`)
  );
}
