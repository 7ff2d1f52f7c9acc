/** The API's routes and their common frame: authentication, limits, one form of error. */
import { OpenAPIHono } from "@hono/zod-openapi";
import { toDatabaseFailure } from "@hopline/db/database-failure";
import { bodyLimit } from "hono/body-limit";
import { cors } from "hono/cors";
import { createMiddleware } from "hono/factory";
import { HTTPException } from "hono/http-exception";
import type { ApiContext, ApiDeps } from "./api-context.ts";
import { authenticate } from "./authenticate.ts";
import { answerNotModified } from "./entity-tag.ts";
import { replayRepeatedPosts } from "./idempotency.ts";
import { type Log, nameOfError } from "./log.ts";
import { API_KEY_SCHEME, OPENAPI_INFO, OPENAPI_PATH } from "./openapi-document.ts";
import { ProblemError, toFieldPath, toProblemResponse } from "./problem.ts";
import { listOperations } from "./routes/operations.ts";

/** No request of ours is larger; an import has its own limit. */
const MAX_BODY_BYTES = 1_000_000;

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
  app.use("/api/*", allowOrigins(deps.access.corsOrigins));
  app.use("/api/*", answerNotModified);
  app.use("/api/v1/*", authenticate({ database: deps.database, ...deps.access }));
  app.use("*", bodyLimit({ maxSize: MAX_BODY_BYTES, onError: () => toProblemResponse("body_too_large") }));
  app.use("*", requireJsonBody);
  app.use("/api/v1/*", replayRepeatedPosts(deps.database));
  app.openAPIRegistry.registerComponent("securitySchemes", "apiKey", API_KEY_SCHEME);
  app.doc31(OPENAPI_PATH, OPENAPI_INFO);
  return app.openapiRoutes(listOperations(deps));
}

export type ApiApp = ReturnType<typeof createApp>;

/** Browsers may call with a key from the configured origins; no cookie ever counts. */
function allowOrigins(origins: readonly string[]) {
  return cors({
    origin: [...origins],
    allowMethods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
    allowHeaders: ["authorization", "content-type", "idempotency-key", "if-match", "if-none-match"],
    exposeHeaders: [
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

/** The validators pass over a body of another type, so it is refused before them. */
const requireJsonBody = createMiddleware(async (context, next) => {
  const hasBody = context.req.raw.body !== null;
  const type = context.req.header("content-type") ?? "";
  if (hasBody && !/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) {
    return toProblemResponse("unsupported_media_type");
  }
  await next();
  return undefined;
});

function toErrorResponse(error: Error, log: Log): Response {
  if (error instanceof ProblemError) {
    return toProblemResponse(error.code, error.errors);
  }
  if (error instanceof HTTPException && error.status === 400) {
    return toProblemResponse("body_malformed");
  }
  const failure = toDatabaseFailure(error.cause ?? error);
  log({ event: "handler.crashed", reason: nameOfError(error.cause ?? error), sqlState: failure.sqlState });
  return toProblemResponse(isFromDatabase(error) ? "database_unavailable" : "internal_error");
}

/** drizzle wraps what the driver throws in an error of its own and keeps the original as its cause. */
function isFromDatabase(error: Error): boolean {
  return (
    nameOfError(error.cause ?? error) === "NeonDbError" &&
    toDatabaseFailure(error.cause ?? error).reason === "unavailable"
  );
}
