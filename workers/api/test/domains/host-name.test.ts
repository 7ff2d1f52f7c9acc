/** Which hosts may be added, in which form, and what is said about the others. */
import { describe, expect, it } from "vitest";
import { readHostName } from "../../src/domains/host-name.ts";
import { readVouchedSuffixes } from "../../src/domains/vouched-suffixes.ts";

const read = (text: string) => {
  const name = readHostName(text, []);
  return name.ok ? name.value.host : name.error;
};

it.each([
  ["go.example.com", "go.example.com"],
  ["GO.Example.COM", "go.example.com"],
  ["example.com", "example.com"],
  ["links.example.co.uk", "links.example.co.uk"],
  ["bücher.example.com", "xn--bcher-kva.example.com"],
  ["xn--bcher-kva.example.com", "xn--bcher-kva.example.com"],
  ["ｇｏ。example.com", "go.example.com"],
  ["пример.рф", "xn--e1afmkfd.xn--p1ai"],
  ["東京タワー.jp", "xn--5ck2eqb538s34z.jp"],
  ["l·l.example.com", "xn--ll-0ea.example.com"],
  ["❤.ws", "xn--qei.ws"],
  ["my.github.io", "my.github.io"],
])("%s is added as %s", (text, host) => {
  expect(read(text)).toBe(host);
});

describe("is refused:", () => {
  it.each([
    ["one label", "intranet", /^has no dot: give the whole name/],
    ["an IPv4 address", "192.0.2.1", /^is an IP address/],
    ["an IPv4 address in another spelling", "0x7f.1", /^is an IP address/],
    ["an IPv6 address", "[2001:db8::1]", /^is an IP address/],
    ["a trailing dot", "go.example.com.", /^ends with a dot: leave it out/],
    ["a wildcard", "*.example.com", /^is a wildcard: add each host/],
    ["an over-long name", `${"a.".repeat(120)}example.com`, /^is too long: at most 244 characters/],
    ["an over-long label", `${"a".repeat(64)}.com`, /^is not a name in DNS/],
    ["an empty label", "go..example.com", /^is not a name in DNS/],
    ["an underscore", "go_to.example.com", /^is not a name in DNS/],
    ["a hyphen at the end of a label", "go-.example.com", /^is not a name in DNS/],
    ["Latin and Cyrillic mixed", "gооgle.com", /^has "gооgle", which mixes scripts/],
    ["Latin and Cyrillic mixed, in punycode", "xn--ggle-55da.com", /^has "gооgle", which mixes scripts/],
    ["Latin and Greek mixed", "gοogle.com", /mixes scripts/],
    ["Cyrillic that looks Latin", "аррӏе.com", /^has "аррӏе", whose letters look like Latin ones/],
    ["a bare public suffix", "co.uk", /^is a public suffix/],
    ["a bare suffix of a company", "github.io", /^is a public suffix/],
    ["a top-level domain that does not exist", "go.hopline", /^ends in "hopline", under which no name/],
    ["a name of documentation", "go.acme.example", /: use a host of a domain that you own/],
    ["a name of a private network", "go.internal", /^ends in "internal"/],
    ["a port", "go.example.com:8443", /^has a port: leave it out/],
    ["the scheme's own port", "go.example.com:443", /^has a port: leave it out/],
    ["a scheme and a path", "https://go.example.com/", /^is not a host name: leave out scheme and path/],
    ["a user name", "me@example.com", /^is not a host name/],
    ["a space", "go example.com", /^is not a host name/],
    ["an escape", "go%2eexample.com", /^is not a host name/],
    ["nothing", "", /^is not a host name/],
  ])("%s", (_what, text, message) => {
    expect(read(text)).toMatch(message);
  });
});

describe("a host that the operator vouches for", () => {
  const vouched = readVouchedSuffixes({ VOUCHED_SUFFIXES: "links.example.com, localhost,127.0.0.1:8787" });

  it.each(["links.example.com", "A.Links.example.com", "localhost:8787", "a.localhost", "127.0.0.1:8787"])(
    "skips the rules for names: %s",
    (text) => {
      expect(readHostName(text, vouched)).toEqual({
        ok: true,
        value: { host: text.toLowerCase(), isVouched: true },
      });
    },
  );

  it.each(["example.com", "evil-links.example.com", "127.0.0.1:1", "*.links.example.com", "x y.localhost"])(
    "is none of the others: %s",
    (text) => {
      expect(readHostName(text, vouched)).not.toMatchObject({ value: { isVouched: true } });
    },
  );

  it.each(["https://a.example.com", "*.example.com", "a b.example.com"])(
    "stops the deployment if it is no host name: %s",
    (text) => {
      expect(() => readVouchedSuffixes({ VOUCHED_SUFFIXES: text })).toThrow(/^VOUCHED_SUFFIXES: "/);
    },
  );
});
