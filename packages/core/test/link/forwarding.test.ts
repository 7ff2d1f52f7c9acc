import { expect, it } from "vitest";
import { findForwarding } from "../../src/link/forwarding.ts";

const DOMAIN = { forwards: ["docs", "docs/api", "grüße", "v1.2/x"], ignoresCase: false };

it.each([
  ["/docs/intro/setup", "docs/*", "intro/setup"],
  ["/docs", "docs/*", ""],
  ["/docs/", "docs/*", ""],
  ["/docs/api/v1", "docs/api/*", "v1"],
  ["/docs/apis/v1", "docs/*", "apis/v1"],
  ["/docs//evil.example", "docs/*", "/evil.example"],
  ["/docs/a%2Fb%2e%2e?", "docs/*", "a%2Fb%2e%2e?"],
  ["/docs/api/%zz", "docs/api/*", "%zz"],
  ["/gr%C3%BC%C3%9Fe/x", "grüße/*", "x"],
  ["/gru%CC%88%C3%9Fe/x", "grüße/*", "x"],
  ["/v1.2/x/y", "v1.2/x/*", "y"],
])("%s is forwarded by %s, the longest match", (path, slug, rest) => {
  expect(findForwarding(path, DOMAIN)).toEqual({ slug, rest });
});

it.each(["/", "/doc", "/docsx/a", "/Docs/a", "//docs/a", "/x/docs/a", "/docs%2Fa", "/%zz/docs"])(
  "%s is forwarded by none",
  (path) => {
    expect(findForwarding(path, DOMAIN)).toBeNull();
  },
);

it("a domain that ignores case forwards any spelling; one without such links forwards nothing", () => {
  expect(findForwarding("/DOCS/Intro", { ...DOMAIN, ignoresCase: true })).toEqual({
    slug: "docs/*",
    rest: "Intro",
  });
  expect(findForwarding("/docs/a", { ignoresCase: false })).toBeNull();
  expect(findForwarding("/a".repeat(9_000), DOMAIN)).toBeNull();
});
