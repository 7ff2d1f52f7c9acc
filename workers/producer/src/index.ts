/** The front door. What a redirect does is in handle.ts, what an isolate holds in isolate.ts. */
import { nameOfError } from "@hopline/edge-cache/with-timeout";
import { respondPage } from "./answer/respond-page.ts";
import { handleRequest } from "./handle.ts";
import { depsOf } from "./isolate.ts";
import { logToConsole } from "./log.ts";

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

function crash(error: unknown, request: Request): Promise<Response> {
  logToConsole({ event: "handler.crashed", reason: nameOfError(error) });
  return respondPage(request, "internal_error");
}
