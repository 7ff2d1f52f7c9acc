import { expect, it } from "vitest";
import { prefersJson } from "../../src/answer/prefers-json.ts";

it.each([
  [null, false],
  ["", false],
  ["*/*", false],
  ["application/json", true],
  ["APPLICATION/JSON; charset=utf-8", true],
  ["application/*", true],
  // axios, and most clients of APIs
  ["application/json, text/plain, */*", true],
  // Firefox and Chromium
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", false],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8", false],
  ["text/html, application/json", false],
  ["text/html;q=0.5, application/json", true],
  ["text/html, application/json;q=0.9", false],
  ["text/*;q=0.3, application/json;q=0.4", true],
  ["application/json;q=0", false],
  ["application/json;q=0, */*", false],
  ["application/json;q=0.000, text/html;q=0", false],
  ["application/json;v=1;q=0.2, text/html;q=0.3", false],
  ["application/json;q=nonsense", true],
  ["image/png", false],
  ["application/", false],
  [`application/json,${"x".repeat(10_000)}`, true],
])("Accept: %j prefers JSON: %j", (accept, expected) => {
  expect(prefersJson(accept)).toBe(expected);
});
