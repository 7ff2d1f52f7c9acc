/**
 * One operation in one place: what the document says of it, and its handler. What follows from the route is not said again: a GET
 * answers 304, a body and an Idempotency-Key have their problems. Public routes (`security: []`) say all of their answers.
 */
import { createRoute, type RouteConfig, type RouteHandler } from "@hono/zod-openapi";
import type { ApiContext } from "./authenticate.ts";
import {
  BODY_PROBLEMS,
  IDEMPOTENCY_PROBLEMS,
  NOT_MODIFIED,
  type Operation,
  operation,
  problems,
} from "./operation.ts";
import type { ProblemCode } from "./problem.ts";

export type Described<Path extends string> = Omit<RouteConfig, "path"> & {
  readonly path: Path;
  /** Beside those that follow. */
  readonly problems?: readonly ProblemCode[];
};

export function endpoint<Path extends string, Route extends Described<Path>>(described: Route) {
  type Handle = RouteHandler<Route, ApiContext>;
  const { problems: codes = [], responses, ...rest }: Described<string> = described;
  const { headers, body } = rest.request ?? {};
  const takesKey = headers !== undefined && "shape" in headers && "idempotency-key" in headers.shape;
  const route: RouteConfig = createRoute({
    ...rest,
    responses:
      rest.security?.length === 0
        ? responses
        : {
            ...responses,
            ...(rest.method === "get" ? NOT_MODIFIED : {}),
            ...problems(
              ...(body === undefined ? [] : BODY_PROBLEMS),
              ...(takesKey ? IDEMPOTENCY_PROBLEMS : []),
              ...codes,
            ),
          },
  });
  return {
    handle:
      <Deps>(handle: (context: Parameters<Handle>[0], deps: Deps) => ReturnType<Handle>) =>
      (deps: Deps): Operation<RouteConfig> =>
        operation(route, (context) => handle(context, deps)),
  };
}
