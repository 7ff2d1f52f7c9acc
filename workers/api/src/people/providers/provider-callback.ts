/**
 * Where a browser comes back to from an identity provider: a GET that the provider asks for; only the browser that left can use
 * it, once. It goes on to a page of the dashboard, also when the sign-in failed.
 */
import type { Handler } from "hono";
import type { ApiDeps } from "../../api-deps.ts";
import { requireFound } from "../../http/entity-id.ts";
import { ProblemError } from "../../http/problem.ts";
import { requirePeople } from "../people-deps.ts";
import { attemptCookieOf } from "./attempt-cookie.ts";
import { findProvider, signInWithProvider } from "./sign-in-with-provider.ts";

type Deps = Pick<ApiDeps, "database" | "people" | "log">;

export function answerProviderCallback({ database, people: deps, log }: Deps): Handler {
  return async ({ req }) => {
    const people = requirePeople(deps);
    const { appOrigin, providers } = people.settings;
    const provider = requireFound(findProvider(providers, req.param("provider") ?? ""));
    const callback = { provider, parameters: new URL(req.url).searchParams, headers: req.raw.headers };
    try {
      const { setCookie, returnTo } = await signInWithProvider(callback, { database, people, log });
      return goOn(returnTo, [...setCookie, attemptCookieOf(appOrigin, "")]);
    } catch (error) {
      if (error instanceof ProblemError) {
        // The page says why, by the problem's code.
        return goOn(`${appOrigin}/sign-in?failed=${error.code}`, []);
      }
      throw error;
    }
  };
}

function goOn(location: string, setCookie: readonly string[]): Response {
  const response = new Response(null, {
    status: 303,
    headers: { location, "cache-control": "no-store", "referrer-policy": "no-referrer" },
  });
  for (const cookie of setCookie) {
    response.headers.append("set-cookie", cookie);
  }
  return response;
}
