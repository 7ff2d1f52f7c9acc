/** A browser as far as sessions go: keeps cookies, says which page sends a request, submits forms. */
import type { ApiApp } from "../../src/app.ts";
import { APP_ORIGIN } from "./people-stage.ts";

type Body = { readonly [name: string]: unknown };
export type PageAnswer = { readonly status: number; readonly text: string; readonly headers: Headers };
export type BrowserAnswer = PageAnswer & { readonly body: Body };

export type Browser = ReturnType<typeof openBrowser>;

export function openBrowser(
  app: Pick<ApiApp, "request">,
  {
    origin = APP_ORIGIN,
    address = "203.0.113.7",
  }: { readonly origin?: string; readonly address?: string } = {},
) {
  const cookies = new Map<string, string>();

  async function send(method: string, url: string, init: RequestInit = {}): Promise<PageAnswer> {
    const headers = new Headers(init.headers);
    headers.set("cf-connecting-ip", address);
    if (cookies.size > 0) {
      headers.set("cookie", Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; "));
    }
    if (method !== "GET") {
      headers.set("origin", origin);
    }
    const response = await app.request(new URL(url, APP_ORIGIN).href, { ...init, method, headers });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (/Max-Age=0/i.test(cookie)) {
        cookies.delete(name);
      } else {
        cookies.set(name, value);
      }
    }
    return { status: response.status, text: await response.text(), headers: response.headers };
  }

  const post = (path: string, fields: { readonly [name: string]: string }) =>
    send("POST", path, {
      body: new URLSearchParams(fields).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });

  return {
    cookies,
    /** Sends a form's fields. */
    post,
    /** `target` is a method and a path: `POST /api/auth/sign-in`. */
    async call(target: string, body?: unknown): Promise<BrowserAnswer> {
      const [method = "", path = ""] = target.split(" ", 2);
      const json = { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
      const answer = await send(method, path, body === undefined ? {} : json);
      const isJson = /json/.test(answer.headers.get("content-type") ?? "");
      return { ...answer, body: isJson ? (JSON.parse(answer.text) as Body) : {} };
    },
    open: (url: string) => send("GET", url),
    /** Opens a page, fills in its form, and sends it with the fields that it has hidden. */
    async submit(url: string, fields: { readonly [name: string]: string }): Promise<PageAnswer> {
      const page = await send("GET", url);
      const inputs = Array.from(page.text.matchAll(/<input\b[^>]*>/g), ([input]) => ({
        name: /name="([^"]*)"/.exec(input)?.[1] ?? "",
        value: /value="([^"]*)"/.exec(input)?.[1] ?? "",
      }));
      const unknown = Object.keys(fields).filter((name) => !inputs.some((input) => input.name === name));
      if (unknown.length > 0) {
        throw new Error(`The form at ${url} has no ${unknown.join(", ")}.`);
      }
      const filled = inputs.map(({ name, value }) => [name, fields[name] ?? value]);
      return post(new URL(url, APP_ORIGIN).pathname, Object.fromEntries(filled));
    },
  };
}
