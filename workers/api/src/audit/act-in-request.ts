/** Parts of routes that say who acts in a request (acting.ts). */
import { createMiddleware } from "hono/factory";
import type { ApiContext } from "../http/authenticate.ts";
import { actAs } from "../acting.ts";

/** In what a route writes, the caller acts. */
export const actAsCaller = createMiddleware<ApiContext>(async (context, next) => {
  const person = context.get("person");
  // A person who is in no workspace has no principal.
  const actor = person === null ? context.get("principal").subject : `person:${person.personId}`;
  await (isRead(context.req.method) ? next() : actAs({ actor, requestId: context.get("requestId") }, next));
});

/** Before the sign-in. An identity provider's callback is a GET. */
export const actAsStranger = createMiddleware<ApiContext>(async (context, next) => {
  await actAs({ requestId: context.get("requestId") }, next);
});

function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}
