/**
 * The links of a domain that has lost its proof stay, and their addresses end: visitors get nothing, and the host's next owner
 * starts clean. When the domain is proved again, its links get their addresses back, except those that another link has
 * taken meanwhile, and except aliases. In steps, each in one transaction: a domain may have a million links.
 */
import type { Again } from "@hopline/db/work/run-work";
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { enqueueAgain, enqueueEnded, enqueueWrittenOn } from "../publishing/outbox.ts";
import type { Publisher } from "../publishing/publish-changes.ts";

/** A statement of some 100 ms. */
const LINKS_A_STATEMENT = 1_000;

/** The handler of the work of kind `domain-addresses`. What is wanted is read from the database. */
export async function syncAddresses(
  domainId: string,
  { database, publisher }: { readonly database: Database; readonly publisher: Publisher },
): Promise<Again | undefined> {
  const [, ended, placed, enqueued] = await database.batch([
    // Again, for a domain that `pnpm keys create` has vouched for: KV may hold the record of the host's owner before.
    enqueueAgain(database, [domainId], null),
    enqueueEnded(database, sql`(${liveAddressesOf(domainId)} LIMIT ${LINKS_A_STATEMENT})`, null),
    placeLinks(database, domainId),
    enqueueWrittenOn(database, domainId, null),
  ]);
  await publisher.publishLater(ended.rows.length + enqueued.rows.length);
  const isMore = Math.max(ended.rows.length, placed.rows.length) === LINKS_A_STATEMENT;
  return isMore ? { againInSeconds: 0 } : undefined;
}

function liveAddressesOf(domainId: string): SQL {
  return sql`
    SELECT addresses.host, addresses.slug
    FROM domains
    JOIN addresses ON addresses.host = domains.host AND addresses.ended_at IS NULL AND addresses.slug <> '*'
    JOIN links ON links.id = addresses.link_id AND links.domain_id = domains.id
    WHERE domains.id = ${domainId}::uuid AND NOT leads_visitors(domains)`;
}

/** A new version of a link takes its address again (place_link, migrations/0002). */
function placeLinks(database: Database, domainId: string) {
  return database.execute(sql`
    UPDATE links SET version = version + 1 WHERE id IN (
      SELECT links.id FROM domains JOIN links ON links.domain_id = domains.id AND links.state <> 'deleted'
      WHERE domains.id = ${domainId}::uuid AND leads_visitors(domains) AND NOT EXISTS (
        SELECT FROM addresses
        WHERE addresses.host = domains.host AND addresses.slug = links.slug AND addresses.ended_at IS NULL
      )
      ORDER BY links.slug LIMIT ${LINKS_A_STATEMENT}
    )
    RETURNING id`);
}
