/** The front door: bindings in, ports out. What a redirect does is in handle.ts. */
import { createKvLinks } from "./adapters/kv-links.ts";
import { createPostgresLinks } from "./adapters/postgres-links.ts";
import { handleRequest, type RedirectDeps } from "./handle.ts";
import { isolateClickSink, isolateState } from "./isolate.ts";
import { createLinkDirectory } from "./link-directory.ts";
import { logToConsole, nameOfError } from "./log.ts";
import { respondCrashed } from "./respond.ts";

/** The database is the last tier: past this the visitor is better served by an honest 503. Milliseconds. */
const DATABASE_TIMEOUT_MS = 1_500;

export default {
  async fetch(request, env, ctx) {
    try {
      return await handleRequest(request, createDeps(env, ctx), (work) => ctx.waitUntil(work));
    } catch (error) {
      logToConsole({ event: "handler.crashed", reason: nameOfError(error) });
      return respondCrashed(request);
    }
  },
} satisfies ExportedHandler<ProducerEnv>;

function createDeps(env: ProducerEnv, ctx: ExecutionContext): RedirectDeps {
  const isolate = isolateState({ databaseUrl: env.DATABASE_URL, sqlEndpoint: env.NEON_SQL_ENDPOINT });
  const defer = (work: Promise<unknown>): void => ctx.waitUntil(work);
  return {
    links: createLinkDirectory({
      isolate: isolate.cache,
      kv: createKvLinks(env.LINKS),
      origin: createPostgresLinks(isolate.runSql, DATABASE_TIMEOUT_MS),
      defer,
      nowMs: Date.now,
      log: logToConsole,
    }),
    clicks: isolateClickSink(env, isolate),
    forwardToApi: (request) => env.API.fetch(request),
    nowMs: Date.now,
  };
}
