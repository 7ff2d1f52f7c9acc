/**
 * Minimal pages for the links in emails, until a dashboard has its own: plain HTML forms without a script. Each sends its
 * fields to the operation of the same purpose, inside the Worker, and shows what came of it. Loading a page changes nothing.
 */
import { html } from "hono/html";
import { type Html, toPage } from "./form-page.ts";
import { FORM_PATHS } from "./form-paths.ts";
import { type FormApp, limitForm, passOn, toFaults } from "./form-request.ts";
import type { PeopleDeps } from "./people-deps.ts";
import { toProviderForms } from "./providers/provider-pages.ts";

type Field = {
  readonly name: string;
  readonly label: string;
  readonly type: "email" | "password" | "text";
  readonly autocomplete: string;
  readonly isOptional?: boolean;
};

type Form = {
  readonly title: string;
  readonly text: string;
  readonly fields: readonly Field[];
  /** Whether it has the token of an email. */
  readonly hasToken: boolean;
  readonly button: string;
  /** Where somebody goes who signs in with an identity provider instead; absent where nobody does. */
  readonly returnTo?: (token: string) => string;
  /** The operation that takes the fields. */
  readonly target: string;
  readonly done: string;
};

const EMAIL: Field = { name: "email", label: "Email", type: "email", autocomplete: "username" };
const NAME: Field = { name: "name", label: "Your name", type: "text", autocomplete: "name" };
const NEW_PASSWORD: Field = {
  name: "password",
  label: "New password, 10 characters or more",
  type: "password",
  autocomplete: "new-password",
};

const FORMS: { readonly [path: string]: Form } = {
  [FORM_PATHS.signIn]: {
    title: "Sign in",
    text: "With your password.",
    fields: [
      EMAIL,
      { name: "password", label: "Password", type: "password", autocomplete: "current-password" },
    ],
    hasToken: false,
    button: "Sign in",
    returnTo: () => FORM_PATHS.signedIn,
    target: "/api/auth/sign-in",
    done: "You are signed in.",
  },
  [FORM_PATHS.link]: {
    title: "Sign in",
    text: "With the link that you have asked for.",
    fields: [],
    hasToken: true,
    button: "Sign in",
    target: "/api/auth/link/open",
    done: "You are signed in.",
  },
  [FORM_PATHS.invitation]: {
    title: "Accept an invitation",
    text: "If you have an account already, sign in first and leave the fields empty.",
    fields: [
      { ...NAME, isOptional: true },
      { ...NEW_PASSWORD, isOptional: true },
    ],
    hasToken: true,
    button: "Accept",
    returnTo: (token) => `${FORM_PATHS.invitation}?token=${encodeURIComponent(token)}`,
    target: "/api/auth/invitation",
    done: "You are in the workspace now.",
  },
  [FORM_PATHS.setUp]: {
    title: "Set up Hopline",
    text: "You become the owner of this deployment.",
    fields: [
      EMAIL,
      NAME,
      NEW_PASSWORD,
      {
        name: "workspaceName",
        label: "Name of your workspace",
        type: "text",
        autocomplete: "off",
        isOptional: true,
      },
    ],
    hasToken: true,
    button: "Become the owner",
    target: "/api/auth/set-up",
    done: "You are the owner of this deployment now, and signed in.",
  },
};

type Deps = { readonly people: PeopleDeps | null };

export function serveForms(app: FormApp, { people }: Deps): void {
  const providers = people?.settings.providers ?? [];
  for (const [path, form] of Object.entries(FORMS)) {
    const answer = (state: State, status?: number) => {
      const offers =
        form.returnTo === undefined ? "" : toProviderForms(providers, form.returnTo(state.token));
      return toPage({ title: form.title, body: html`${toForm(form, state)}${offers}`, status });
    };
    app.get(path, ({ req }) => answer({ token: req.query("token") ?? "", given: {}, faults: [] }));
    app.post(path, limitForm, async ({ req }) => {
      const names = [...form.fields.map(({ name }) => name), ...(form.hasToken ? ["token"] : [])];
      const { given, response } = await passOn(req.raw, { names, target: form.target, app });
      if (!response.ok) {
        const faults = toFaults(await response.json());
        return answer({ token: given["token"] ?? "", given, faults }, response.status);
      }
      const setCookie = response.headers.getSetCookie();
      return toPage({ title: form.title, body: html`<p>${form.done}</p>`, setCookie });
    });
  }
}

type State = {
  readonly token: string;
  readonly given: { readonly [name: string]: string };
  readonly faults: readonly string[];
};

function toForm({ text, fields, hasToken, button }: Form, { token, given, faults }: State): Html {
  return html`<p>${text}</p>
    ${faults.map((fault) => html`<p role="alert">${fault}</p>`)}
    <form method="post">
      ${fields.map(
        ({ name, label, type, autocomplete, isOptional }) =>
          html`<label
            >${label}${isOptional === true ? " (optional)" : ""}
            <input
              name="${name}"
              type="${type}"
              autocomplete="${autocomplete}"
              value="${type === "password" ? "" : (given[name] ?? "")}"
              ${isOptional === true ? "" : html` required`}
          /></label> `,
      )}
      ${hasToken ? html`<input type="hidden" name="token" value="${token}" />` : ""}
      <button>${button}</button>
    </form>`;
}
