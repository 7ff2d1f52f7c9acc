/**
 * Where the browser leaves for an identity provider, and where it comes back to. Coming back is a GET that the provider asks
 * for; only the browser that left can use it, once.
 */
import { z } from "@hono/zod-openapi";
import { html } from "hono/html";
import type { ApiDeps } from "../../api-deps.ts";
import { requireFound } from "../../http/entity-id.ts";
import { ProblemError, PROBLEMS } from "../../http/problem.ts";
import { type Html, toPage } from "../form-page.ts";
import { FORM_PATHS } from "../form-paths.ts";
import { type FormApp, limitForm, passOn, toFaults } from "../form-request.ts";
import { requirePeople } from "../people-deps.ts";
import { attemptCookieOf } from "./attempt-cookie.ts";
import type { ProviderSettings } from "./provider-settings.ts";
import { CALLBACK_PATH, findProvider, signInWithProvider } from "./sign-in-with-provider.ts";

const TITLE = "Sign in";

/** A button for each provider. */
export function toProviderForms(providers: readonly ProviderSettings[], returnTo: string): Html {
  return html`${providers.map(
    ({ id, name }) =>
      html`<form method="post" action="${FORM_PATHS.provider}">
        <input type="hidden" name="provider" value="${id}" />
        <input type="hidden" name="returnTo" value="${returnTo}" />
        <p><button>Sign in with ${name}</button></p>
      </form>`,
  )}`;
}

const Started = z.object({ location: z.url() });

type Deps = Pick<ApiDeps, "database" | "people" | "log">;

export function serveProviderPages(app: FormApp, { database, people: deps, log }: Deps): void {
  app.post(FORM_PATHS.provider, limitForm, async ({ req }) => {
    const names = ["provider", "returnTo"];
    const { response } = await passOn(req.raw, { names, target: "/api/auth/provider", app });
    if (!response.ok) {
      return toFaultPage(toFaults(await response.json()), response.status);
    }
    const { location } = Started.parse(await response.json());
    return toPage({
      title: TITLE,
      // A form must not be answered with a redirect to another site (form-action).
      body: html`<p><a href="${location}">Continue</a></p>`,
      refreshTo: location,
      setCookie: response.headers.getSetCookie(),
    });
  });
  app.get(FORM_PATHS.signedIn, () => toPage({ title: TITLE, body: html`<p>You are signed in.</p>` }));
  app.get(CALLBACK_PATH, async ({ req }) => {
    const people = requirePeople(deps);
    const { appOrigin, providers } = people.settings;
    const provider = requireFound(findProvider(providers, req.param("provider") ?? ""));
    try {
      const { setCookie, returnTo } = await signInWithProvider(
        { provider, parameters: new URL(req.raw.url).searchParams, headers: req.raw.headers },
        { database, people, log },
      );
      const response = new Response(null, {
        status: 303,
        headers: { location: returnTo, "cache-control": "no-store", "referrer-policy": "no-referrer" },
      });
      for (const cookie of [...setCookie, attemptCookieOf(appOrigin, "")]) {
        response.headers.append("set-cookie", cookie);
      }
      return response;
    } catch (error) {
      if (error instanceof ProblemError) {
        const { status, detail } = PROBLEMS[error.code];
        return toFaultPage([detail], status);
      }
      throw error;
    }
  });
}

function toFaultPage(faults: readonly string[], status: number): Promise<Response> {
  const body = html`${faults.map((fault) => html`<p role="alert">${fault}</p>`)}
    <p><a href="${FORM_PATHS.signIn}">Sign in</a></p>`;
  return toPage({ title: TITLE, body, status });
}
