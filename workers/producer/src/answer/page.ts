/**
 * The pages of the front door: small, no request to anywhere (and none allowed: see PAGE_POLICY), light and dark, readable
 * without styles and without JavaScript. A domain may add its name and a way on.
 */

export type Page = {
  readonly status: number;
  /** Stable name for programs, given in the JSON form. */
  readonly code: string;
  readonly title: string;
  /** Of ours, never a visitor's: nothing of the request is echoed. */
  readonly message: string;
  /** HTML of ours that stands below the message. */
  readonly form?: string;
};

/** What a domain says of itself on its pages. */
export type Site = { readonly title?: string | undefined; readonly homeUrl?: string | undefined };

/** No loading, no scripts, no framing. Where a form leads is not limited: its answer is a redirect. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

/** Of every page, and of what social crawlers get. */
export const PAGE_STYLE = `:root{color-scheme:light dark;--line:#0b7a75;--bad:#b3261e}
@media(prefers-color-scheme:dark){:root{--line:#4fd1c5;--bad:#ffb4ab}}
*{box-sizing:border-box}body{margin:0;min-height:100svh;display:grid;place-items:center;padding:1.5rem;font:1.0625rem/1.6 system-ui,sans-serif}
main{width:100%;max-width:30rem;border-inline-start:.25rem solid var(--line);padding-inline-start:1.5rem;overflow-wrap:anywhere}
h1{font-size:1.625rem;line-height:1.25;margin:0 0 .5rem}p{margin:0}a{color:var(--line)}form,footer{margin-top:1.25rem}
input,button{font:inherit;padding:.5rem .75rem;min-height:2.75rem}input{width:100%}
button{margin-top:.75rem;background:var(--line);color:Canvas;border:0;font-weight:600}
.bad{color:var(--bad);margin-top:.75rem}footer{font-size:.875rem;opacity:.8}`;

export function renderPage({ status, title, message, form = "" }: Page, site: Site | null): string {
  const siteTitle = site?.title === undefined ? "" : ` - ${escapeHtml(site.title)}`;
  const footer = `<footer>${site === null ? "" : linkOf(site)}Status ${status}</footer>`;
  return renderDocument(`${title}${siteTitle}`, `<h1>${title}</h1><p>${message}</p>${form}${footer}`);
}

/** All texts are HTML already. */
export function renderDocument(title: string, main: string, head = ""): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title>
${head}<style>${PAGE_STYLE}</style></head>
<body><main>${main}</main></body></html>
`;
}

function linkOf({ title, homeUrl }: Site): string {
  if (title === undefined && homeUrl === undefined) {
    return "";
  }
  const name = escapeHtml(title ?? "Home page");
  return `${homeUrl === undefined ? name : `<a href="${escapeHtml(homeUrl)}">${name}</a>`} · `;
}

/** Text as it may stand between tags and in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
