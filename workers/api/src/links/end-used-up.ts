/**
 * Ends links that have reached their click cap, by publishing a record that says so. A strict cap never lets more clicks
 * through; this saves it the look-up. A fast cap ends only with this: after the queue delay of the click that reached it, this
 * run and the feed's delay.
 */
import { encodeLinkRecord } from "@hopline/core/link/link-record";
import { linkCaps, links } from "@hopline/db/schema";
import { and, asc, eq, gt, gte, ne, not, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { isOneOf } from "../to-sql.ts";
import { type EnqueuedChange, enqueueWritten, IS_WRITTEN_HERE, toEnqueued } from "../publishing/outbox.ts";
import type { Publisher } from "../publishing/publish-changes.ts";
import { decodeStored } from "./compile-record.ts";
import { lockLinks } from "./store/lock-links.ts";

export type EndUsedUpDeps = { readonly database: Database; readonly publisher: Publisher };

/** Of one transaction. */
const LINKS_AT_ONCE = 250;

/**
 * How many links were ended. They are announced to the isolates; the publishing queue writes them to KV. Links that are
 * changed at the same moment are left to the next run. Rejects when the database can't be reached, and, after all others
 * are ended, when a link's record can't be read.
 */
export async function endUsedUp(deps: EndUsedUpDeps): Promise<number> {
  let ended = 0;
  let malformed = 0;
  let after = "00000000-0000-0000-0000-000000000000";
  for (;;) {
    const found = await findUsedUp(deps.database, after);
    const items = found.flatMap(toEnded);
    malformed += found.length - items.length;
    const changes = await endLinks(deps.database, items);
    if (changes.length > 0) {
      await Promise.all([
        deps.publisher.publish(changes, deps.publisher.newLease()),
        deps.publisher.publishLater(changes.length),
      ]);
    }
    ended += changes.length;
    const last = found.at(-1);
    if (last === undefined || found.length < LINKS_AT_ONCE) {
      break;
    }
    // Not from the start again: what could not be ended would come back for ever.
    after = last.id;
  }
  if (malformed > 0) {
    throw new Error(`invariant: the records of ${malformed} links are malformed`);
  }
  return ended;
}

/** A link in its stored version, with the record of the next one. None if the stored record can't be read. */
function toEnded({ id, version, record }: UsedUpLink): readonly UsedUpLink[] {
  const decoded = decodeStored(record);
  if (!decoded.ok) {
    return [];
  }
  const { cap, ...rest } = decoded.value;
  const next = { ...rest, ...(cap && { cap: { ...cap, isUsedUp: true } }) };
  return [{ id, version, record: encodeLinkRecord(next) }];
}

type UsedUpLink = { readonly id: string; readonly version: number; readonly record: string };

async function findUsedUp(database: Database, after: string): Promise<readonly UsedUpLink[]> {
  return database
    .select({ id: links.id, version: links.version, record: links.record })
    .from(linkCaps)
    .innerJoin(links, eq(links.id, linkCaps.linkId))
    .where(and(IS_TO_BE_ENDED, ne(links.state, "deleted"), gt(linkCaps.linkId, after)))
    .orderBy(asc(linkCaps.linkId))
    .limit(LINKS_AT_ONCE);
}

const IS_USED_UP = gte(linkCaps.used, linkCaps.maxClicks);
/** As in the index link_caps_to_publish. */
const IS_TO_BE_ENDED = and(not(linkCaps.publishedUsedUp), IS_USED_UP);

/** In one transaction. A link in another version is skipped. */
async function endLinks(
  database: Database,
  items: readonly UsedUpLink[],
): Promise<readonly EnqueuedChange[]> {
  if (items.length === 0) {
    return [];
  }
  const ids = items.map(({ id }) => id);
  const [, , enqueued] = await database.batch([
    lockLinks(database, ids),
    database.execute(sql`
      UPDATE links SET version = item.version + 1, record = item.record, updated_at = now()
      FROM jsonb_to_recordset(${JSON.stringify(items)}::jsonb) AS item (id uuid, version bigint, record text)
      WHERE links.id = item.id AND links.version = item.version`),
    enqueueWritten(database, ids, null),
    database
      .update(linkCaps)
      .set({ publishedUsedUp: true })
      .from(links)
      .where(and(eq(links.id, linkCaps.linkId), isOneOf(linkCaps.linkId, ids), IS_WRITTEN_HERE, IS_USED_UP)),
  ]);
  return toEnqueued(enqueued);
}
