/** The frame of the plain pages that people meet while they sign in: HTML without a script. */
import { html } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

type Page = {
  readonly title: string;
  readonly body: Html;
  readonly status?: number | undefined;
  readonly setCookie?: readonly string[];
  /** The address that the browser goes on to. */
  readonly refreshTo?: string;
};

/** Origin is sent with a form, and the token in the address to nobody else. */
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "same-origin",
  "x-robots-tag": "noindex",
};

export async function toPage({
  title,
  body,
  status = 200,
  setCookie = [],
  refreshTo,
}: Page): Promise<Response> {
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        ${refreshTo === undefined ? "" : html`<meta http-equiv="refresh" content="0;url=${refreshTo}" />`}
        <title>${title} - Hopline</title>
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
        <h1>${title}</h1>
        ${body}
      </body>
    </html> `;
  const response = new Response(page, { status, headers: HEADERS });
  for (const cookie of setCookie) {
    response.headers.append("set-cookie", cookie);
  }
  return response;
}
