/** Destroys links that have been in the trash for too long, with their clicks: of every workspace, a slice at a time. */
import type { WorkHandler } from "@hopline/db/work/run-work";
import type { Database } from "../database.ts";
import { destroyExpired } from "./store/trash-store.ts";

/** One item for all of them. */
export const EMPTY_TRASH = { kind: "empty-trash", key: "all" } as const;

/** Each is also an item of work, which removes its clicks. */
const LINKS_A_STATEMENT = 500;
const AGAIN_AFTER_SECONDS = 3_600;

export function emptyTrashHandler(database: Database, linksAStatement = LINKS_A_STATEMENT): WorkHandler {
  return {
    async run() {
      const destroyed = await destroyExpired(database, linksAStatement);
      return { againInSeconds: destroyed === linksAStatement ? 0 : AGAIN_AFTER_SECONDS };
    },
    timeLimitMs: 20_000,
    atOnce: 1,
    maxDelaySeconds: 600,
  };
}
