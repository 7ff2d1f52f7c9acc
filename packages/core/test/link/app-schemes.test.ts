import { describe, expect, it } from "vitest";
import { parseAppSchemes } from "../../src/link/app-schemes.ts";
import { checkDestinationUrl } from "../../src/link/destination-url.ts";

describe("a list of app schemes", () => {
  it.each([
    ["", []],
    ["myapp", ["myapp"]],
    [" MyApp , spotify,com.example.app,tel ", ["myapp", "spotify", "com.example.app", "tel"]],
    ["a,,a", ["a"]],
  ])("%j allows %j", (text, schemes) => {
    expect(parseAppSchemes(text)).toEqual({ ok: true, value: new Set(schemes) });
  });

  it.each([
    ["javascript", /"javascript" can never be allowed/],
    ["myapp,DATA", /"data" can never be allowed/],
    ["file", /never/],
    ["vbscript", /never/],
    ["blob", /never/],
    ["about", /never/],
    ["intent", /never/],
    ["myapp://", /"myapp:\/\/" is not a scheme: .* without ":\/\/"/],
    ["my app", /not a scheme/],
    ["1app", /not a scheme/],
    ["https", /allowed anyway/],
  ])("%j is refused, and says so", (text, message) => {
    const parsed = parseAppSchemes(text);
    expect(parsed.ok ? [] : parsed.error).toEqual([expect.stringMatching(message)]);
  });

  it("says everything that is wrong with it", () => {
    const parsed = parseAppSchemes("javascript,my app,spotify,data");
    expect(parsed.ok ? [] : parsed.error).toHaveLength(3);
  });
});

it.each([
  "javascript:alert(1)",
  "data:text/html,x",
  "intent://scan/#Intent;scheme=zxing;end",
  "file:///etc/passwd",
])("%s is refused whatever a deployment allows", (url) => {
  const scheme = url.slice(0, url.indexOf(":"));
  for (const appSchemes of ["any", new Set([scheme])] as const) {
    const checked = checkDestinationUrl(url, { ownHosts: new Set(), appSchemes });
    expect(checked).toMatchObject({
      ok: false,
      error: { reason: "scheme-not-allowed", message: `has the scheme "${scheme}", which is never allowed` },
    });
  }
});
