/**
 * What operations have in common, so that each route documents what the frame does: who may call it, which problems it may
 * answer, how its body is sent.
 */
import { type RouteConfig, type RouteHandler, z } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import { type CreateOnly, NO_BOUNDS } from "@hopline/db/links/bounds";
import type { Principal, Scope } from "./api-key.ts";
import { LEAST_ROLE, type Role, rolesFrom } from "./roles.ts";
import { type ApiContext, requireFreshSignIn, requirePerson, requireScope } from "./authenticate.ts";
import { actWithin } from "./bounds/within-bounds.ts";
import { replayRepeatedPosts } from "./idempotency.ts";
import { PROBLEM_CODES, ProblemError, PROBLEMS, type ProblemCode, toProblemBody } from "./problem.ts";
import { listQueryParameters, requireKnownParameters } from "./query-parameters.ts";
import { describeWorkspace } from "./wanted-workspace.ts";

/** A route with its handler. */
export type Operation<Route extends RouteConfig> = {
  readonly route: Route;
  readonly handler: RouteHandler<Route, ApiContext>;
};

export function operation<Route extends RouteConfig>(
  route: Route,
  handler: RouteHandler<Route, ApiContext>,
): Operation<Route> {
  const workspace = describeWorkspace(route);
  const names = new Set([...listQueryParameters(route.request?.query), ...workspace.names]);
  const needsBody = route.request?.body?.required === true;
  return {
    route: {
      ...route,
      parameters: workspace.parameters,
      responses: withProblems(route.responses, workspace.codes),
    },
    handler: (context, next) => {
      requireKnownParameters(context.req.url, names);
      // Without a type there is no body, and the validator has taken that for an empty object.
      if (needsBody && context.req.header("content-type") === undefined) {
        throw new ProblemError("body_malformed");
      }
      return handler(context, next);
    },
  };
}

/**
 * What an operation has for a caller with bounds. `links`: its statements carry them (bounds/within-bounds.ts). `create`: so too, and
 * a create-only key may call it. `none`: it shows and changes nothing that is the workspace's. One that does not say is refused to
 * such callers.
 */
export type Reach = "links" | "create" | "none";

export function withinBounds(reach: Reach | null) {
  return createMiddleware<ApiContext>(async (context, next) => {
    // A person who is in no workspace has no principal.
    const bounds = (context.get("principal") as Principal | undefined)?.bounds ?? NO_BOUNDS;
    if (bounds.length === 0) {
      return next();
    }
    if (reach === null) {
      throw new ProblemError("out_of_bounds");
    }
    for (const { createOnly } of bounds) {
      if (createOnly !== undefined) {
        const origin = requireCreation(createOnly, reach, context.req.header("origin"));
        context.header("access-control-allow-origin", origin);
      }
    }
    return actWithin(bounds, next);
  });
}

/** The page that may read the answer. */
function requireCreation({ origins }: CreateOnly, reach: Reach, origin: string | undefined): string {
  if (reach !== "create") {
    throw new ProblemError("out_of_bounds", [CREATE_ONLY]);
  }
  if (origin === undefined || !origins.includes(origin)) {
    throw new ProblemError("out_of_bounds", [OTHER_PAGE]);
  }
  return origin;
}

const CREATE_ONLY = { path: "", message: "This key may create links, one by one, and nothing else." };
const OTHER_PAGE = { path: "Origin", message: "is not of a page that this key is for" };

function describeReach(reach: Reach | null): { readonly "x-bounded"?: Reach } {
  return reach === null ? {} : { "x-bounded": reach };
}

type Options = { readonly reach?: Reach | null };

/**
 * Part of a route's definition: the scope that a key needs and the role that a person needs, enforced and documented. `null`:
 * a person needs none. What takes an owner, no key may: `needsPerson`. A POST is repeated only for who has it.
 */
export function needs(
  scope: Scope,
  {
    leastRole = LEAST_ROLE[scope],
    reach = null,
  }: Options & { readonly leastRole?: Exclude<Role, "owner"> | null } = {},
) {
  return {
    security: [{ apiKey: [scope] }, { session: [] }],
    "x-roles": leastRole === null ? [] : rolesFrom(leastRole),
    ...describeReach(reach),
    middleware: [
      withinBounds(reach),
      requireScope(scope, leastRole),
      replayRepeatedPosts("workspace"),
      ...(scope === "links:write" || scope === "admin" ? [callerActs] : []),
    ],
  };
}

/** What the route writes is the caller's doing. */
const callerActs = createMiddleware<ApiContext>(async (context, next) => {
  await context.get("actAsCaller")(context, next);
});

/**
 * The same for what only people can do. `null`: every person, in no workspace at all too. `isRepeatable`: a POST with an
 * Idempotency-Key.
 */
export function needsPerson(
  leastRole: Role | null,
  { isRepeatable = false, reach = null }: Options & { readonly isRepeatable?: boolean } = {},
) {
  // What is a person's own is no workspace's.
  const its = leastRole === null ? "none" : reach;
  return {
    security: [{ session: [] }],
    "x-roles": leastRole === null ? [] : rolesFrom(leastRole),
    ...describeReach(its),
    middleware: [
      withinBounds(its),
      requirePerson(leastRole),
      ...(isRepeatable ? [replayRepeatedPosts("person")] : []),
      callerActs,
    ],
  };
}

/** For every caller, whatever their scopes and roles. */
export function needsCaller() {
  return {
    security: [{ apiKey: [] }, { session: [] }],
    "x-roles": [],
    ...describeReach("none"),
    middleware: [withinBounds("none")],
  };
}

