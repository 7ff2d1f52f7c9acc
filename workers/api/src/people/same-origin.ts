/**
 * Sessions count on one origin, the application's, and only its own pages may change anything with them: a browser says in
 * Origin which page sends a request, and no page can change that. So a form on a strange page, on a short link's host too,
 * can neither act for a visitor nor sign them in as another person. SameSite keeps the cookie out of most such requests as well.
 */
import { createMiddleware } from "hono/factory";
import { ProblemError } from "../http/problem.ts";
import type { PeopleSettings } from "./people-settings.ts";

type App = Pick<PeopleSettings, "appOrigin">;

export function isAtApp(request: Request, { appOrigin }: App): boolean {
  return new URL(request.url).origin === appOrigin;
}

/** Whether a request may be carried out with its cookie: it changes nothing, or one of the application's pages sent it. */
export function isSafeToAnswer(request: Request, app: App | null): boolean {
  const isRead = request.method === "GET" || request.method === "HEAD";
  return isRead || (app !== null && request.headers.get("origin") === app.appOrigin);
}

/** For what only exists at the application's origin: 404 elsewhere. */
export function onlyAtApp(app: App | null) {
  return createMiddleware(async ({ req }, next) => {
    if (app === null || !isAtApp(req.raw, app)) {
      throw new ProblemError("not_found");
    }
    await next();
  });
}

/** The same for people alone at this path: keys count everywhere. */
export function onlyAtAppOrByKey(path: string, app: App | null) {
  const onlyPeopleAtApp = onlyAtApp(app);
  return createMiddleware(async (context, next) => {
    const hasKey = /^Bearer /i.test(context.req.header("authorization") ?? "");
    return hasKey && context.req.path === path ? next() : onlyPeopleAtApp(context, next);
  });
}

/** For what needs no session yet: another site must not sign a visitor in as another person. */
export function onlyFromApp(app: App | null) {
  return createMiddleware(async ({ req }, next) => {
    if (!isSafeToAnswer(req.raw, app)) {
      throw new ProblemError("origin_refused");
    }
    await next();
  });
}
