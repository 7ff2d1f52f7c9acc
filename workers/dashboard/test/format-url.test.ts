import { expect, it } from "vitest";
import { formatUrl } from "../app/format.ts";

it.each([
  ["https://example.com/", "example.com"],
  ["http://example.com/a?b=1#c", "example.com/a?b=1#c"],
  ["https://example.com/%D9%85%D9%8A%D9%86%D8%A7%D8%A1", "example.com/ميناء"],
  // Encoded separators stay apart from real ones.
  ["https://example.com/a%2Fb%3Fc", "example.com/a%2Fb%3Fc"],
  ["https://example.com/100%", "example.com/100%"],
  // A space, and a character that turns the reading direction around.
  ["https://example.com/a%20b", "example.com/a%20b"],
  ["https://example.com/%E2%80%AEgnp.exe", "example.com/%E2%80%AEgnp.exe"],
])("%s is shown as %s", (url, shown) => {
  expect(formatUrl(url)).toBe(shown);
});
