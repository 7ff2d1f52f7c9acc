/** The page that social networks get of a link that has one: what they read to show it, and nothing else. */
import type { OpenGraph } from "@hopline/core/link/link-extras";
import type { AnswerTier } from "@hopline/edge-cache/read-through-ports";
import { PAGE_POLICY } from "../page.ts";
import { type HeaderFields, NOT_STORED, withTiming } from "../respond-redirect.ts";
import { chooseWords } from "./choose-words.ts";
import { escapeHtml, renderDocument } from "./document.ts";
import type { Words } from "./words.ts";

export type Preview = { readonly openGraph: OpenGraph; readonly url: string | null };

export function respondPreview({ openGraph, url }: Preview, request: Request, tier: AnswerTier): Response {
  const words = chooseWords(request.headers.get("accept-language"));
  const headers: HeaderFields = {
    "content-type": "text/html; charset=utf-8",
    "content-language": words.lang,
    ...NOT_STORED,
    "content-security-policy": PAGE_POLICY,
    "x-content-type-options": "nosniff",
    vary: "user-agent, accept-language",
  };
  const body = request.method === "HEAD" ? null : renderPreview({ openGraph, url }, words);
  return new Response(body, { status: 200, headers: withTiming(headers, request.headers, tier) });
}

/**
 * Without `og:url`: networks would go and read that page instead of this one.
 *
 * @param url the link's destination, for a person who lands here by mistake; `null`: it is not shown.
 */
function renderPreview({ openGraph: { title, description, image }, url }: Preview, words: Words): string {
  const { shortLink, leadsTo } = words.preview;
  const tags = [
    tag("og:type", "website"),
    ...(title === undefined ? [] : [tag("og:title", title)]),
    ...(description === undefined ? [] : [tag("og:description", description)]),
    ...(image === undefined ? [] : [tag("og:image", image)]),
    ...(description === undefined ? [] : [`<meta name="description" content="${escapeHtml(description)}">`]),
    `<meta name="twitter:card" content="${image === undefined ? "summary" : "summary_large_image"}">`,
  ];
  const text = description === undefined ? "" : `<p>${escapeHtml(description)}</p>`;
  const footer =
    url === null
      ? ""
      : `<footer><span>${leadsTo} <a href="${escapeHtml(url)}">${escapeHtml(url)}</a></span></footer>`;
  return renderDocument({
    lang: words.lang,
    title: escapeHtml(title ?? url ?? shortLink),
    main: `<h1>${escapeHtml(title ?? shortLink)}</h1>${text}${footer}`,
    head: `${tags.join("\n")}\n`,
  });
}

function tag(property: string, content: string): string {
  return `<meta property="${property}" content="${escapeHtml(content)}">`;
}
