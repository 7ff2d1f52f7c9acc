/**
 * Who may do what, and how often: finds out whose key or session a request carries, holds routes to their scopes and
 * callers to their rate.
 *
 * Nothing of a key is cached: one statement finds it and counts the request, so a revoked key is closed to the next
 * request everywhere, and the count is exact over all isolates and data centres.
 */
import { createMiddleware } from "hono/factory";
import type { ApiContext } from "../api-deps.ts";
import { hashApiKey, hasScope, isApiKey, readBearerToken, type Scope } from "./api-key.ts";
import { toProblemResponse } from "./problem.ts";
import type { VerifySession } from "./session-token.ts";
import { type Caller, countRequestOfKey, countRequestOfSession } from "./caller-store.ts";
import type { Database } from "../database.ts";

/** Refuses a request whose key lacks the scope. */
export function requireScope(scope: Scope) {
  return createMiddleware<ApiContext>(async (context, next) => {
    if (!hasScope(context.get("principal"), scope)) {
      return toProblemResponse("scope_missing");
    }
    await next();
    return undefined;
  });
}

export type AuthenticateDeps = {
  readonly database: Database;
  /** `null` where no JWKS is configured: only API keys open anything. */
  readonly verifySession: VerifySession | null;
  /** A caller's requests in each window of 60 s. */
  readonly requestsPerMinute: number;
};

/** Sets the request's principal, or answers 401; answers 429 past the rate. */
export function authenticate(deps: AuthenticateDeps) {
  return createMiddleware<ApiContext>(async (context, next) => {
    const authorization = context.req.header("authorization") ?? "";
    // A key without the word before it is no unknown key: the answer says how to send one.
    if (!/^Bearer /i.test(authorization)) {
      return toProblemResponse("key_missing");
    }
    const token = readBearerToken(authorization);
    const caller = token === null ? null : await findCaller(token, deps);
    if (caller === null) {
      return toProblemResponse("key_invalid");
    }
    if (caller.requestsInWindow > deps.requestsPerMinute) {
      const refused = toProblemResponse("rate_limited");
      refused.headers.set("retry-after", String(caller.windowEndsInSeconds));
      return withRateHeaders(refused, caller, deps.requestsPerMinute);
    }
    context.set("principal", caller.principal);
    await next();
    withRateHeaders(context.res, caller, deps.requestsPerMinute);
    return undefined;
  });
}

async function findCaller(token: string, deps: AuthenticateDeps): Promise<Caller | null> {
  if (isApiKey(token)) {
    return countRequestOfKey(deps.database, await hashApiKey(token));
  }
  const session = deps.verifySession === null ? null : await deps.verifySession(token);
  return session === null ? null : countRequestOfSession(deps.database, session);
}

/** The three header fields of draft-ietf-httpapi-ratelimit-headers-07, which clients know. */
function withRateHeaders(response: Response, caller: Caller, requestsPerMinute: number): Response {
  const remaining = Math.max(0, requestsPerMinute - caller.requestsInWindow);
  response.headers.set("ratelimit-limit", String(requestsPerMinute));
  response.headers.set("ratelimit-remaining", String(remaining));
  response.headers.set("ratelimit-reset", String(caller.windowEndsInSeconds));
  return response;
}
