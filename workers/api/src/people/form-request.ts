/** How a plain form's fields get to the operation of the same purpose, inside the Worker. */
import { z } from "@hono/zod-openapi";
import { bodyLimit } from "hono/body-limit";
import { ProblemError } from "../http/problem.ts";

type FormContext = {
  readonly req: {
    readonly raw: Request;
    query(name: string): string | undefined;
    param(name: string): string | undefined;
  };
};
type Handler = (context: FormContext) => Promise<Response>;

export type FormApp = {
  readonly get: (path: string, handler: Handler) => unknown;
  readonly post: (path: string, limit: typeof limitForm, handler: Handler) => unknown;
  readonly fetch: (request: Request) => Response | Promise<Response>;
};

const MAX_FORM_BYTES = 10_000;

export const limitForm = bodyLimit({
  maxSize: MAX_FORM_BYTES,
  onError: () => {
    throw new ProblemError("body_too_large");
  },
});

type Passing = {
  /** Of the fields that the form has. */
  readonly names: readonly string[];
  /** The operation's path. */
  readonly target: string;
  readonly app: FormApp;
};

/** The operation's answer. Fields that are empty are left out. */
export async function passOn(request: Request, { names, target, app }: Passing) {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers.get("content-type") ?? "")) {
    throw new ProblemError("unsupported_media_type");
  }
  const sent = new URLSearchParams(await request.text());
  const filled = names.flatMap((name) => {
    const value = sent.get(name) ?? "";
    return value === "" ? [] : [[name, value] as const];
  });
  const given: { readonly [name: string]: string } = Object.fromEntries(filled);
  const headers = new Headers(request.headers);
  headers.set("content-type", "application/json");
  headers.delete("content-length");
  const response = await app.fetch(
    new Request(new URL(target, request.url), { method: "POST", headers, body: JSON.stringify(given) }),
  );
  return { given, response };
}

const Problem = z.object({
  detail: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).default([]),
});

/** What a problem says, for people. */
export function toFaults(body: unknown): readonly string[] {
  const problem = Problem.safeParse(body);
  if (!problem.success) {
    return ["Something failed on our side: try again later."];
  }
  const { detail, errors } = problem.data;
  return errors.length === 0 ? [detail] : errors.map(({ path, message }) => `${path} ${message}`);
}
