/** The front door: bindings in, ports out. What a redirect does is in handle.ts. */
import { createFeedSource } from "./adapters/feed-source.ts";
import { createKvLinks } from "./adapters/kv-links.ts";
import { createLazyPostgres } from "./adapters/lazy-postgres.ts";
import { createMissLimit } from "./adapters/miss-limit.ts";
import { createPasswordLimit } from "./adapters/password-limit.ts";
import { findClickShards } from "./adapters/queue-shards.ts";
import { waitFor } from "./adapters/timer.ts";
import { createAnswerCounter } from "./count-answers.ts";
import type { RedirectDeps } from "./exchange.ts";
import { handleRequest } from "./handle.ts";
import { isolateClickSink, type IsolateState, isolateState } from "./isolate.ts";
import { takeIn } from "./change-feed/apply-changes.ts";
import { createChangeFollower, FOLLOW_NOTHING } from "./change-feed/follow-changes.ts";
import { rescueByAnnounced, yieldToAnnounced } from "./change-feed/yield-to-announced.ts";
import { decodeForCache } from "./decode-for-cache.ts";
import { withPages } from "./lazy-parts.ts";
import { createLinkDirectory } from "./link-directory.ts";
import { logToConsole, nameOfError } from "./log.ts";
import type { ChangeFollower } from "./ports.ts";
import { readSettings } from "./read-settings.ts";

export default {
  fetch(request, env, ctx) {
    try {
      const response = handleRequest(request, depsOf(env), (work) => ctx.waitUntil(work));
      return response instanceof Promise ? response.catch((error) => crash(error, request)) : response;
    } catch (error) {
      return crash(error, request);
    }
  },
} satisfies ExportedHandler<ProducerEnv>;

/** An isolate has one `env` for its whole life: its ports are made with the first request. */
let bound: { readonly env: ProducerEnv; readonly deps: RedirectDeps } | undefined;

function depsOf(env: ProducerEnv): RedirectDeps {
  if (bound?.env !== env) {
    bound = { env, deps: createDeps(env) };
  }
  return bound.deps;
}

function createDeps(env: ProducerEnv): RedirectDeps {
  const { kvTimeoutMs, databaseTimeoutMs, followsChanges } = readSettings(env);
  const isolate = isolateState();
  const postgres = createLazyPostgres(
    { databaseUrl: env.DATABASE_URL, sqlEndpoint: env.NEON_SQL_ENDPOINT },
    databaseTimeoutMs,
  );
  return {
    links: createLinkDirectory({
      isolate: isolate.cache,
      kv: yieldToAnnounced(createKvLinks(env.LINKS), isolate.announced, decodeForCache),
      origin: rescueByAnnounced(postgres.links, isolate.announced, decodeForCache),
      nowMs: Date.now,
      wait: waitFor,
      log: logToConsole,
      limits: { kvTimeoutMs, originTimeoutMs: databaseTimeoutMs },
    }),
    changes: followsChanges ? followChanges(env, isolate) : FOLLOW_NOTHING,
    misses: createMissLimit(env.MISS_LIMIT),
    passwords: createPasswordLimit(env.PASSWORD_LIMIT),
    secret: env.SEAL_KEY,
    caps: postgres.caps,
    clicks: isolateClickSink(env, isolate),
    answers: createAnswerCounter({
      meter: isolate.answers,
      buffer: isolate.clicks,
      shards: findClickShards(env),
      random: Math.random,
      log: logToConsole,
    }),
    forwardToApi: (request) => env.API.fetch(request),
    nowMs: Date.now,
    log: logToConsole,
  };
}

function followChanges(env: ProducerEnv, { cache, announced, answers }: IsolateState): ChangeFollower {
  return createChangeFollower({
    source: createFeedSource({
      namespace: env.CHANGE_FEED,
      openCache: () => caches.default,
      nowMs: Date.now,
    }),
    apply: (change) => takeIn({ cache, announced }, change, decodeForCache),
    distrust: () => cache.markAllStale(),
    noteRead: (knownAtMs) => answers.noteFeed(knownAtMs),
    nowMs: Date.now,
    wait: waitFor,
    log: logToConsole,
  });
}

function crash(error: unknown, request: Request): Response | Promise<Response> {
  logToConsole({ event: "handler.crashed", reason: nameOfError(error) });
  return withPages(({ respondCrashed }) => respondCrashed(request));
}
