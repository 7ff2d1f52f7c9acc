/** The change feed's Durable Object as a port. */
import { CHANGE_FEED_NAME, placedAt } from "@hopline/core/feed/change-page";
import type { ChangeFeed } from "../change-feed.ts";
import type { ChangeSink } from "./edge-ports.ts";

/** A call may carry 32 MiB; a record with many rules has about 64 KB. */
const CHANGES_PER_CALL = 200;

/** @param location CHANGE_FEED_LOCATION: where the object is made, if it is not there yet. */
export function createDurableChangeFeed(
  namespace: Pick<DurableObjectNamespace<ChangeFeed>, "getByName">,
  location: string | undefined,
): ChangeSink {
  const open = () => namespace.getByName(CHANGE_FEED_NAME, placedAt(location));
  return {
    async append(changes) {
      const feed = open();
      for (let start = 0; start < changes.length; start += CHANGES_PER_CALL) {
        await feed.append(
          changes
            .slice(start, start + CHANGES_PER_CALL)
            .map(({ key, version, recordText }) => ({ key, version, recordText })),
        );
      }
    },
    find: (key) => open().find(key),
  };
}
