import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkDestinationUrl, MAX_DESTINATION_LENGTH } from "../../src/link/destination-url.ts";
import { runs } from "../runs.ts";

const POLICY = {
  ownHosts: new Set(["hop.example", "xn--bcher-kva.example"]),
  appSchemes: new Set(["myapp", "tel", "javascript"]),
};

function reasonOf(text: string): string {
  const checked = checkDestinationUrl(text, POLICY);
  return checked.ok ? "ok" : checked.error.reason;
}

describe("a destination at write time", () => {
  it.each([
    ["https://example.com", "https://example.com"],
    ["https://example.com/a?b=%20+c&&#d", "https://example.com/a?b=%20+c&&#d"],
    ["HTTP://Example.com/{id}|^", "HTTP://Example.com/{id}|^"],
    ["  https://example.com/ ", "https://example.com/"],
    ["https://example.com/a b", "https://example.com/a%20b"],
    ["https://bücher.de/ü?ü#ü", "https://xn--bcher-kva.de/%C3%BC?%C3%BC#%C3%BC"],
    ['https://example.com/"<x>', "https://example.com/%22%3Cx%3E"],
    ["https://example.com/a%20ü%2520", "https://example.com/a%20%C3%BC%2520"],
    ["https:example.com/a", "https://example.com/a"],
    ["https:/example.com/a", "https://example.com/a"],
    ["https:\\\\example.com\\a", "https://example.com/a"],
    ["https://exam\nple.com/a", "https://example.com/a"],
    ["https://8.8.8.8/", "https://8.8.8.8/"],
    ["https://[2606:4700::1111]/", "https://[2606:4700::1111]/"],
    ["myapp://open?x=1", "myapp://open?x=1"],
    ["tel:+4930123", "tel:+4930123"],
  ])("%j is published as %j", (text, expected) => {
    expect(checkDestinationUrl(text, POLICY)).toEqual({ ok: true, value: expected });
  });

  it.each([
    ["", "malformed"],
    ["example.com", "malformed"],
    ["//example.com/", "malformed"],
    ["https://", "malformed"],
    ["https://exa mple.com/", "malformed"],
    ["https://1.2.3.256/", "malformed"],
    ["ftp://example.com/", "scheme-not-allowed"],
    ["data:text/html,x", "scheme-not-allowed"],
    ["javascript:alert(1)", "scheme-not-allowed"],
    ["java\tscript:alert(1)", "scheme-not-allowed"],
    ["otherapp://x", "scheme-not-allowed"],
    ["https://user@example.com/", "has-credentials"],
    ["https://user:secret@example.com/", "has-credentials"],
    ["https://:secret@example.com/", "has-credentials"],
    ["https://hop.example/x", "own-domain"],
    ["https://HOP.example:8443/x", "own-domain"],
    ["https://hop.example./x", "own-domain"],
    ["https://h%6Fp.example/x", "own-domain"],
    ["https://bücher.example/x", "own-domain"],
  ])("%j is refused: %s", (text, reason) => {
    expect(reasonOf(text)).toBe(reason);
  });

  it.each([
    "localhost",
    "localhost.",
    "LOCALHOST",
    "app.localhost",
    "printer.local",
    "db.internal",
    "router.home.arpa",
    "intranet",
    "127.0.0.1",
    "127.1",
    "127.255.255.254",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "127.0.0.1.",
    "１２７.0.0.1",
    "%31%32%37.0.0.1",
    "0",
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "100.127.255.255",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "0xc0a80101",
    "192.0.2.1",
    "198.18.0.1",
    "198.19.255.255",
    "224.0.0.1",
    "255.255.255.255",
    "[::]",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::a00:1]",
    "[64:ff9b:1::1]",
    "[2002:7f00:1::]",
    "[fc00::1]",
    "[fdab::1]",
    "[fe80::1]",
    "[febf::1]",
    "[fec0::1]",
    "[ff02::1]",
    "[2001::1]",
    "[2001:db8::1]",
    "[100::1]",
    "[3fff::1]",
  ])("the host %s is refused as private", (host) => {
    expect(reasonOf(`http://${host}/`)).toBe("private-address");
    expect(reasonOf(`https://${host}:8443/x`)).toBe("private-address");
  });

  it.each([
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.1",
    "169.253.1.1",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.1.1",
    "192.169.0.1",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "[2001:4860:4860::8888]",
    "[2a00::1]",
    "[::ffff:8.8.8.8]",
    "[64:ff9b::808:808]",
    "[2002:808:808::]",
    "localhost.example.com",
    "internal.example",
    "notlocal.com",
    "xn--bcher-kva.de",
  ])("the host %s is public", (host) => {
    expect(reasonOf(`http://${host}/`)).toBe("ok");
  });

  it("may be 8,192 characters long, as written and as encoded, and no longer", () => {
    const padded = (length: number) => "https://example.com/".padEnd(length, "x");
    expect(reasonOf(padded(MAX_DESTINATION_LENGTH))).toBe("ok");
    expect(reasonOf(padded(MAX_DESTINATION_LENGTH + 1))).toBe("too-long");
    expect(reasonOf(`https://example.com/${"ü".repeat(2_000)}`)).toBe("too-long");
  });

  it("never throws, and what it accepts fits a header and means the same address", () => {
    const text = fc.oneof(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.string({ unit: "binary" }).map((tail) => `https://example.com/${tail}`),
      fc.string({ unit: "binary" }),
    );
    fc.assert(
      fc.property(text, (written) => {
        const checked = checkDestinationUrl(written, POLICY);
        if (checked.ok) {
          expect(checked.value).toMatch(/^[!-~]+$/);
          expect(new URL(checked.value, "https://hop.example/slug").href).toBe(new URL(written.trim()).href);
        }
      }),
      runs(500),
    );
  });
});
