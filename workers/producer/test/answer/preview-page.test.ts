/** The page that social crawlers get: its tags say what the link says, whatever that is. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { respondPreview } from "../../src/answer/pages/preview-page.ts";
import { runs } from "../../../../packages/core/test/runs.ts";

const request = new Request("https://go.example.com/spring");
const url = "https://example.com/?a=1&b=2";

async function render(openGraph: { title?: string; description?: string; image?: string }): Promise<string> {
  return respondPreview({ openGraph, url }, request, "isolate").text();
}

describe("an Open Graph page", () => {
  it("carries any text unchanged, and as text alone", async () => {
    const text = fc.string({
      unit: fc.constantFrom("<", ">", '"', "'", "&", ";", "a", " ", "\n", "ü", "😀"),
      minLength: 1,
    });
    await fc.assert(
      fc.asyncProperty(text, text, async (title, description) => {
        const html = await render({ title, description });
        expect(contentOf(html, 'property="og:title"')).toBe(title);
        expect(contentOf(html, 'property="og:description"')).toBe(description);
        expect(contentOf(html, 'name="description"')).toBe(description);
        const written = await render({ title: "a", description: "a" });
        const count = (page: string) => page.split("<").length;
        expect(count(html)).toBe(count(written));
      }),
      runs(),
    );
  });

  it("says only what the link says", async () => {
    const html = await render({ description: "All of it" });
    expect(html).not.toContain("og:title");
    expect(html).not.toContain("og:image");
    // The networks would go and read that page instead of this one.
    expect(html).not.toContain("og:url");
    expect(contentOf(html, 'name="twitter:card"')).toBe("summary");
    const withImage = await render({ image: "https://example.com/i.png" });
    expect(contentOf(withImage, 'property="og:image"')).toBe("https://example.com/i.png");
    expect(contentOf(withImage, 'name="twitter:card"')).toBe("summary_large_image");
  });

  it("loads nothing, is not indexed, and has a way on for a person", async () => {
    const response = respondPreview({ openGraph: { title: "Spring" }, url }, request, "isolate");
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(response.headers.get("x-robots-tag")).toBe("noindex");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    const html = await response.text();
    expect(html).not.toMatch(/<script|<link|<img|url\(|@import/);
    expect(html).toContain('<a href="https://example.com/?a=1&amp;b=2">');
    expect(html).toContain("prefers-color-scheme:dark");
  });
});

const CHARACTERS: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

/** What a parser reads of a tag's `content`. */
function contentOf(html: string, attribute: string): string | undefined {
  const found = new RegExp(`<meta ${attribute} content="([^"]*)">`).exec(html)?.[1];
  return found?.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => CHARACTERS[entity] ?? "");
}
