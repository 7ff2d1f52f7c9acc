import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkDestinationUrl } from "../../src/link/destination-url.ts";
import { fillPlaceholders, hasPlaceholder } from "../../src/link/placeholders.ts";
import { runs } from "../runs.ts";
import { aVisitor, type VisitorFacts } from "../rules/evaluate/a-visitor.ts";

function fill(url: string, rest: string, facts: VisitorFacts = {}): string | null {
  return fillPlaceholders(url, { rest, visitor: aVisitor(facts) });
}

function check(url: string): ReturnType<typeof checkDestinationUrl> {
  return checkDestinationUrl(url, { ownHosts: new Set(), appSchemes: new Set(["myapp"]) });
}

it.each<[string, string, string]>([
  ["https://e.com/manual/*", "intro/setup", "https://e.com/manual/intro/setup"],
  ["https://e.com/manual/*", "", "https://e.com/manual/"],
  ["https://e.com/manual/*", "intro/", "https://e.com/manual/intro/"],
  ["https://e.com/manual/*?v=2#top", "a", "https://e.com/manual/a?v=2#top"],
  ["https://e.com/*", "a%20b/c%252Fd", "https://e.com/a%20b/c%252Fd"],
  ["https://e.com/{path}.html", "a/b", "https://e.com/a/b.html"],
  ["https://e.com/{2}/x-{1}/{3}", "a/b", "https://e.com/b/x-a/"],
  ["https://e.com/?from={path}&n={1}", "a%20b/c&d", "https://e.com/?from=a%20b%2Fc%26d&n=a%20b"],
  ["https://e.com/{country}/{language}/{device}", "", "https://e.com/DE/de/mobile"],
  ["https://e.com/{query.ref}?t={query.tag}&x={query.none}", "", "https://e.com/mail?t=a&x="],
  ["https://e.com/{unknown}/a*?q=*/*", "x", "https://e.com/{unknown}/a*?q=*/*"],
])("%s, visited with %s, leads to %s", (url, rest, expected) => {
  expect(fill(url, rest)).toBe(expected);
});

describe("what a visitor sends leaves neither the origin nor the path that was written", () => {
  it.each([
    ["//evil.example/x", "https://e.com/evil.example/x"],
    ["\\\\evil.example", "https://e.com/%5C%5Cevil.example"],
    ["@evil.example", "https://e.com/@evil.example"],
    ["%2F%2Fevil.example", "https://e.com/%2F%2Fevil.example"],
    ["a%0D%0ASet-Cookie:x", "https://e.com/a%0D%0ASet-Cookie:x"],
    ["a\r\nb\u0000", "https://e.com/a%0D%0Ab%00"],
    ["a%00b", "https://e.com/a%00b"],
    ["münchen.example/🚀", "https://e.com/m%C3%BCnchen.example/%F0%9F%9A%80"],
    ["a\ud800", "https://e.com/a%EF%BF%BD"],
    ["%25%32%65%252e", "https://e.com/%25%32%65%252e"],
    ["100%/%zz", "https://e.com/100%25/%25zz"],
    ['"<script>?#', "https://e.com/%22%3Cscript%3E%3F%23"],
    ["{country}/{path}", "https://e.com/%7Bcountry%7D/%7Bpath%7D"],
    ["..", null],
    ["a/../b", null],
    ["a/%2e%2E/b", null],
    ["a/.%2e", null],
    ["./a", null],
    ["%2e%2e%2fadmin", null],
    ["a%5C..%5Cb", null],
    ["a".repeat(8_192), null],
  ])("%j", (rest, expected) => {
    expect(fill("https://e.com/*", rest)).toBe(expected);
  });

  it.each([
    ["https://e.com/a/{query.ref}/b", { query: "ref=.." }, null],
    ["https://e.com/a/.{query.ref}/b", { query: "ref=." }, null],
    ["https://e.com/a/{language}/b", { language: "../../x" }, null],
    ["https://e.com/a/{query.ref}", { query: "ref=%2F..%2F" }, null],
    ["https://e.com/?r={query.ref}", { query: "ref=a%26b%3Dc%23d" }, "https://e.com/?r=a%26b%3Dc%23d"],
    ["https://e.com/#{query.ref}", { query: "ref=%0D%0A" }, "https://e.com/#%0D%0A"],
  ])("%s with %j", (url, facts, expected) => {
    expect(fill(url, "", facts)).toBe(expected);
  });

  it("whatever it is", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.stringMatching(/^[./\\@%:?#a2eEfF0dDaA\r\n]{0,20}$/),
    );
    const templates = [
      "https://e.com:8443/a/{path}/b?q={path}#{1}",
      "https://e.com:8443/a/*",
      "https://e.com:8443/a/{1}{query.ref}{language}",
    ];
    fc.assert(
      fc.property(fc.constantFrom(...templates), text, text, (url, rest, value) => {
        const filled = fill(url, rest, {
          query: `ref=${encodeURIComponent(value.toWellFormed())}`,
          language: value,
        });
        if (filled !== null) {
          const parsed = new URL(filled);
          expect(parsed.origin + parsed.username).toBe("https://e.com:8443");
          expect(parsed.pathname).toMatch(/^\/a\//);
          expect(filled).toMatch(/^[!-~]+$/);
        }
      }),
      runs(800),
    );
  });
});

describe("a placeholder is refused where a visitor would choose scheme, host or port", () => {
  it.each([
    "https://{query.host}/",
    "https://{country}.example.com/",
    "https://example.com{path}",
    "https://example.com.{path}/a",
    "https://%7Bpath%7D.example.com/{path}",
    "https://example.com:{1}/",
    "https://{1}@example.com/",
    "{query.scheme}://example.com/",
    "{path}",
    "//example.com/{path}",
    "myapp://open/{path}",
  ])("%s", (url) => {
    expect(check(url).ok).toBe(false);
  });

  it.each([
    ["https://example.com/{path}", "https://example.com/{path}"],
    ["https://example.com\\@{path}@evil.example/", "https://example.com/@{path}@evil.example/"],
    ["https://example.com?c={country}", "https://example.com?c={country}"],
    [
      "https://example.com/grüße/{path}?q={query.a}",
      "https://example.com/gr%C3%BC%C3%9Fe/{path}?q={query.a}",
    ],
    ["https://münchen.example/{1}", "https://xn--mnchen-3ya.example/{1}"],
  ])("and behind the host published as it is written: %s", (url, published) => {
    expect(check(url)).toEqual({ ok: true, value: published });
    expect(hasPlaceholder(published)).toBe(true);
  });

  it.each([
    "https://example.com/{x}",
    "https://example.com/a*",
    "https://example.com/?a=/*",
    "https://example.com/*/b",
  ])("%s has none", (url) => {
    expect(hasPlaceholder(url)).toBe(false);
  });
});
