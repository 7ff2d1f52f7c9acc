/** A GET of the analytics: its route, which is of the same kind for all of them, and how it is answered. */
import { createRoute, type RouteConfig, type z } from "@hono/zod-openapi";
import type { ApiDeps } from "../api-deps.ts";
import { jsonAnswer, needs, NOT_MODIFIED, type Operation, operation, problems } from "../http/operation.ts";
import type { ProblemCode } from "../http/problem.ts";
import { type AskedQuestion, toQuestion, QuestionQuery } from "./question-shape.ts";

/** Part of each of the routes. */
export const READ = {
  method: "get" as const,
  tags: ["Analytics"],
  ...needs("analytics:read", { reach: "links" }),
};

type Definition<Query extends z.ZodRawShape, Body extends z.ZodType> = {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** Beside the range and the filters. */
  readonly query: Query;
  /** What the document says of the answer, and its body. */
  readonly answer: readonly [description: string, body: Body];
  /** Beside those of every question. */
  readonly problems?: readonly ProblemCode[];
  readonly read: (question: AskedQuestion, options: Options<Query>, deps: ApiDeps) => Promise<z.input<Body>>;
};

type Options<Query extends z.ZodRawShape> = z.output<typeof QuestionQuery> & z.output<z.ZodObject<Query>>;

export function questionOperation<Query extends z.ZodRawShape, Body extends z.ZodType>({
  query,
  answer: [description, body],
  problems: codes = [],
  read,
  ...about
}: Definition<Query, Body>) {
  const route: RouteConfig = createRoute({
    ...READ,
    ...about,
    request: { query: QuestionQuery.extend(query) },
    responses: {
      200: jsonAnswer(description, body),
      ...NOT_MODIFIED,
      ...problems(...codes, "query_too_wide"),
    },
  });
  return (deps: ApiDeps): Operation<RouteConfig> =>
    operation(route, async (context) => {
      // The validator has decoded it with the schema above; a route of a generic schema has no type of its own.
      const options: Options<Query> = context.req.valid("query" as never);
      const question = toQuestion(options, context.get("principal"), deps.nowMs());
      return context.json(await read(question, options, deps), 200);
    });
}
