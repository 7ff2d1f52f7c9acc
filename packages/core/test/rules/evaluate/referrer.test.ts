import { describe, expect, it } from "vitest";
import { matchesHost, referrerHostOf } from "../../../src/rules/evaluate/referrer.ts";

describe("the referrer host", () => {
  it.each([
    ["https://News.Example.com/a?b#c", "news.example.com"],
    ["https://example.com", "example.com"],
    ["https://example.com?x=https://other.org/", "example.com"],
    ["http://example.com:8080/", "example.com"],
    ["https://user:pass@example.com/@x", "example.com"],
    ["https://example.com./", "example.com"],
    ["http://[2001:db8::1]:80/", "[2001:db8::1]"],
    ["android-app://com.google.android.gm/", "com.google.android.gm"],
    ["about:blank", null],
    ["https:///x", null],
    ["", null],
    [null, null],
  ])("of %j is %j", (header, expected) => {
    expect(referrerHostOf(header)).toBe(expected);
  });
});

describe("a host pattern", () => {
  it.each([
    ["example.com", "example.com", true],
    ["example.com", "www.example.com", false],
    ["*.example.com", "www.example.com", true],
    ["*.example.com", "a.b.example.com", true],
    ["*.example.com", "example.com", false],
    ["*.example.com", "badexample.com", false],
    ["*.example.com", ".example.com", false],
    ["*.example.com", "example.com.evil.org", false],
  ])("%s matches %s: %s", (pattern, host, expected) => {
    expect(matchesHost(host, pattern)).toBe(expected);
  });
});
