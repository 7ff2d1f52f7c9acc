/** The application: the frame around every operation (authentication, limits, one form of error) and the operations. */
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { cors } from "hono/cors";
import { createMiddleware } from "hono/factory";
import { HTTPException } from "hono/http-exception";
import { TrieRouter } from "hono/router/trie-router";
import {
  answerOptions,
  cancelUnreadBody,
  createMethodsOf,
  refuseOtherMethods,
} from "./http/allowed-methods.ts";
import type { ApiDeps } from "./api-deps.ts";
import { actAsCaller, actAsStranger } from "./audit/act-in-request.ts";
import { type ApiContext, authenticate, authenticateSlowBodies } from "./http/authenticate.ts";
import { requireFound } from "./http/entity-id.ts";
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
import { usePlainMessages } from "./http/plain-messages.ts";
import {
  type Asked,
  type Problem,
  ProblemError,
  PROBLEMS_PATH,
  toFieldErrors,
  toProblemResponse,
} from "./http/problem.ts";
import { BULK_ITEMS } from "./links/routes/bulk-change.ts";
import { toProblemList, toProblemPage } from "./http/problem-page.ts";
import { nameRepeated } from "./http/query-parameters.ts";
import {
  fetchReferenceScript,
  REFERENCE_PATH,
  REFERENCE_SCRIPT_PATH,
  toReferencePage,
} from "./http/reference-page.ts";
import { identifyRequest } from "./http/request-id.ts";
import { limitBody, MCP_PATH, requireKnownBody } from "./http/request-limits.ts";
import { WORKSPACE_HEADER } from "./http/wanted-workspace.ts";
import { serveMcp } from "./mcp/mcp-route.ts";
import { takeMetricsToken } from "./operators/needs-operator.ts";
import { takeOperatorToken } from "./operators/operator-token.ts";
import { announceWrites } from "./jobs/announce-writes.ts";
import { HEALTH_PATH } from "./metrics/health.ts";
import { sendEmailsAfterChanges } from "./people/email/send-after-changes.ts";
import { answerProviderCallback } from "./people/providers/provider-callback.ts";
import { CALLBACK_PATH } from "./people/providers/sign-in-with-provider.ts";
import { countSignInRequests } from "./people/routes/credentials.ts";
import { onlyAtApp, onlyAtAppOrByKey, onlyFromApp } from "./people/same-origin.ts";
import { createSessions } from "./people/signed-in.ts";
import { PUBLIC_QR_PATH } from "./qr/qr-routes.ts";
import { listOperations } from "./operations.ts";
import { describeMessages } from "./webhooks/message-shape.ts";
import { wakeUpAfterChanges } from "./webhooks/wake-up.ts";

const LINKS_PATH = "/api/v1/links";

/** Chrome caches a preflight for two hours at most. */
const PREFLIGHT_SECONDS = 7_200;

export type ApiApp = OpenAPIHono<ApiContext>;

