/** Who may do what: finds the owner of the key that a request carries, and holds routes to their scopes. */
import { createMiddleware } from "hono/factory";
import type { ApiContext } from "./api-context.ts";
import { hashApiKey, hasScope, readBearerKey, type Scope } from "./api-key.ts";
import { toProblemResponse } from "./problem.ts";
import type { Database } from "./store/database.ts";
import { findPrincipal } from "./store/key-store.ts";

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

/** Sets the request's principal, or answers 401. */
export function authenticate(database: Database) {
  return createMiddleware<ApiContext>(async (context, next) => {
    const authorization = context.req.header("authorization");
    if (authorization === undefined) {
      return toProblemResponse("key_missing");
    }
    const key = readBearerKey(authorization);
    const principal = key === null ? null : await findPrincipal(database, await hashApiKey(key));
    if (principal === null) {
      return toProblemResponse("key_invalid");
    }
    context.set("principal", principal);
    await next();
    return undefined;
  });
}
