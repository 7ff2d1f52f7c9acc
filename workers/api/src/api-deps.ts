/** What every route of the API is handed. */
import type { Principal } from "./http/api-key.ts";
import type { AppSchemes } from "./links/destination.ts";
import type { LiveSettings } from "./live/stream-clicks.ts";
import type { Log } from "./log.ts";
import type { ChangeSink, EdgeStore } from "./publishing/edge-ports.ts";
import type { Publisher } from "./publishing/publish-changes.ts";
import type { Assets } from "./http/reference-page.ts";
import type { VerifySession } from "./http/session-token.ts";
import type { Database } from "./database.ts";

export type ApiDeps = {
  readonly database: Database;
  readonly publisher: Publisher;
  readonly kv: EdgeStore;
  readonly feed: ChangeSink;
  readonly appSchemes: AppSchemes;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly log: Log;
  readonly access: AccessSettings;
  /** Opens /api/metrics; empty: nothing does. */
  readonly metricsToken: string;
  readonly live: LiveSettings;
  readonly assets: Assets;
  /** Resolves after so many milliseconds. */
  readonly wait: (ms: number) => Promise<unknown>;
};

export type AccessSettings = {
  /** A caller's requests in each window of 60 s. */
  readonly requestsPerMinute: number;
  /** Origins whose pages may call the API, as browsers write them: `https://app.example.com`. */
  readonly corsOrigins: readonly string[];
  /** `null` where no JWKS is configured: only API keys open anything. */
  readonly verifySession: VerifySession | null;
};

export type ApiContext = { Variables: { principal: Principal } };