/** The same for what takes a fresh sign-in; its problems include `sign_in_again`. */
export function freshly<Needs extends ReturnType<typeof needs | typeof needsPerson>>(part: Needs) {
  return { ...part, "x-fresh-sign-in": true, middleware: afterCaller(part, requireFreshSignIn) };
}

/** Its middleware with another one, once bounds, scope and role are known to allow the call. */
function afterCaller<Needs extends ReturnType<typeof needs | typeof needsPerson>>(
  { middleware }: Needs,
  added: MiddlewareHandler<ApiContext>,
) {
  return [...middleware.slice(0, 2), added, ...middleware.slice(2)];
}

export const FieldErrorBody = z.object({ path: z.string(), message: z.string() }).openapi("FieldError");

const ProblemBody = z
  .object({
    type: z.url().openapi({ description: "A page about the code. It is on the host that was asked." }),
    title: z.string(),
    status: z.number().int(),
    detail: z.string().openapi({ description: "What is wrong, and what to do about it." }),
    code: z.enum(PROBLEM_CODES),
    requestId: z.string().openapi({ description: "The same as in `X-Request-Id`; the logs have it too." }),
    errors: z
      .array(FieldErrorBody)
      .optional()
      .openapi({ description: "By field or parameter: `rules[2].when.country`." }),
  })
  .openapi("Problem");

type ProblemAnswer = {
  readonly description: string;
  readonly content: { readonly "application/problem+json": { readonly schema: typeof ProblemBody } };
};

type StatusOf<Code extends ProblemCode> = (typeof PROBLEMS)[Code]["status"];

/** What the frame may answer to any request with a key. */
export const TO_CALLERS = [
  "key_missing",
  "key_invalid",
  "limit_reached",
  "workspace_mismatch",
  "out_of_bounds",
  "invalid",
  "rate_limited",
  "internal_error",
  "sessions_unavailable",
  "database_unavailable",
] as const satisfies readonly ProblemCode[];

/** And where it needs a scope or a role. */
const ALWAYS = [...TO_CALLERS, "scope_missing"] as const satisfies readonly ProblemCode[];

/** What the frame may answer to any request with a JSON body. */
export const BODY_PROBLEMS = [
  "body_malformed",
  "body_too_large",
  "unsupported_media_type",
] as const satisfies readonly ProblemCode[];

/** What a POST may answer because of its Idempotency-Key. */
export const IDEMPOTENCY_PROBLEMS = [
  "idempotency_in_progress",
  "idempotency_mismatch",
] as const satisfies readonly ProblemCode[];

export const IdempotencyHeader = z.object({
  "idempotency-key": z.string().min(1).max(255).optional().openapi({
    description:
      "A request that repeats a key gets the answer of the first one, for a day. Keys belong to the caller: another API key or session that sends the same one is not answered with yours. If the answer was lost or asked for a retry, repeating the request finds what it created, and creates nothing twice.",
    example: "order-4711",
  }),
});

/** What every GET answers to a client whose If-None-Match is current. */
export const NOT_MODIFIED = { 304: { description: "The client's copy is current." } } as const;

export const NO_CONTENT = { 204: { description: "Done." } } as const;

/** A route's answers that are problems, its own and the frame's, by status, with their codes as examples. */
export function problems<Code extends ProblemCode>(
  ...codes: readonly Code[]
): { [Status in StatusOf<Code | (typeof ALWAYS)[number]>]: ProblemAnswer } {
  return problemAnswers([...new Set<ProblemCode>([...ALWAYS, ...codes])]) as never;
}

/** The same for a route without an API key. */
export function problemsOnly<Code extends ProblemCode>(
  ...codes: readonly Code[]
): { [Status in StatusOf<Code>]: ProblemAnswer } {
  return problemAnswers(codes) as never;
}

/** The same answers, with further problems. */
function withProblems(
  responses: RouteConfig["responses"],
  codes: readonly ProblemCode[],
): RouteConfig["responses"] {
  const statuses = new Set(codes.map((code) => PROBLEMS[code].status));
  const known = [...statuses].flatMap((status) => CODES_OF.get(responses[status] ?? {}) ?? []);
  return { ...responses, ...problemAnswers([...new Set([...known, ...codes])]) };
}

/** Of each answer: to look at its examples would make them. */
const CODES_OF = new WeakMap<object, readonly ProblemCode[]>();

/** Its texts and examples are made when they are read: by the document, which an isolate may never be asked for. */
function problemAnswers(codes: readonly ProblemCode[]): Record<number, object> {
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code].status);
  return Object.fromEntries(Array.from(byStatus, ([status, ours]) => [status, problemAnswer(ours)]));
}

function problemAnswer(codes: readonly ProblemCode[]): object {
  const answer = {
    get description() {
      return codes.map((code) => `\`${code}\`: ${PROBLEMS[code].detail}`).join("\n\n");
    },
    get content() {
      const examples = Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }]));
      return { "application/problem+json": { schema: ProblemBody, examples } };
    },
  };
  CODES_OF.set(answer, codes);
  return answer;
}

function exampleOf(code: ProblemCode): object {
  const errors =
    code === "invalid" ? [{ path: "url", message: "is not an absolute URL: start with https://" }] : [];
  return toProblemBody({ code, errors }, EXAMPLE_REQUEST);
}

const EXAMPLE_REQUEST = { url: "https://go.example.com/", requestId: "9d3c1f0a5b7e2468-FRA" };

/** A required JSON body with an example that the API accepts; the tests send it. */
export function jsonBody<Schema extends z.ZodType>(schema: Schema, example: z.input<Schema>) {
  return { required: true, content: { "application/json": { schema, example } } } as const;
}

/** A JSON answer. */
export function jsonAnswer<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { "application/json": { schema } } } as const;
}