export function createApp(deps: ApiDeps): ApiApp {
  usePlainMessages();
  const app = new OpenAPIHono<ApiContext>({
    // The usual one tries to make a regular expression of all routes first, fails, and takes this.
    router: new TrieRouter(),
    defaultHook: (result, { req }) => {
      if (!result.success) {
        const { issues } = result.error;
        const named = result.target === "query" ? nameRepeated(issues, req.url) : issues;
        throw new ProblemError("invalid", toFieldErrors({ issues: named }));
      }
    },
  });
  app.onError((error, context) =>
    toProblemResponse(toProblem(error, context.get("requestId"), deps.log), askedOf(context)),
  );
  app.notFound((context) => toProblemResponse({ code: "not_found" }, askedOf(context)));
  const methodsOf = createMethodsOf(app);
  app.use("*", identifyRequest);
  app.use("*", forbidSniffing);
  app.use("/api/*", cancelUnreadBody);
  app.use("/api/*", answerOptions(methodsOf));
  app.use("/api/*", allowOrigins(deps.access.corsOrigins));
  app.use("/api/*", refuseOtherMethods(methodsOf));
  app.use("/api/*", answerNotModified);
  for (const path of [
    HEALTH_PATH,
    OPENAPI_PATH,
    `${REFERENCE_PATH}/*`,
    `${PROBLEMS_PATH}/*`,
    PUBLIC_QR_PATH,
    "/api/auth/*",
  ]) {
    app.use(path, limitAnonymous(deps.networkLimits.anonymous));
  }
  const settings = deps.people?.settings ?? null;
  for (const path of ["/api/auth/*", "/api/v1/sessions", "/api/v1/sessions/*"]) {
    app.use(path, onlyAtApp(settings));
  }
  app.use("/api/v1/me/*", onlyAtAppOrByKey("/api/v1/me", settings));
  app.use("/api/auth/*", onlyFromApp(settings));
  app.use("/api/auth/*", countSignInRequests(deps));
  app.use("/api/auth/*", actAsStranger);
  app.use("/api/auth/*", announceWrites(deps));
  const sessions = settings && createSessions(settings);
  const authenticated = authenticate({ ...deps, ...deps.access, sessions, actAsCaller });
  app.use("/api/v1/*", takeMetricsToken(deps.metricsToken, takeOperatorToken(deps, authenticated)));
  app.use(MCP_PATH, authenticated);
  app.use("/api/v1/*", announceWrites(deps));
  app.use("/api/v1/*", wakeUpAfterChanges(deps));
  app.use("/api/*", sendEmailsAfterChanges(deps.people));
  app.get(CALLBACK_PATH, answerProviderCallback(deps));
  app.use("*", limitBody);
  app.use("*", requireKnownBody);
  app.use("/api/v1/*", authenticateSlowBodies(deps.nowMs));
  app.openAPIRegistry.registerComponent("securitySchemes", "apiKey", API_KEY_SCHEME);
  app.openAPIRegistry.registerComponent("securitySchemes", "session", SESSION_SCHEME);
  app.openAPIRegistry.registerComponent("securitySchemes", "metricsToken", METRICS_TOKEN_SCHEME);
  describeMessages().forEach((message) => app.openAPIRegistry.registerWebhook(message));
  Object.entries(BULK_ITEMS).forEach(([name, shape]) => app.openAPIRegistry.register(name, shape));
  const describe = async () =>
    // To make it takes longer than anything else here.
    (await import("./http/built-document.ts")).BUILT_DOCUMENT ??
    JSON.stringify(app.getOpenAPI31Document(OPENAPI_INFO));
  app.get(OPENAPI_PATH, serveOnce(describe));
  app.post(
    MCP_PATH,
    serveMcp(describe, (request) => app.fetch(request)),
  );
  app.get(REFERENCE_PATH, () => toReferencePage());
  app.get(REFERENCE_SCRIPT_PATH, ({ req }) => fetchReferenceScript(req.raw, deps.assets));
  app.get(PROBLEMS_PATH, () => toProblemList());
  app.get(`${PROBLEMS_PATH}/:code`, ({ req }) => requireFound(toProblemPage(req.param("code"))));
  app.openapiRoutes(listOperations(deps));
  return app;
}

/** A browser must not take an answer for another type than it says. */
const forbidSniffing = createMiddleware(async (context, next) => {
  await next();
  context.header("x-content-type-options", "nosniff");
});

/** Pages of the configured origins may call with a key, and those of a create-only key createLink. Browsers never send them a session's cookie: credentials are not allowed. */
function allowOrigins(origins: readonly string[]) {
  return cors({
    origin: (origin, context) => (origins.includes(origin) || isPreflightOfCreation(context) ? origin : null),
    allowMethods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
    allowHeaders: [
      "authorization",
      "content-type",
      WORKSPACE_HEADER.toLowerCase(),
      "idempotency-key",
      "if-match",
      "if-none-match",
      "last-event-id",
      "mcp-method",
      "mcp-name",
      "mcp-protocol-version",
    ],
    exposeHeaders: [
      "allow",
      "etag",
      "idempotency-replayed",
      "link",
      "location",
      "ratelimit-limit",
      "ratelimit-remaining",
      "ratelimit-reset",
      "retry-after",
      "x-request-id",
    ],
    maxAge: PREFLIGHT_SECONDS,
  });
}

/** Before it is known which pages a create-only key is for: the answer says so then (http/operation.ts). */
function isPreflightOfCreation({ req }: Context): boolean {
  const isPreflight = req.method === "OPTIONS";
  return isPreflight && req.path === LINKS_PATH && req.header("access-control-request-method") === "POST";
}

function askedOf({ req, get }: Context<ApiContext>): Asked {
  return { url: req.url, requestId: get("requestId") };
}

function toProblem(error: Error, requestId: string, log: Log): Problem {
  if (error instanceof ProblemError) {
    return error;
  }
  if (error instanceof HTTPException && error.status === 400) {
    return { code: "body_malformed" };
  }
  const { reason: failure, sqlState } = failureOf(error);
  const reason = nameOfError(error.cause ?? error);
  // What ended in a deadlock or could not be serialised may succeed when it is sent again.
  if (DATABASE_ERRORS.has(reason) && (failure === "unavailable" || failure === "conflict")) {
    log({ event: "database.unavailable", requestId, reason, sqlState });
    return { code: "database_unavailable" };
  }
  log({ event: "handler.crashed", requestId, reason, sqlState });
  return { code: "internal_error" };
}

/** The driver's own error, and that of our deadline when it cuts off an answer that has begun. */
const DATABASE_ERRORS: ReadonlySet<string> = new Set(["NeonDbError", "TimeoutError"]);
