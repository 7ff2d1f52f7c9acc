/** What every route of the API is handed. */
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Principal } from "./api-key.ts";
import type { Log } from "./log.ts";
import type { Publisher } from "./publishing/publish-changes.ts";
import type { Database } from "./store/database.ts";

export type ApiDeps = {
  readonly database: Database;
  readonly publisher: Publisher;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly log: Log;
};

export type ApiContext = { Variables: { principal: Principal } };

export type ApiApp = OpenAPIHono<ApiContext>;
