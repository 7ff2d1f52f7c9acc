/** A page of the front door, in the visitor's language and with what its domain says of itself. Nothing of the request is echoed. */
import { type PageCode, STATUS_OF } from "../page.ts";
import { escapeHtml, renderDocument } from "./document.ts";
import { chooseWords } from "./choose-words.ts";
import type { Words } from "./words.ts";

/** What a domain says of itself on its pages. */
export type Site = {
  readonly title?: string | undefined;
  readonly homeUrl?: string | undefined;
  readonly color?: string | undefined;
  readonly imprintUrl?: string | undefined;
  readonly privacyUrl?: string | undefined;
  readonly reportUrl?: string | undefined;
};

export type RenderedPage = { readonly html: string; readonly lang: string };

/** @param acceptLanguage the visitor's header. */
export function renderPage(code: PageCode, site: Site | null, acceptLanguage: string | null): RenderedPage {
  const words = chooseWords(acceptLanguage);
  const { title, message, complaint } = sayOf(code, words);
  const name = site?.title === undefined ? "" : ` - ${escapeHtml(site.title)}`;
  const form = complaint === undefined ? "" : renderForm(complaint, words);
  const footer = site === null ? "" : renderFooter(site, words);
  const html = renderDocument({
    lang: words.lang,
    title: `${title}${name}`,
    main: `<h1>${title}</h1><p>${message}</p>${form}${footer}`,
    color: site?.color,
  });
  return { html, lang: words.lang };
}

/** The same for programs. In English, whatever the visitor speaks: `code` is what they go by. */
export function renderJson(code: PageCode): string {
  return JSON.stringify({ status: STATUS_OF[code], code, title: sayOf(code, chooseWords(null)).title });
}

type Said = { readonly title: string; readonly message: string; readonly complaint?: string };

function sayOf(code: PageCode, { pages, complaints }: Words): Said {
  if (code === "password_required" || code === "password_wrong" || code === "too_many_passwords") {
    const [title, message] = pages.password_required;
    return { title, message, complaint: code === "password_required" ? "" : complaints[code] };
  }
  const [title, message] = pages[code];
  return { title, message };
}

/** @param complaint "" for a first try. */
function renderForm(complaint: string, { form }: Words): string {
  const marks = complaint === "" ? "" : ' aria-invalid="true" aria-describedby="complaint"';
  return `<form method="post"><label for="password">${form.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="256" required autofocus${marks}>
${complaint === "" ? "" : `<p class="bad" id="complaint" role="alert">${complaint}</p>`}<button>${form.open}</button></form>`;
}

function renderFooter({ title, homeUrl, imprintUrl, privacyUrl, reportUrl }: Site, { links }: Words): string {
  const home =
    homeUrl === undefined
      ? title === undefined
        ? ""
        : `<span>${escapeHtml(title)}</span>`
      : link(homeUrl, escapeHtml(title ?? "") || links.home);
  const parts = [
    home,
    link(imprintUrl, links.imprint),
    link(privacyUrl, links.privacy),
    link(reportUrl, links.report),
  ].join("");
  return parts === "" ? "" : `<footer>${parts}</footer>`;
}

function link(url: string | undefined, text: string): string {
  return url === undefined ? "" : `<a href="${escapeHtml(url)}">${text}</a>`;
}
