/** The locks of a transaction that writes many links. */
import { addresses, links } from "@hopline/db/schema";
import { sql } from "drizzle-orm";
import type { Database } from "../../database.ts";
import type { OutboxStatement } from "../../publishing/outbox.ts";
import { isOneOf } from "../../to-sql.ts";

/**
 * The first statement of such a transaction: locks the links, then their domains as their triggers do (place_link, migrations/0002),
 * both in the order of their ids. Edits of several links, ends of caps and suspensions lock in this order, so that none deadlocks with
 * another. A tag that is replaced (tags/replace-tag.ts) locks its links in no order: it may be repeated.
 *
 * @param isForwarding some of them will forward what follows their slug.
 */
export function lockLinks(database: Database, ids: readonly string[], isForwarding = false): OutboxStatement {
  const areTheirs = sql`id IN (SELECT domain_id FROM locked)`;
  const isListed = sql`(${isForwarding}::boolean OR EXISTS (
    SELECT FROM addresses WHERE ${isOneOf(addresses.linkId, ids)} AND slug LIKE '%/*'))`;
  return database.execute(sql`
    WITH locked AS MATERIALIZED (
      SELECT domain_id FROM links WHERE ${isOneOf(links.id, ids)} ORDER BY id FOR NO KEY UPDATE
    )
    SELECT FROM (SELECT FROM domains WHERE ${areTheirs} AND ${isListed} ORDER BY id FOR NO KEY UPDATE) AS alone
    UNION ALL SELECT FROM (SELECT FROM domains WHERE ${areTheirs} AND NOT ${isListed} ORDER BY id FOR SHARE) AS shared`);
}
