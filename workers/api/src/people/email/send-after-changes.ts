/** What changes people may have enqueued emails: they leave behind its answer, and not with the next job. */
import { createMiddleware } from "hono/factory";
import type { PeopleDeps } from "../people-deps.ts";
import { isProviderCallback } from "../providers/is-provider-callback.ts";

const CHANGES =
  /^\/api\/(?:v1\/me(?:\/|$)|v1\/workspaces\/[^/]+\/(?:members|invitations|leave)(?:\/|$)|auth\/(?:link|invitation)$)/;
export function sendEmailsAfterChanges(people: PeopleDeps | null) {
  return createMiddleware(async (context, next) => {
    await next();
    const { method, path } = context.req;
    const isChange =
      isProviderCallback(path) || (CHANGES.test(path) && method !== "GET" && method !== "HEAD");
    if (isChange && context.res.status < 400) {
      people?.sendWaitingEmails();
    }
  });
}
