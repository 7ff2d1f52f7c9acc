/** The application: the frame around every operation (authentication, limits, one form of error) and the operations. */
import { OpenAPIHono } from "@hono/zod-openapi";
import { cors } from "hono/cors";
import { createMiddleware } from "hono/factory";
import { HTTPException } from "hono/http-exception";
import {
  answerOptions,
  cancelUnreadBody,
  createMethodsOf,
  refuseOtherMethods,
} from "./http/allowed-methods.ts";
import type { ApiDeps } from "./api-deps.ts";
import { type ApiContext, authenticate } from "./http/authenticate.ts";
import { answerNotModified } from "./http/entity-tag.ts";
import { failureOf } from "./database.ts";
import { type Log, nameOfError } from "./log.ts";
import {
  API_KEY_SCHEME,
  METRICS_TOKEN_SCHEME,
  OPENAPI_INFO,
  OPENAPI_PATH,
  serveOnce,
  SESSION_SCHEME,
} from "./http/document.ts";
import { limitAnonymous } from "./http/network-limits.ts";
import { ProblemError, toFieldErrors, toProblemResponse } from "./http/problem.ts";
import {
  fetchReferenceScript,
  REFERENCE_PATH,
  REFERENCE_SCRIPT_PATH,
  toReferencePage,
} from "./http/reference-page.ts";
import { limitBody, requireKnownBody } from "./http/request-limits.ts";
import { HEALTH_PATH } from "./metrics/health.ts";
import { serveForms } from "./people/forms.ts";
import { onlyAtApp, onlyFromApp } from "./people/same-origin.ts";
import { listOperations } from "./operations.ts";

/** Chrome caches a preflight for two hours at most. */
const PREFLIGHT_SECONDS = 7_200;

/** Its type names every route; the typed client is derived from it. */
export function createApp(deps: ApiDeps) {
  const app = new OpenAPIHono<ApiContext>({
    defaultHook: (result) =>
      result.success ? undefined : toProblemResponse("invalid", toFieldErrors(result.error)),
  });
  app.onError((error) => toErrorResponse(error, deps.log));
  app.notFound(() => toProblemResponse("not_found"));
  const methodsOf = createMethodsOf(app);
  app.use("*", forbidSniffing);
  app.use("/api/*", cancelUnreadBody);
  app.use("/api/*", answerOptions(methodsOf));
  app.use("/api/*", allowOrigins(deps.access.corsOrigins));
  app.use("/api/*", refuseOtherMethods(methodsOf));
  app.use("/api/*", answerNotModified);
  for (const path of [HEALTH_PATH, OPENAPI_PATH, `${REFERENCE_PATH}/*`, "/api/auth/*"]) {
    app.use(path, limitAnonymous(deps.networkLimits.anonymous));
  }
  const settings = deps.people?.settings ?? null;
  for (const path of [
    "/api/auth/*",
    "/api/v1/me",
    "/api/v1/me/*",
    "/api/v1/sessions",
    "/api/v1/sessions/*",
  ]) {
    app.use(path, onlyAtApp(settings));
  }
  app.use("/api/auth/*", onlyFromApp(settings));
  app.use("/api/v1/*", authenticate({ ...deps, ...deps.access, people: settings }));
  serveForms(app);
  app.use("*", limitBody);
  app.use("*", requireKnownBody);
  app.openAPIRegistry.registerComponent("securitySchemes", "apiKey", API_KEY_SCHEME);
  app.openAPIRegistry.registerComponent("securitySchemes", "session", SESSION_SCHEME);
  app.openAPIRegistry.registerComponent("securitySchemes", "metricsToken", METRICS_TOKEN_SCHEME);
  app.get(
    OPENAPI_PATH,
    serveOnce(() => app.getOpenAPI31Document(OPENAPI_INFO)),
  );
  app.get(REFERENCE_PATH, () => toReferencePage());
  app.get(REFERENCE_SCRIPT_PATH, ({ req }) => fetchReferenceScript(req.raw, deps.assets));
  return app.openapiRoutes(listOperations(deps));
}

/** A browser must not take an answer for another type than it says. */
const forbidSniffing = createMiddleware(async (context, next) => {
  await next();
  context.header("x-content-type-options", "nosniff");
});

export type ApiApp = ReturnType<typeof createApp>;

/** Pages of the configured origins may call with a key. Browsers never send them a session's cookie: credentials are not allowed. */
function allowOrigins(origins: readonly string[]) {
  return cors({
    origin: [...origins],
    allowMethods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
    allowHeaders: [
      "authorization",
      "content-type",
      "idempotency-key",
      "if-match",
      "if-none-match",
      "last-event-id",
    ],
    exposeHeaders: [
      "allow",
      "etag",
      "idempotency-replayed",
      "location",
      "ratelimit-limit",
      "ratelimit-remaining",
      "ratelimit-reset",
      "retry-after",
    ],
    maxAge: PREFLIGHT_SECONDS,
  });
}

function toErrorResponse(error: Error, log: Log): Response {
  if (error instanceof ProblemError) {
    return toProblemResponse(error.code, error.errors);
  }
  if (error instanceof HTTPException && error.status === 400) {
    return toProblemResponse("body_malformed");
  }
  const { reason: failure, sqlState } = failureOf(error);
  const reason = nameOfError(error.cause ?? error);
  if (DATABASE_ERRORS.has(reason) && failure === "unavailable") {
    log({ event: "database.unavailable", reason, sqlState });
    return toProblemResponse("database_unavailable");
  }
  log({ event: "handler.crashed", reason, sqlState });
  return toProblemResponse("internal_error");
}

/** The driver's own error, and that of our deadline when it cuts off an answer that has begun. */
const DATABASE_ERRORS: ReadonlySet<string> = new Set(["NeonDbError", "TimeoutError"]);
