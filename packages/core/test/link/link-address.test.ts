import { describe, expect, it } from "vitest";
import {
  encodeSlug,
  fitsKvKey,
  linkKeyOf,
  normaliseSlug,
  parseSlug,
  splitRequestUrl,
} from "../../src/link/link-address.ts";

describe("splitRequestUrl", () => {
  it.each([
    ["https://go.example.com/spring", { host: "go.example.com", path: "/spring", query: "" }],
    ["https://GO.Example.com/Spring?a=1&b=?", { host: "go.example.com", path: "/Spring", query: "a=1&b=?" }],
    ["http://127.0.0.1:8787/x?", { host: "127.0.0.1:8787", path: "/x", query: "" }],
    ["https://go.example.com", { host: "go.example.com", path: "/", query: "" }],
    ["https://go.example.com?next=/a/b", { host: "go.example.com", path: "/", query: "next=/a/b" }],
    [
      "https://go.example.com/a?u=https://x.example/b",
      { host: "go.example.com", path: "/a", query: "u=https://x.example/b" },
    ],
  ])("cuts %s into host, path and query", (url, expected) => {
    expect(splitRequestUrl(url)).toEqual(expected);
  });
});

describe("parseSlug", () => {
  it.each([
    ["/spring", "spring"],
    ["/Spring-2026_x", "Spring-2026_x"],
    ["/spring/", "spring"],
    ["/%E6%98%A5", "春"],
    ["/caf%C3%A9", "café"],
    ["/cafe%CC%81", "café"],
    ["/%F0%9F%9A%80", "🚀"],
    ["/%F0%9F%91%A9%F0%9F%8F%BD%E2%80%8D%F0%9F%9A%80", "👩🏽‍🚀"],
    ["/%68op", "hop"],
    ["/docs/v1.2/c++", "docs/v1.2/c++"],
    ["/docs%2Fintro/", "docs/intro"],
    ["/~anna", "~anna"],
    ["/apis/v1", "apis/v1"],
    [`/${"a".repeat(128)}`, "a".repeat(128)],
    [`/${encodeURIComponent("🚀".repeat(128))}`, "🚀".repeat(128)],
  ])("reads the slug of %s", (path, slug) => {
    expect(parseSlug(path)).toBe(slug);
  });

  it.each([
    ["no slug", "/"],
    ["an escape that ends early", "/abc%"],
    ["an escape that is no number", "/%zz"],
    ["bytes that are not UTF-8", "/%ff%fe"],
    ["an empty part", "/a//b"],
    ["an empty part at the beginning", "//a"],
    ["an empty part at the end", "/a//"],
    ["a part that begins with a dot", "/a/.env"],
    ["a step up", "/a/../b"],
    ["an encoded step up", "/a/%2e%2E/b"],
    ["what forwards", "/docs/*"],
    ["a path of the API", "/a%70i/v1"],
    ["a path of Cloudflare's", "/cdn-cgi/trace"],
    ["what crawlers ask for", "/robots.txt"],
    ["a backslash", "/a%5Cb"],
    ["a space", "/a%20b"],
    ["a control character", "/a%00b"],
    ["a right-to-left override", "/a%E2%80%AEb"],
    ["129 characters", `/${"a".repeat(129)}`],
    ["129 emoji", `/${encodeURIComponent("🚀".repeat(129))}`],
    ["10 KB of letters", `/${"a".repeat(10_000)}`],
    ["10 KB of escapes", `/${"%41".repeat(3_400)}`],
  ])("refuses %s", (_what, path) => {
    expect(parseSlug(path)).toBeNull();
  });

  it("names the same link however its accents are composed", () => {
    expect(normaliseSlug("cafe\u0301")).toBe(normaliseSlug("caf\u00e9"));
  });
});

it.each([
  ["docs/*", "docs/*"],
  ["a/b/*", "a/b/*"],
  [`${"a".repeat(126)}/*`, `${"a".repeat(126)}/*`],
  [`${"a".repeat(127)}/*`, null],
  ["/*", null],
  ["*", null],
  ["docs*", null],
  ["docs/*/x", null],
  ["docs/*/*", null],
  ["docs//*", null],
  ["/docs", null],
  ["docs/", null],
])("a slug in clear text may end in /*: %s", (text, slug) => {
  expect(normaliseSlug(text)).toBe(slug);
});

it.each([
  ["grüße/c++", "gr%C3%BC%C3%9Fe/c++"],
  ["docs/*", "docs"],
])("%s stands in a URL as %s, which leads back to it", (slug, encoded) => {
  expect(encodeSlug(slug)).toBe(encoded);
});

describe("fitsKvKey", () => {
  it("never lets a key past that KV would refuse", () => {
    for (const character of ["a", "é", "春", "🚀"]) {
      const longest = linkKeyOf("go.example.com", character.repeat(128));
      if (fitsKvKey(longest)) {
        expect(new TextEncoder().encode(longest).length).toBeLessThanOrEqual(512);
      }
    }
    expect(fitsKvKey(linkKeyOf("go.example.com", "a".repeat(128)))).toBe(true);
    expect(fitsKvKey(linkKeyOf("go.example.com", "🚀".repeat(128)))).toBe(false);
    expect(fitsKvKey(linkKeyOf("a".repeat(250), "a".repeat(128)))).toBe(true);
    expect(fitsKvKey(linkKeyOf("go.example.com", "é".repeat(128)))).toBe(true);
  });
});
