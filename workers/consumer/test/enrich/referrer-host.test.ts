import { describe, expect, it } from "vitest";
import { referrerHost } from "../../src/enrich/referrer-host.ts";

describe("the host of a referrer", () => {
  it.each([
    ["https://www.example.com/path?q=secret#part", "www.example.com"],
    ["http://EXAMPLE.com:8080/", "example.com"],
    ["https://user:password@example.com/", "example.com"],
    ["https://example.com./", "example.com"],
    ["https://bücher.example/", "xn--bcher-kva.example"],
    ["https://例え.テスト/", "xn--r8jz45g.xn--zckzah"],
    ["  https://t.co/abc  ", "t.co"],
    ["http://203.0.113.7/", "203.0.113.7"],
    ["http://[2001:db8::1]:8080/", "[2001:db8::1]"],
    ["http://my_host.example/", "my_host.example"],
    ["android-app://com.google.android.gm/", "com.google.android.gm"],
    ["android-app://com.Slack", "com.slack"],
    [`https://example.com/${"a".repeat(60_000)}`, "example.com"],
  ])("%.60s -> %s", (referrer, host) => {
    expect(referrerHost(referrer)).toBe(host);
  });

  it.each([
    null,
    "",
    "example.com",
    "/path",
    "//example.com/",
    "about:blank",
    "data:text/html,hello",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "https://",
    "https://exa mple.com/",
    "https://example.com:99999/",
    "android-app://",
    "android-app://com.%00example/",
    `https://${"a".repeat(2_000)}.example/`,
    "https://[::1",
    "\u0000",
  ])("%.40j has none", (referrer) => {
    expect(referrerHost(referrer)).toBeNull();
  });
});
