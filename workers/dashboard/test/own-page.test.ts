import { expect, it } from "vitest";
import { ownPage } from "../app/people/own-page.ts";

const ORIGIN = "https://app.example.com";

it.each(["/", "/links/lnk_1?tag=a&tag=b#rules", "/invitation?token=a%2Fb", "/%09/links"])(
  "%s opens after signing in",
  (next) => {
    expect(ownPage(next, ORIGIN)).toBe(next);
  },
);

it.each([
  undefined,
  "",
  "links",
  "https://evil.example/",
  "javascript:alert(1)",
  "//evil.example/",
  "/\\evil.example/",
  "/\t/evil.example/",
  "/\n/evil.example/",
  "\t//evil.example/",
  "//",
  "/.//evil.example/",
  "/a/..//evil.example/",
])("%j leads elsewhere, and the default page opens", (next) => {
  expect(ownPage(next, ORIGIN)).toBeUndefined();
});
