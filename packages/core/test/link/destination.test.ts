import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildDestination, toUtmQuery } from "../../src/link/destination.ts";
import type { ForwardMode } from "../../src/link/query-forwarding.ts";
import { runs } from "../runs.ts";

function build(url: string, visitorQuery: string, forward: ForwardMode, utmQuery = ""): string {
  return buildDestination(url, { visitorQuery, forward, utmQuery });
}

describe("a destination", () => {
  it.each<[string, string, ForwardMode, string]>([
    ["https://e.com/?a=1", "b=2", "none", "https://e.com/?a=1"],
    ["https://e.com/", "b=2", "visitor-wins", "https://e.com/?b=2"],
    ["https://e.com", "b=2", "visitor-wins", "https://e.com?b=2"],
    ["https://e.com/?a=1", "b=2", "visitor-wins", "https://e.com/?a=1&b=2"],
    ["https://e.com/?a=1&c=3", "a=2", "visitor-wins", "https://e.com/?c=3&a=2"],
    ["https://e.com/?a=1&c=3", "a=2", "link-wins", "https://e.com/?a=1&c=3"],
    ["https://e.com/?a=1&c=3", "a=2&b=4", "link-wins", "https://e.com/?a=1&c=3&b=4"],
    ["https://e.com/?a=1&a=2", "b=1&b=2", "link-wins", "https://e.com/?a=1&a=2&b=1&b=2"],
    ["https://e.com/?a=1&a=2&b=9", "a=3&a=4", "visitor-wins", "https://e.com/?b=9&a=3&a=4"],
    ["https://e.com/#frag?x=1", "b=2", "visitor-wins", "https://e.com/?b=2#frag?x=1"],
    ["https://e.com/?a=1#/route", "b=2", "link-wins", "https://e.com/?a=1&b=2#/route"],
    ["https://e.com/?", "b=2", "visitor-wins", "https://e.com/?b=2"],
    ["https://e.com/?a=1&", "b=2", "visitor-wins", "https://e.com/?a=1&b=2"],
    ["https://e.com/?a&&c=", "&&b=2&", "link-wins", "https://e.com/?a&&c=&b=2"],
    ["https://e.com/?q=a+b", "r=c%20d+e", "visitor-wins", "https://e.com/?q=a+b&r=c%20d+e"],
    ["https://e.com/?q=%2520", "r=%2520%zz%", "visitor-wins", "https://e.com/?q=%2520&r=%2520%zz%"],
    ["https://e.com/?utm%5Fsource=x", "utm_source=y", "visitor-wins", "https://e.com/?utm_source=y"],
    ["https://e.com/?a=1", "A=2", "visitor-wins", "https://e.com/?a=1&A=2"],
    ["https://e.com/", "source=qr", "visitor-wins", "https://e.com/"],
    ["https://e.com/", "source=qr&b=2", "visitor-wins", "https://e.com/?b=2"],
    ["https://e.com/?source=shop", "source=qr", "visitor-wins", "https://e.com/?source=shop"],
    ["https://e.com/", "s%6Furce=q%72", "visitor-wins", "https://e.com/"],
    ["https://e.com/", "source=news", "visitor-wins", "https://e.com/?source=news"],
    [
      "https://e.com/",
      "x=1#y=2 3\r\nSet-Cookie: a",
      "visitor-wins",
      "https://e.com/?x=1%23y=2%203%0D%0ASet-Cookie:%20a",
    ],
    ["https://e.com/", "x=\ud800", "visitor-wins", "https://e.com/?x=%EF%BF%BD"],
    ["myapp://open/item?id=1", "b=2", "visitor-wins", "myapp://open/item?id=1&b=2"],
    ["intent://x#Intent;scheme=a;end", "b=2", "visitor-wins", "intent://x?b=2#Intent;scheme=a;end"],
    ["tel:+4930123", "b=2", "visitor-wins", "tel:+4930123"],
    ["mailto:a@e.com?subject=x", "b=2", "visitor-wins", "mailto:a@e.com?subject=x"],
  ])("%s with the query %j, %s, is %s", (url, query, mode, expected) => {
    expect(build(url, query, mode)).toBe(expected);
  });

  it("carries the link's UTM parameters in place of its own, before the fragment", () => {
    const utm = toUtmQuery({ source: "news letter", medium: "", campaign: "a&b=c#d%20ü" });
    expect(utm).toBe("utm_source=news%20letter&utm_campaign=a%26b%3Dc%23d%2520%C3%BC");
    expect(build("https://e.com/?utm_source=x&k=1#f", "", "none", utm)).toBe(
      "https://e.com/?k=1&utm_source=news%20letter&utm_campaign=a%26b%3Dc%23d%2520%C3%BC#f",
    );
  });

  it("counts UTM parameters as the link's when the visitor brings the same", () => {
    const utm = toUtmQuery({ source: "link" });
    expect(build("https://e.com/", "utm_source=me", "link-wins", utm)).toBe("https://e.com/?utm_source=link");
    expect(build("https://e.com/", "utm_source=me", "visitor-wins", utm)).toBe(
      "https://e.com/?utm_source=me",
    );
  });
});

