/** The API's routes and their common frame: authentication, limits, one form of error. */
import { OpenAPIHono } from "@hono/zod-openapi";
import { toDatabaseFailure } from "@hopline/db/database-failure";
import { cors } from "hono/cors";
import { HTTPException } from "hono/http-exception";
import { answerOptions, createMethodsOf, endUnreadBody, refuseOtherMethods } from "./http/allowed-methods.ts";
import type { ApiContext, ApiDeps } from "./api-deps.ts";
import { authenticate } from "./http/authenticate.ts";
import { answerNotModified } from "./http/entity-tag.ts";
import { replayRepeatedPosts } from "./http/idempotency.ts";
import { type Log, nameOfError } from "./log.ts";
import { API_KEY_SCHEME, METRICS_TOKEN_SCHEME, OPENAPI_INFO, OPENAPI_PATH } from "./http/document.ts";
import { ProblemError, toFieldPath, toProblemResponse } from "./http/problem.ts";
import {
  fetchReferenceScript,
  REFERENCE_PATH,
  REFERENCE_SCRIPT_PATH,
  toReferencePage,
} from "./http/reference-page.ts";
import { limitBody, requireKnownBody } from "./http/request-limits.ts";
import { listOperations } from "./operations.ts";

/** Chrome keeps a preflight no longer than two hours. */
const PREFLIGHT_SECONDS = 7_200;

/** The application. Its type names every route, which is what the typed client is derived from. */
export function createApp(deps: ApiDeps) {
  const app = new OpenAPIHono<ApiContext>({
    defaultHook: (result) =>
      result.success
        ? undefined
        : toProblemResponse(
            "invalid",
            result.error.issues.map((issue) => ({ path: toFieldPath(issue.path), message: issue.message })),
          ),
  });
  app.onError((error) => toErrorResponse(error, deps.log));
  app.notFound(() => toProblemResponse("not_found"));
  const methodsOf = createMethodsOf(app);
  app.use("/api/*", endUnreadBody);
  app.use("/api/*", answerOptions(methodsOf));
  app.use("/api/*", allowOrigins(deps.access.corsOrigins));
  app.use("/api/*", refuseOtherMethods(methodsOf));
  app.use("/api/*", answerNotModified);
  app.use("/api/v1/*", authenticate({ database: deps.database, ...deps.access }));
  app.use("*", limitBody);
  app.use("*", requireKnownBody);
  app.use("/api/v1/*", replayRepeatedPosts(deps.database));
  app.openAPIRegistry.registerComponent("securitySchemes", "apiKey", API_KEY_SCHEME);
  app.openAPIRegistry.registerComponent("securitySchemes", "metricsToken", METRICS_TOKEN_SCHEME);
  app.doc31(OPENAPI_PATH, OPENAPI_INFO);
  app.get(REFERENCE_PATH, () => toReferencePage());
  app.get(REFERENCE_SCRIPT_PATH, ({ req }) => fetchReferenceScript(req.raw, deps.assets));
  return app.openapiRoutes(listOperations(deps));
}

export type ApiApp = ReturnType<typeof createApp>;

/** Browsers may call with a key from the configured origins; no cookie ever counts. */
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
  // drizzle wraps what the driver throws in an error of its own and keeps the original as its cause.
  const cause = error.cause ?? error;
  const { reason: failure, sqlState } = toDatabaseFailure(cause);
  const reason = nameOfError(cause);
  if (DATABASE_ERRORS.has(reason) && failure === "unavailable") {
    log({ event: "database.unavailable", reason, sqlState });
    return toProblemResponse("database_unavailable");
  }
  log({ event: "handler.crashed", reason, sqlState });
  return toProblemResponse("internal_error");
}

/** The driver's own, and that of our deadline where it cuts off an answer that has begun. */
const DATABASE_ERRORS: ReadonlySet<string> = new Set(["NeonDbError", "TimeoutError"]);
