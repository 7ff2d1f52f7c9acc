import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildDestination } from "../../src/link/destination.ts";
import { checkDestinationUrl } from "../../src/link/destination-url.ts";
import { fillPlaceholders, hasPlaceholder, MAX_PLACEHOLDERS } from "../../src/link/placeholders.ts";
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
    ["a%2F..%2Fb%FF", null],
    ["..;x/b", null],
    ["a..;b/...", "https://e.com/a..;b/..."],
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
});

describe("wherever a placeholder stands, what is put in its place changes neither scheme nor host nor the path around it", () => {
  const ORIGINS = [
    "https://e.com",
    "HTTP://E.com:8080",
    "https://@e.com:443",
    "https://m\u00fcnchen.example",
    "https://e.com.",
    "https://1.1.1.1",
    "https://[2606:4700::1111]:8443",
  ];
  const names = ["path", "1", "2", "9", "country", "language", "device", "query.a", "query.b"];
  const placeholder = fc.constantFrom(...names.map((name) => `{${name}}`));
  /** Beside a placeholder, to become something together with what fills it. */
  const near = fc.constantFrom(
    "",
    "",
    ".",
    "%",
    "%2",
    "%2e",
    "@",
    ":",
    ";",
    "~",
    "e",
    "%5",
    "\u3002",
    "{x}",
    "*",
  );
  const segment = fc
    .tuple(near, placeholder, near, fc.option(placeholder, { nil: "" }))
    .map((parts) => parts.join(""));
  const path = fc
    .array(fc.oneof(segment, fc.constantFrom("a", "b.c", "x@y", "{path}", "*")), {
      minLength: 1,
      maxLength: 4,
    })
    .map((segments) => `/keep/${segments.join("/")}`);
  const tail = (mark: string) =>
    fc.option(
      segment.map((text) => `${mark}q=${text}`),
      { nil: "" },
    );
  const template = fc
    .tuple(fc.constantFrom(...ORIGINS), fc.oneof(path, path, fc.constant("")), tail("?"), tail("#"))
    .map((parts) => parts.join(""));
  const HOSTILE = [
    ..."/ // \\ \\\\ @ @evil.example evil.example : :81 ? # & ; = % %2 {path} * e a javascript: xn--".split(
      " ",
    ),
    ..."%2E%2e .%2e %ff %252e %2f %5c %40 %00 %0d%0a m\u00fcnchen \u3002 \uff0e \uff0f \uff20 \u2024".split(
      " ",
    ),
    "\r\nx: y",
    "\t",
    "\ud800",
    "\0",
  ];
  const STEPS = [".", "..", "../", "%2e", "%2e%2e%2f"];
  const text = fc
    .array(
      fc.oneof(
        fc.constantFrom(...HOSTILE),
        fc.constantFrom(...STEPS),
        fc.string({ unit: "binary", maxLength: 3 }),
      ),
      {
        maxLength: 4,
      },
    )
    .map((parts) => parts.join(""));
  const toByte = (_escape: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16));
  const encoded = (value: string) => encodeURIComponent(value.toWellFormed());

  it("also with the visitor's query behind it", () => {
    const seen = { filled: 0, refused: 0 };
    const size = runs(3_000);
    const facts = fc.record({ rest: text, a: text, b: text, language: text, country: text, query: text });
    fc.assert(
      fc.property(template, facts, (written, { rest, a, b, language, country, query }) => {
        const checked = check(written);
        if (!checked.ok) {
          throw new Error(`${written} was refused: ${checked.error.message}`);
        }
        const own = new URL(written.replaceAll(/[{}]/g, ""));
        const filled = fill(checked.value, rest, {
          query: `a=${encoded(a)}&b=${encoded(b)}`,
          language,
          country,
        });
        if (filled === null) {
          seen.refused += 1;
          return;
        }
        seen.filled += 1;
        const visitorQuery = query.replaceAll(/[#\s\0]/g, "").toWellFormed();
        const location = buildDestination(filled, {
          utmQuery: "utm_source=x",
          forward: "visitor-wins",
          visitorQuery,
        });
        // As a browser reads it that has asked for the short link.
        for (const url of [new URL(filled), new URL(location, "https://go.example/s")]) {
          expect([url.protocol, url.host, url.username, url.password]).toEqual([
            own.protocol,
            own.host,
            "",
            "",
          ]);
          expect(url.pathname.startsWith(own.pathname.startsWith("/keep/") ? "/keep/" : "/")).toBe(true);
          // Nor for a server that decodes before it divides.
          const steps = url.pathname
            .split(";")
            .flatMap((text) => text.replaceAll(/%(\w\w)/g, toByte).split(/[/\\]/));
          expect(steps.filter((step) => step === "." || step === "..")).toEqual([]);
        }
        expect(filled).toMatch(/^[!-~]+$/);
      }),
      size,
    );
    // With too few of either the property would prove nothing.
    expect(Math.min(seen.filled, seen.refused)).toBeGreaterThan(size.numRuns / 25);
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

it(`a destination has at most ${MAX_PLACEHOLDERS} placeholders, those that its normal form brings back too`, () => {
  const most = `https://example.com/${"{1}/".repeat(MAX_PLACEHOLDERS)}`;
  expect(check(most)).toEqual({ ok: true, value: most });
  const refused = { ok: false, error: { reason: "too-many-placeholders" } };
  expect(check(`${most}{path}`)).toMatchObject(refused);
  expect(check(`${most}?q=%7Bpath%7D`).ok).toBe(true);
  expect(check(`${most}?q=%7Bpath%7D\u00fc`)).toMatchObject(refused);
});

it.each(["spotify:track:4uLU6hMCjMI75M1A2tKUQC", "x-app.1://open/{path}", "tel:+41441234567"])(
  "%s is not of the web, and stays as it is where another destination of its link has placeholders",
  (url) => {
    expect(fill(url, "a/b")).toBe(url);
  },
);
