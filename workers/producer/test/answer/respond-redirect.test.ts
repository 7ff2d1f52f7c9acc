import { describe, expect, it } from "vitest";
import { respondRedirect } from "../../src/answer/respond-redirect.ts";

const plain = new Headers();
const debugged = new Headers({ "hopline-debug": "1" });
const to = (place: string) =>
  ({ location: `https://example.com/${place}`, status: 302, isKept: true }) as const;

describe("a redirect", () => {
  it("names its tier to the one visitor who asks for it", () => {
    const asked = respondRedirect(to("first"), debugged, "kv");
    expect(asked.headers.get("server-timing")).toBe("kv");
    expect(respondRedirect(to("first"), plain, "kv").headers.has("server-timing")).toBe(false);
  });

  it.each([
    [301, true, "private, max-age=60"],
    [308, true, "private, max-age=60"],
    [301, false, "private, no-store"],
    [302, true, "private, no-store"],
    [303, true, "private, no-store"],
    [307, true, "private, no-store"],
  ] as const)("with %i (kept: %s) says %s", (status, isKept, cacheControl) => {
    const response = respondRedirect({ ...to("first"), status, isKept }, plain);
    expect([response.status, response.headers.get("cache-control")]).toEqual([status, cacheControl]);
  });
});
