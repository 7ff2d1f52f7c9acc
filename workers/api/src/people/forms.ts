/**
 * Minimal pages for the links in emails, until a dashboard has its own: plain HTML forms without a script. Each sends its
 * fields to the operation of the same purpose, inside the Worker, and shows what came of it. Loading a page changes nothing.
 */
import { html } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import { bodyLimit } from "hono/body-limit";
import { z } from "@hono/zod-openapi";
import { FORM_PATHS } from "./form-paths.ts";
import { ProblemError } from "../http/problem.ts";

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

const MAX_FORM_BYTES = 10_000;

/** Origin is sent with a form, and the token in the address to nobody else. */
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "same-origin",
  "x-robots-tag": "noindex",
};

type App = {
  readonly get: (path: string, handler: (context: FormContext) => Promise<Response>) => unknown;
  readonly post: (
    path: string,
    limit: ReturnType<typeof bodyLimit>,
    handler: (context: FormContext) => Promise<Response>,
  ) => unknown;
  readonly fetch: (request: Request) => Response | Promise<Response>;
};

type FormContext = { readonly req: { readonly raw: Request; query(name: string): string | undefined } };

export function serveForms(app: App): void {
  const limit = bodyLimit({
    maxSize: MAX_FORM_BYTES,
    onError: () => {
      throw new ProblemError("body_too_large");
    },
  });
  for (const [path, form] of Object.entries(FORMS)) {
    app.get(path, ({ req }) => toPage(form, { token: req.query("token") ?? "", given: {}, faults: [] }));
    app.post(path, limit, ({ req }) => submit(req.raw, form, app));
  }
}

async function submit(request: Request, form: Form, app: App): Promise<Response> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers.get("content-type") ?? "")) {
    throw new ProblemError("unsupported_media_type");
  }
  const names = [...form.fields.map(({ name }) => name), ...(form.hasToken ? ["token"] : [])];
  const sent = new URLSearchParams(await request.text());
  const filled = names.flatMap((name) => {
    const value = sent.get(name) ?? "";
    return value === "" ? [] : [[name, value] as const];
  });
  const given = Object.fromEntries(filled);
  const headers = new Headers(request.headers);
  headers.set("content-type", "application/json");
  headers.delete("content-length");
  const answer = await app.fetch(
    new Request(new URL(form.target, request.url), { method: "POST", headers, body: JSON.stringify(given) }),
  );
  if (!answer.ok) {
    const faults = toFaults(await answer.json());
    return toPage(form, { token: given["token"] ?? "", given, faults }, answer.status);
  }
  const page = await toPage({ ...form, fields: [], button: "" }, { token: "", given: {}, faults: [] });
  for (const cookie of answer.headers.getSetCookie()) {
    page.headers.append("set-cookie", cookie);
  }
  return page;
}

const Problem = z.object({
  detail: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).default([]),
});

function toFaults(body: unknown): readonly string[] {
  const problem = Problem.safeParse(body);
  if (!problem.success) {
    return ["Something failed on our side: try again later."];
  }
  const { detail, errors } = problem.data;
  return errors.length === 0 ? [detail] : errors.map(({ path, message }) => `${path} ${message}`);
}

type State = {
  readonly token: string;
  readonly given: { readonly [name: string]: string };
  readonly faults: readonly string[];
};

/** Without a button it says that it is done. */
async function toPage(form: Form, state: State, status = 200): Promise<Response> {
  const body = form.button === "" ? html`<p>${form.done}</p>` : toForm(form, state);
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${form.title} - Hopline</title>
        <style>
          body {
            font: 16px/1.5 system-ui;
            max-width: 24rem;
            margin: 3rem auto;
            padding: 0 1rem;
          }
          label,
          input,
          button {
            display: block;
            width: 100%;
            box-sizing: border-box;
            font: inherit;
          }
          input {
            margin-bottom: 1rem;
          }
        </style>
      </head>
      <body>
        <h1>${form.title}</h1>
        ${body}
      </body>
    </html> `;
  return new Response(page, { status, headers: HEADERS });
}

type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

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
