/**
 * Which methods a path has, and the answers to the others (RFC 9110, 9.3.7, 10.2.1 and 15.5.6). Derived from the registered
 * routes, so a new route is covered without a change here.
 *
 * A literal path never matches as a parameter (OpenAPI 3.1, Paths Object): `links/import` is not a `links/{linkId}`, whatever
 * methods that one has. Hono's own middleware for this counts both.
 */
import { createMiddleware } from "hono/factory";
import { TrieRouter } from "hono/router/trie-router";
import { ProblemError } from "./problem.ts";

/** The methods of the route behind a request's path; `null` when there is no such route. */
export type MethodsOf = (path: string) => readonly string[] | null;

type Routes = { readonly routes: readonly { readonly method: string; readonly path: string }[] };

/** Reads the routes on first use, when all of them are registered. */
export function createMethodsOf(app: Routes): MethodsOf {
  let router: TrieRouter<readonly string[]> | undefined;
  return (path) => {
    router ??= createRouter(app);
    return router.match(ANY, path)[0][0]?.[0] ?? null;
  };
}

/** Hono's name for middleware, and for a route of all methods. */
const ANY = "ALL";

function createRouter({ routes }: Routes): TrieRouter<readonly string[]> {
  const router = new TrieRouter<readonly string[]>();
  const byPath = Map.groupBy(
    routes.filter(({ method }) => method !== ANY),
    ({ path }) => path,
  );
  // The router matches in the order of registration.
  const exactFirst = [...byPath].toSorted(([one], [other]) => countParameters(one) - countParameters(other));
  for (const [path, ofPath] of exactFirst) {
    const methods = ofPath.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    router.add(ANY, path, [...new Set([...methods, "OPTIONS"])]);
  }
  return router;
}

function countParameters(path: string): number {
  return path.split("/:").length - 1;
}

/** Answers an OPTIONS that asks which methods a path has. A browser's preflight is left to CORS. */
export function answerOptions(methodsOf: MethodsOf) {
  return createMiddleware(async ({ req }, next) => {
    const isPreflight = req.header("access-control-request-method") !== undefined;
    const methods = req.method === "OPTIONS" && !isPreflight ? methodsOf(req.path) : null;
    if (methods !== null) {
      return new Response(null, { status: 204, headers: { allow: methods.join(", ") } });
    }
    await next();
    return undefined;
  });
}

/** Answers 405 before any key is checked: the document tells everyone which methods exist. */
export function refuseOtherMethods(methodsOf: MethodsOf) {
  return createMiddleware(async ({ req }, next) => {
    const methods = methodsOf(req.path);
    if (methods !== null && !methods.includes(req.method)) {
      throw new ProblemError("method_not_allowed", [], { allow: methods.join(", ") });
    }
    await next();
  });
}

/** HEAD is answered like GET (RFC 9110, 9.3.2). A stream that will not be read is cancelled, so that it frees what it holds. */
export const cancelUnreadBody = createMiddleware(async (context, next) => {
  await next();
  if (context.req.method === "HEAD") {
    await context.res.body?.cancel();
  }
});
