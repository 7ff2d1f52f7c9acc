/** Who may see what is of the whole deployment: operators by their session, and programs by METRICS_TOKEN. */
import { people } from "@hopline/db/schema";
import { and, eq } from "drizzle-orm";
import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import type { Database } from "../database.ts";
import type { ApiContext } from "../http/authenticate.ts";
import { needsPerson, withinBounds } from "../http/operation.ts";
import { ProblemError } from "../http/problem.ts";
import { isMetricsToken } from "../metrics/metrics-route.ts";

export const INTEGRITY_PATH = "/api/v1/integrity";

/** Looks for the token, where it counts, before a key or a session is looked for. */
export function takeMetricsToken(
  metricsToken: string,
  authenticated: MiddlewareHandler<ApiContext>,
): MiddlewareHandler<ApiContext> {
  return async (context, next) => {
    const { path } = context.req;
    if (
      path !== INTEGRITY_PATH ||
      !(await isMetricsToken(context.req.header("authorization"), metricsToken))
    ) {
      return authenticated(context, next);
    }
    context.set("hasMetricsToken", true);
    await next();
  };
}

/** Part of a route: refuses all other callers, and says so in the document. For what METRICS_TOKEN may read, too. */
export function needsOperatorOrToken() {
  return {
    security: [{ session: [] }, { metricsToken: [] }],
    "x-roles": ["operator"],
    middleware: [withinBounds("none"), requireOperator],
  };
}

/** The same for what a person does, or `pnpm operators`. @param base a person's part of the route: `needsPerson(null)`, `freshly` or repeatable. */
export function needsOperator(base: ReturnType<typeof needsPerson> = needsPerson(null)) {
  const [bounded = requireOperator, _requirePerson, ...others] = base.middleware;
  return { ...base, "x-roles": ["operator"], middleware: [bounded, requireOperator, ...others] };
}

const requireOperator = createMiddleware<ApiContext>(async (context, next) => {
  if (context.get("hasMetricsToken") !== true && context.get("operatorToken") === undefined) {
    const person = context.get("person");
    if (person === null || !(await isOperator(context.get("database"), person.personId))) {
      throw new ProblemError("scope_missing", [NO_OPERATOR]);
    }
  }
  await next();
});

const NO_OPERATOR = {
  path: "role",
  message: "is not operator, which this of the whole deployment needs: ask the person who runs it",
};

async function isOperator(database: Database, personId: string): Promise<boolean> {
  const rows = await database
    .select({ id: people.id })
    .from(people)
    .where(and(eq(people.id, personId), people.isOperator));
  return rows.length > 0;
}
