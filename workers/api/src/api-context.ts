/** What every route of the API is handed. */
import type { Principal } from "./api-key.ts";
import type { Log } from "./log.ts";
import type { PublishLink } from "./publish-link.ts";
import type { Database } from "./store/database.ts";

export type ApiDeps = {
  readonly database: Database;
  readonly publish: PublishLink;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly log: Log;
};

export type ApiContext = { Variables: { principal: Principal } };
