/** The API Worker: bindings in, application out. Reached only through the producer's service binding. */
import { readAccessSettings } from "./access-settings.ts";
import { type ApiApp, createApp } from "./app.ts";
import { logToConsole } from "./log.ts";
import { createPublishLink } from "./publish-link.ts";
import { openDatabase } from "./store/database.ts";

/** Made with the first request: bindings never change in the life of an isolate. */
let app: ApiApp | undefined;

export default {
  fetch(request, env, ctx) {
    app ??= createApp({
      database: openDatabase({ databaseUrl: env.DATABASE_URL, sqlEndpoint: env.NEON_SQL_ENDPOINT }),
      publish: createPublishLink(env.LINKS),
      randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
      log: logToConsole,
      access: readAccessSettings(env),
    });
    return app.fetch(request, env, ctx);
  },
} satisfies ExportedHandler<ApiEnv>;
