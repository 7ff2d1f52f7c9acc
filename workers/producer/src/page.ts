/** The one HTML page of the front door: small, no request to anywhere, light and dark, readable without styles. */

export type Page = {
  readonly status: number;
  /** Stable name for programs, given in the JSON form. */
  readonly code: string;
  readonly title: string;
  readonly message: string;
};

const STYLE = `:root{color-scheme:light dark}body{margin:0;min-height:100vh;display:grid;place-items:center;
font:1.125rem/1.5 system-ui,sans-serif;background:Canvas;color:CanvasText}main{max-width:32rem;padding:2rem}
h1{font-size:1.75rem;margin:0 0 .5rem}p{margin:0}small{display:block;margin-top:2rem;opacity:.7}`;

/** Texts are ours, never a visitor's: nothing of the request is echoed. */
export function renderPage(page: Page): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>${page.title}</title><style>${STYLE}</style></head>
<body><main><h1>${page.title}</h1><p>${page.message}</p><small>${page.status}</small></main></body></html>
`;
}
