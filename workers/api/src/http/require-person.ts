/** The person of a request that `needsPerson` has let through. */
import type { Context } from "hono";
import type { ApiContext } from "./authenticate.ts";
import type { SignedIn } from "./signed-in.ts";

export function requireSignedIn(context: Context<ApiContext>): SignedIn {
  const person = context.get("person");
  if (person === null) {
    throw new Error("invariant: needsPerson lets only people through");
  }
  return person;
}

/** The workspace of the path, which the person is in, and their role there. */
export function requireActing(context: Context<ApiContext>) {
  const { role, ...person } = requireSignedIn(context);
  if (role === null) {
    throw new Error("invariant: needsPerson with a role lets only members through");
  }
  return { ...person, actorRole: role, workspaceId: context.get("principal").workspaceId };
}