const text = fc.oneof(
  fc.constantFrom("a", "b", "source", "qr", "x y", "ü", "%", "+", "&", "=", "#"),
  fc.string({ maxLength: 4 }),
);
const query = fc
  .array(fc.tuple(text, text), { maxLength: 5 })
  .map((pairs) => new URLSearchParams(pairs).toString());
const url = fc
  .record({ base: fc.webUrl(), query, fragment: fc.option(fc.webFragments(), { nil: undefined }) })
  .map(
    ({ base, query: own, fragment }) =>
      `${base}${own === "" ? "" : `?${own}`}${fragment === undefined ? "" : `#${fragment}`}`,
  );
const mode = fc.constantFrom<ForwardMode>("none", "visitor-wins", "link-wins");

function pairsOf(address: string): readonly (readonly [string, string])[] {
  return [...new URL(address).searchParams];
}

function inOrder(pairs: readonly (readonly [string, string])[]): readonly string[] {
  return pairs.map((pair) => JSON.stringify(pair)).toSorted();
}

describe("forwarding", () => {
  it("of an empty query leaves the URL as it is, byte for byte", () => {
    fc.assert(
      fc.property(url, mode, (address, forward) => {
        expect(build(address, "", forward)).toBe(address);
      }),
      runs(),
    );
  });

  it("means what merging two lists of parameters means", () => {
    fc.assert(
      fc.property(url, query, mode, (address, visitorQuery, forward) => {
        const own = pairsOf(address);
        const brought = [...new URLSearchParams(visitorQuery)].filter(
          ([name, value]) => name !== "source" || value !== "qr",
        );
        const has = (pairs: readonly (readonly [string, string])[], name: string) =>
          pairs.some(([other]) => other === name);
        const expected = {
          none: own,
          "visitor-wins": [...own.filter(([name]) => !has(brought, name)), ...brought],
          "link-wins": [...own, ...brought.filter(([name]) => !has(own, name))],
        }[forward];
        const result = build(address, visitorQuery, forward);
        expect(pairsOf(result)).toEqual(expected);
        expect(new URL(result).hash).toBe(new URL(address).hash);
        expect(result.split(/[?#]/)[0]).toBe(address.split(/[?#]/)[0]);
      }),
      runs(1_000),
    );
  });

  it("leaves every piece it forwards as the visitor's browser wrote it", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9%+=._~!$'()*,;:@/?-]{1,30}$/), (piece) => {
        const result = build("https://e.com/", piece, "link-wins");
        expect(result).toBe(`https://e.com/?${piece}`);
      }),
      runs(),
    );
  });

  it("puts nothing into the URL that a header cannot hold", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (visitorQuery) => {
        const result = build("https://e.com/", visitorQuery, "visitor-wins");
        expect(result).toMatch(/^[!-~]+$/);
        expect(result).not.toContain("#");
      }),
      runs(),
    );
  });

  it("a second time changes nothing more", () => {
    fc.assert(
      fc.property(url, query, mode, (address, visitorQuery, forward) => {
        const once = build(address, visitorQuery, forward);
        expect(inOrder(pairsOf(build(once, visitorQuery, forward)))).toEqual(inOrder(pairsOf(once)));
      }),
      runs(),
    );
  });
});
