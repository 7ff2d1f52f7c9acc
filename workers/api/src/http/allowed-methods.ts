/**
 * Which methods a path takes, and what becomes of the others (RFC 9110, 9.3.7, 10.2.1 and 15.5.6). All of it comes from
 * the routes that are registered: a route that is added is known here.
 *
 * A path that is written out is that path alone, as the document has it (OpenAPI 3.1, Paths Object): `links/import` is
 * no `links/{linkId}`, whatever methods that one takes. Hono's own middleware for this counts both.
 */
import { createMiddleware } from "hono/factory";
import { TrieRouter } from "hono/router/trie-router";
import { toProblemResponse } from "./problem.ts";

/** The methods of the route behind a request's path; `null`: there is no such route. */
export type MethodsOf = (path: string) => readonly string[] | null;

type Routes = { readonly routes: readonly { readonly method: string; readonly path: string }[] };

/** Reads the routes when it is first asked: by then all of them are registered. */
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
  // The router gives what it knows in the order in which it was told.
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

/** Answers an OPTIONS that asks what a path takes. A browser's, which asks for another origin, is left to CORS. */
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

/** Answers 405 before a key is looked at: the document says to everybody which methods there are. */
export function refuseOtherMethods(methodsOf: MethodsOf) {
  return createMiddleware(async ({ req }, next) => {
    const methods = methodsOf(req.path);
    if (methods !== null && !methods.includes(req.method)) {
      const refused = toProblemResponse("method_not_allowed");
      refused.headers.set("allow", methods.join(", "));
      return refused;
    }
    await next();
    return undefined;
  });
}

/** A HEAD is answered as its GET is (RFC 9110, 9.3.2); a stream that nobody will read is ended here, and gives back what it holds. */
export const endUnreadBody = createMiddleware(async (context, next) => {
  await next();
  if (context.req.method === "HEAD") {
    await context.res.body?.cancel();
  }
});
