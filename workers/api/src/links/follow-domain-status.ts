/**
 * Gives links that name no redirect status the one that their domain has now. The status stands in each link's record,
 * so that a redirect need not look at its domain; a change of the default is therefore a new version of each of them.
 * What is left to do is known from the rows alone, so a crash or a race loses nothing: the job looks again every minute.
 */
import { encodeLinkRecord } from "@hopline/core/link/link-record";
import { readRecord } from "./compile-record.ts";
import { defaultStatusOf } from "./default-status.ts";
import type { Publisher } from "../publishing/publish-changes.ts";
import type { Database } from "../database.ts";
import { clearFollowed, findLinksBehind, restampLinks } from "./store/links-behind.ts";

/** As many as one round of publishing writes to KV well within its lease. */
export const FOLLOW_AT_ONCE = 250;

/** Of one domain, or of all that were changed. */
type Work = { readonly maxLinks: number; readonly domainId?: string };

type Deps = { readonly database: Database; readonly publisher: Publisher };

/**
 * Brings up to `maxLinks` of them up to date, oldest change first, and returns how many. Rejects when the database can't
 * be asked; then the rest waits for the next run.
 */
export async function followDomainStatus(
  { maxLinks, domainId }: Work,
  { database, publisher }: Deps,
): Promise<number> {
  let done = 0;
  while (done < maxLinks) {
    const limit = Math.min(FOLLOW_AT_ONCE, maxLinks - done);
    const behind = await findLinksBehind(database, limit, domainId);
    const lease = publisher.newLease();
    const changes = await restampLinks(
      database,
      behind.map(({ id, version, record, domainStatus }) => {
        const redirectStatus = defaultStatusOf({ redirectStatus: domainStatus });
        const restamped = { ...readRecord(record), version: version + 1, redirectStatus };
        return { id, version, redirectStatus, record: encodeLinkRecord(restamped) };
      }),
      lease,
    );
    await publisher.publish(changes, lease);
    done += changes.length;
    if (behind.length < limit) {
      await clearFollowed(database);
      break;
    }
    if (changes.length === 0) {
      // All of them were changed by somebody else meanwhile, who gave them the new status.
      break;
    }
  }
  return done;
}
