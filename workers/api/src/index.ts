/** The API Worker: builds the application from the bindings. Reached only through the producer's service binding. */
import { WorkerEntrypoint } from "cloudflare:workers";
import type { AppSchemes } from "./api-deps.ts";
import { type ApiApp, createApp } from "./app.ts";
import { type Database, openDatabase } from "./database.ts";
import {
  CLOUDFLARE_API_URL,
  createCustomHostnames,
  type CustomHostnameVariables,
  readCustomHostnameAccess,
} from "./domains/custom-hostnames.ts";
import { createDnsOverHttps, DNS_TIMEOUT_MS, readResolverUrl } from "./domains/dns-over-https.ts";
import { readVouchedSuffixes } from "./domains/host-name.ts";
import { readAccessSettings } from "./http/access-settings.ts";
import { readAppSchemes } from "./links/destination.ts";
import { endUsedUp } from "./links/end-used-up.ts";
import { followDomainStatus } from "./links/follow-domain-status.ts";
import { LIVE_SETTINGS } from "./live/stream-clicks.ts";
import { logToConsole, nameOfError } from "./log.ts";
import { createDurableChangeFeed } from "./publishing/durable-change-feed.ts";
import { createKvEdgeStore } from "./publishing/kv-edge-store.ts";
import { createPublisher, LEASE_SECONDS, type Publisher } from "./publishing/publish-changes.ts";

export { ChangeFeed } from "./publishing/change-feed.ts";

/** The job runs every minute. It ends before the next run starts, and within KV's 1,000 operations per invocation. */
const MAX_JOB_MS = 50_000;
const MAX_JOB_CHANGES = 900;

type Parts = {
  readonly app: ApiApp;
  readonly publisher: Publisher;
  readonly database: Database;
  readonly appSchemes: AppSchemes;
};

/** Created with the first request: bindings never change while an isolate lives. */
let parts: Parts | undefined;

export default {
  fetch(request, env, ctx) {
    parts ??= createParts(env);
    return parts.app.fetch(request, env, ctx);
  },

  async scheduled(_controller, env) {
    parts ??= createParts(env);
    await endUsedUpLinks(parts);
    const { published, failed } = await parts.publisher.republish({
      maxChanges: MAX_JOB_CHANGES,
      maxDurationMs: MAX_JOB_MS,
      nowMs: Date.now,
      wait: (forMs) => scheduler.wait(forMs),
    });
    if (published + failed > 0) {
      logToConsole({ event: "outbox.republished", published, failed });
    }
    await followNewStatus(MAX_JOB_CHANGES - published - failed, parts);
  },
} satisfies ExportedHandler<ApiEnv>;

/** Called by the consumer when clicks have brought links to their caps. Not reachable from outside. */
export class UsedUpLinks extends WorkerEntrypoint<ApiEnv> {
  override async fetch(): Promise<Response> {
    parts ??= createParts(this.env);
    await endUsedUpLinks(parts);
    return new Response(null, { status: 204 });
  }
}

/** Never rejects: the next run continues. */
async function endUsedUpLinks(deps: Parts): Promise<void> {
  try {
    const links = await endUsedUp(deps);
    if (links > 0) {
      logToConsole({ event: "caps.ended", links });
    }
  } catch (error) {
    logToConsole({ event: "caps.failed", reason: nameOfError(error) });
  }
}

/** Never rejects: the next run continues. */
async function followNewStatus(maxLinks: number, deps: Parts): Promise<void> {
  try {
    const links = await followDomainStatus({ maxLinks }, deps);
    if (links > 0) {
      logToConsole({ event: "links.followed_domain", links });
    }
  } catch (error) {
    logToConsole({ event: "links.follow_failed", reason: nameOfError(error) });
  }
}

function createParts(env: ApiEnv): Parts {
  const database = openDatabase({ databaseUrl: env.DATABASE_URL, sqlEndpoint: env.NEON_SQL_ENDPOINT });
  const edge = {
    kv: createKvEdgeStore(env.LINKS, Date.now),
    feed: createDurableChangeFeed(env.CHANGE_FEED),
  };
  const publisher = createPublisher({
    ...edge,
    database,
    newLeaseId: () => crypto.randomUUID(),
    leaseSeconds: LEASE_SECONDS,
    log: logToConsole,
  });
  const appSchemes = readAppSchemes(env);
  const app = createApp({
    ...edge,
    database,
    publisher,
    appSchemes,
    vouchedSuffixes: readVouchedSuffixes(env),
    lookUpTexts: createDnsOverHttps({
      resolverUrl: readResolverUrl(env),
      timeoutMs: DNS_TIMEOUT_MS,
      fetch: (url, init) => fetch(url, init),
    }),
    customHostnames: openCustomHostnames(env),
    access: readAccessSettings(env),
    networkLimits: { failedKeys: env.FAILED_KEY_LIMIT, anonymous: env.ANONYMOUS_LIMIT },
    metricsToken: env.METRICS_TOKEN ?? "",
    live: LIVE_SETTINGS,
    assets: env.ASSETS,
    wait: (ms) => scheduler.wait(ms),
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    nowMs: Date.now,
    log: logToConsole,
  });
  return { app, publisher, database, appSchemes };
}

function openCustomHostnames(env: CustomHostnameVariables) {
  const access = readCustomHostnameAccess(env);
  return access === null
    ? null
    : createCustomHostnames({
        ...access,
        apiUrl: CLOUDFLARE_API_URL,
        fetch: (url, init) => fetch(url, init),
      });
}
