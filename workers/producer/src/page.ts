/** The pages of the front door: small, no request to anywhere, light and dark, readable without styles. */

export type PageText = {
  readonly status: number;
  /** Stable name for programs, given in the JSON form. */
  readonly code: string;
  readonly title: string;
  /** Of ours, never a visitor's: nothing of the request is echoed. */
  readonly message: string;
};

/** A page as it is sent, in both forms. */
export type Page = { readonly status: number; readonly html: string; readonly json: string };

const STYLE = `:root{color-scheme:light dark;--ink:#1b1f24;--soft:#59636e;--paper:#fbfbfa;--line:#0b7a75}
@media(prefers-color-scheme:dark){:root{--ink:#e8eaed;--soft:#9aa4af;--paper:#15181c;--line:#4fd1c5}}
*{box-sizing:border-box}body{margin:0;min-height:100vh;min-height:100svh;display:grid;place-items:center;padding:1.5rem;
background:var(--paper);color:var(--ink);font:1.0625rem/1.6 system-ui,sans-serif}
main{width:100%;max-width:30rem;border-inline-start:.25rem solid var(--line);padding-inline-start:1.5rem}
h1{font-size:1.625rem;line-height:1.25;margin:0 0 .5rem;text-wrap:balance}p{margin:0}
p+p{margin-top:1.25rem;font-size:.875rem;color:var(--soft)}`;

/** Made once, when the Worker starts: a scan of unknown slugs costs no rendering. */
export function makePage({ status, code, title, message }: PageText): Page {
  return {
    status,
    json: JSON.stringify({ status, code, title }),
    html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title><style>${STYLE}</style></head>
<body><main><h1>${title}</h1><p>${message}</p><p>Status ${status}</p></main></body></html>
`,
  };
}
