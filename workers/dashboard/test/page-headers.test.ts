import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { pageHeaders } from "../src/page-headers.ts";

const headersOf = (pathname: string) => Object.fromEntries(pageHeaders(pathname));

it("lets a page load scripts, styles and data from its own origin only, and nothing inline", () => {
  const policy = headersOf("/links")["content-security-policy"] ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("style-src 'self';");
  expect(policy).toContain("connect-src 'self';");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("unsafe");
});

it("makes no elements of texts: no page writes HTML", () => {
  const app = join(import.meta.dirname, "../app");
  const pages = globSync("**/*.ts*", { cwd: app });
  expect(pages.length).toBeGreaterThan(50);
  const writesHtml = /dangerouslySetInnerHTML|\b(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write\b/;
  expect(pages.filter((page) => writesHtml.test(readFileSync(join(app, page), "utf8")))).toEqual([]);
});

it("is asked for over https only, once a browser has seen it", () => {
  expect(headersOf("/sign-in")["strict-transport-security"]).toBe("max-age=31536000");
});

it("keeps files that are named by their content for a year, and no page", () => {
  expect(headersOf("/assets/index-abc.js")["cache-control"]).toBe("public, max-age=31536000, immutable");
  expect(headersOf("/")["cache-control"]).toBe("no-cache");
  expect(headersOf("gone")["cache-control"]).toBe("no-cache");
});
