/** The change feed's Durable Object as a port. */
import { CHANGE_FEED_NAME } from "@hopline/core/feed/change-page";
import type { ChangeFeed } from "./change-feed.ts";
import type { ChangeSink } from "./edge-ports.ts";

/** A call may carry 32 MiB; a record with many rules has about 64 KB. */
const CHANGES_PER_CALL = 200;

export function createDurableChangeFeed(namespace: DurableObjectNamespace<ChangeFeed>): ChangeSink {
  return {
    async append(changes) {
      const feed = namespace.getByName(CHANGE_FEED_NAME);
      for (let start = 0; start < changes.length; start += CHANGES_PER_CALL) {
        await feed.append(
          changes
            .slice(start, start + CHANGES_PER_CALL)
            .map(({ key, version, recordText }) => ({ key, version, recordText })),
        );
      }
    },
    find: (key) => namespace.getByName(CHANGE_FEED_NAME).find(key),
  };
}
