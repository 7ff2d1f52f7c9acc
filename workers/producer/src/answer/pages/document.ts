/**
 * The look of the front door's pages: small, no request to anywhere (and none allowed: see PAGE_POLICY), light and dark,
 * readable without styles and without JavaScript. All texts that come in are HTML already.
 */

/** Links have the colour of the text, so that a domain's colour is only behind text whose colour is chosen for it. */
const PAGE_STYLE = `:root{color-scheme:light dark;--bad:#b3261e}
@media(prefers-color-scheme:dark){:root{--bad:#ffb4ab}}
*{box-sizing:border-box}body{margin:0;min-height:100svh;display:grid;place-items:center;padding:1.5rem;font:1.0625rem/1.6 system-ui,sans-serif}
main{width:100%;max-width:30rem;border-inline-start:.25rem solid var(--brand);padding-inline-start:1.5rem;overflow-wrap:anywhere}
h1{font-size:1.625rem;line-height:1.25;margin:0 0 .5rem}p{margin:0}a{color:inherit}form,footer{margin-top:1.25rem}
input,button{font:inherit;padding:.5rem .75rem;min-height:2.75rem}input{width:100%}
button{margin-top:.75rem;background:var(--brand);color:var(--on-brand);border:1px solid;font-weight:600}
.bad{color:var(--bad);margin-top:.75rem}footer{display:flex;flex-wrap:wrap;gap:.25rem 1rem;font-size:.875rem}`;

const OUR_COLOR = "#0b7a75";

export type Document = {
  /** BCP 47. */
  readonly lang: string;
  readonly title: string;
  readonly main: string;
  readonly head?: string;
  /** `#rrggbb`; anything else is ours. */
  readonly color?: string | undefined;
};

export function renderDocument({ lang, title, main, head = "", color }: Document): string {
  const brand = color !== undefined && /^#[0-9a-f]{6}$/i.test(color) ? color : OUR_COLOR;
  return `<!doctype html>
<html lang="${lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title>
${head}<style>:root{--brand:${brand};--on-brand:${textColorOn(brand)}}
${PAGE_STYLE}</style></head>
<body><main>${main}</main></body></html>
`;
}

/**
 * Black or white, whichever stands out more: at least 4.5:1 on every colour.
 *
 * @see https://www.w3.org/TR/WCAG22/#dfn-relative-luminance
 */
export function textColorOn(color: string): "#000" | "#fff" {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? "#000" : "#fff";
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
