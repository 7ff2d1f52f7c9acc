/** A browser as far as sessions go: keeps cookies, says which page sends a request, follows the links of emails. */
import type { ApiApp } from "../../src/app.ts";
import { APP_ORIGIN } from "./people-stage.ts";

type Body = { readonly [name: string]: unknown };
type PageAnswer = { readonly status: number; readonly text: string; readonly headers: Headers };
export type BrowserAnswer = PageAnswer & { readonly body: Body };

/** What the dashboard's pages send when their button is pressed. */
const OPERATIONS: { readonly [page: string]: string } = {
  "/set-up": "POST /api/auth/set-up",
  "/sign-in/link": "POST /api/auth/link/open",
  "/invitation": "POST /api/auth/invitation",
  "/account/email": "POST /api/v1/me/email/confirm",
};

export type Browser = ReturnType<typeof openBrowser>;

export function openBrowser(
  app: Pick<ApiApp, "request">,
  {
    origin = APP_ORIGIN,
    address = "203.0.113.7",
  }: { readonly origin?: string; readonly address?: string } = {},
) {
  const cookies = new Map<string, string>();
  let workspaceId: string | null = null;

  async function send(method: string, url: string, init: RequestInit = {}): Promise<PageAnswer> {
    const headers = new Headers(init.headers);
    headers.set("cf-connecting-ip", address);
    if (cookies.size > 0) {
      headers.set("cookie", Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; "));
    }
    if (workspaceId !== null) {
      headers.set("hopline-workspace", workspaceId);
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

  /** `target` is a method and a path: `POST /api/auth/sign-in`. */
  async function call(target: string, body?: unknown): Promise<BrowserAnswer> {
    const [method = "", path = ""] = target.split(" ", 2);
    const json = { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    const answer = await send(method, path, body === undefined ? {} : json);
    const isJson = /json/.test(answer.headers.get("content-type") ?? "");
    return { ...answer, body: isJson ? (JSON.parse(answer.text) as Body) : {} };
  }

  return {
    cookies,
    /** Opens the pages of a workspace: every request says so. */
    enter(id: string | null) {
      workspaceId = id;
    },
    call,
    open: (url: string) => send("GET", url),
    /** Opens the page of a link with a token, fills in its form, and presses its button. */
    follow(link: string, fields: { readonly [name: string]: string } = {}): Promise<BrowserAnswer> {
      const { pathname, searchParams } = new URL(link, APP_ORIGIN);
      const operation = OPERATIONS[pathname];
      if (operation === undefined) {
        throw new Error(`The dashboard has no page at ${pathname}.`);
      }
      return call(operation, { token: searchParams.get("token"), ...fields });
    },
  };
}
