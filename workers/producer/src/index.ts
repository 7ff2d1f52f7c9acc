/** The front door: bindings in, ports out. What a redirect does is in handle.ts. */
import { createKvLinks } from "./adapters/kv-links.ts";
import { createMissLimit } from "./adapters/miss-limit.ts";
import { createPostgresLinks } from "./adapters/postgres-links.ts";
import { handleRequest, type RedirectDeps } from "./handle.ts";
import { isolateClickSink, isolateState } from "./isolate.ts";
import { createLinkDirectory } from "./link-directory.ts";
import { logToConsole, nameOfError } from "./log.ts";
import { readSettings } from "./read-settings.ts";
import { respondCrashed } from "./respond.ts";

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
  const { kvTimeoutMs, databaseTimeoutMs } = readSettings(env);
  const isolate = isolateState({ databaseUrl: env.DATABASE_URL, sqlEndpoint: env.NEON_SQL_ENDPOINT });
  return {
    links: createLinkDirectory({
      isolate: isolate.cache,
      kv: createKvLinks(env.LINKS),
      origin: createPostgresLinks(isolate.runSql, databaseTimeoutMs),
      nowMs: Date.now,
      wait: (ms) => scheduler.wait(ms),
      log: logToConsole,
      limits: { kvTimeoutMs, originTimeoutMs: databaseTimeoutMs },
    }),
    misses: createMissLimit(env.MISS_LIMIT),
    clicks: isolateClickSink(env, isolate),
    forwardToApi: (request) => env.API.fetch(request),
    nowMs: Date.now,
    log: logToConsole,
  };
}

function crash(error: unknown, request: Request): Response {
  logToConsole({ event: "handler.crashed", reason: nameOfError(error) });
  return respondCrashed(request);
}
