/** The front door's pages: in the visitor's language, in the domain's look, small, and harmless whatever a domain says. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PAGE_POLICY, type PageCode, STATUS_OF } from "../../src/answer/page.ts";
import { chooseWords, LANGUAGES } from "../../src/answer/pages/choose-words.ts";
import { textColorOn } from "../../src/answer/pages/document.ts";
import { renderPage } from "../../src/answer/pages/render-page.ts";
import { respondPage } from "../../src/answer/respond-page.ts";
import { runs } from "../../../../packages/core/test/runs.ts";

const isCode = (text: string): text is PageCode => text in STATUS_OF;
const CODES = Object.keys(STATUS_OF).filter(isCode);
const SITE = {
  title: "Example",
  homeUrl: "https://example.com/",
  color: "#0a7b3c",
  imprintUrl: "https://example.com/imprint",
  privacyUrl: "https://example.com/privacy",
  reportUrl: "https://example.com/report",
};

describe("the language of a page", () => {
  it.each([
    [null, "en"],
    ["", "en"],
    ["de-CH,de;q=0.9,en;q=0.8", "de"],
    ["DE_at", "de"],
    ["en;q=0.5, fr;q=0.9", "fr"],
    ["sv,nl;q=0.7,en;q=0.3", "nl"],
    ["sv", "en"],
    ["ja;q=0,pl;q=0.1", "pl"],
    ["zh-TW", "zh-Hans"],
    ["*, pt-BR;q=0.9", "pt"],
    ["it;q=nonsense, es;q=0.2", "es"],
    ["__proto__, constructor, de;q=0.1", "de"],
    [`${"x,".repeat(100_000)}de`, "en"],
  ])("of a visitor with Accept-Language %j is %s", (header, lang) => {
    expect(chooseWords(header).lang).toBe(lang);
  });

  it("is said to browsers and caches, and programs get English", async () => {
    const ask = (accept: string) =>
      respondPage(
        new Request("https://go.example.com/x", { headers: { accept, "accept-language": "de" } }),
        "link_unknown",
      );
    const page = await ask("text/html");
    expect(page.headers.get("content-language")).toBe("de");
    expect(page.headers.get("vary")).toBe("accept, accept-language");
    expect(await page.text()).toContain('<html lang="de">');
    expect(await (await ask("application/json")).json()).toEqual({
      status: 404,
      code: "link_unknown",
      title: "No such link",
    });
  });

  it("has each of its texts translated, ten times", () => {
    expect(LANGUAGES.size).toBe(10);
    const titles = CODES.map((code) =>
      [...LANGUAGES.keys()].map((lang) => renderPage(code, SITE, lang).html),
    );
    for (const pages of titles) {
      expect(new Set(pages.map((html) => /<h1>.*<\/p>/.exec(html)?.[0])).size).toBe(10);
    }
    const texts = [...LANGUAGES.values()].flatMap(({ pages, complaints, form, links, preview }) => [
      ...Object.values(pages).flat(),
      ...[complaints, form, links, preview].flatMap((part) => Object.values(part)),
    ]);
    expect(texts.filter((text) => text.trim() === "" || /[<>&]/.test(text))).toEqual([]);
  });
});

describe("the look of a page", () => {
  it("weighs at most 8 KB, loads nothing and runs nothing", () => {
    for (const code of CODES) {
      for (const lang of LANGUAGES.keys()) {
        const { html } = renderPage(code, { ...SITE, title: "W".repeat(100) }, lang);
        expect(new TextEncoder().encode(html).byteLength).toBeLessThanOrEqual(8_192);
        expect(html).not.toMatch(/<script|<link|<img|url\(|@import|\son\w+=/);
      }
    }
    expect(PAGE_POLICY).toContain("default-src 'none'");
  });

  it("is its domain's: colour, name, home page, imprint, privacy and where to report a link", () => {
    const { html } = renderPage("link_gone", SITE, "en");
    expect(html).toContain("--brand:#0a7b3c");
    expect(html).toContain("<title>This link has ended - Example</title>");
    for (const [url, text] of [
      ["/", "Example"],
      ["/imprint", "Imprint"],
      ["/privacy", "Privacy"],
      ["/report", "Report this link"],
    ]) {
      expect(html).toContain(`<a href="https://example.com${url}">${text}</a>`);
    }
    expect(renderPage("link_gone", null, "en").html).not.toContain("<footer>");
  });

  it("takes nothing but a colour for one, and text for text", () => {
    const hostile = "</style><script>alert(1)</script>";
    fc.assert(
      fc.property(fc.constantFrom(...CODES), fc.string(), (code, text) => {
        const site = {
          ...SITE,
          color: text,
          title: text + hostile,
          homeUrl: `https://example.com/"${hostile}`,
        };
        const { html } = renderPage(code, site, "en");
        expect(html).not.toContain("<script");
        expect(html.match(/<style>/g)).toHaveLength(1);
        expect(html).toMatch(/--brand:#[0-9a-f]{6};/i);
      }),
      runs(),
    );
  });

  it("has readable text on a button of any colour", () => {
    const channel = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(channel, channel, channel, (...channels) => {
        const color = `#${channels.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
        expect(
          contrastOf(color, textColorOn(color) === "#000" ? "#000000" : "#ffffff"),
        ).toBeGreaterThanOrEqual(4.5);
      }),
      runs(),
    );
  });
});

/** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrastOf(one: string, other: string): number {
  const [low = 0, high = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function luminanceOf(color: string): number {
  const value = Number.parseInt(color.slice(1), 16);
  const linear = (part: number) => (part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  const [red, green, blue] = [value >> 16, (value >> 8) & 255, value & 255].map((part) => linear(part / 255));
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}
