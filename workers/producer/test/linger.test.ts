import { expect, it } from "vitest";
import { parseLingerMs } from "../src/linger.ts";

it.each([
  ["0", 0],
  ["100", 100],
  ["250", 250],
  ["5000", 5_000],
  ["60000", 5_000],
  ["", 100],
  ["-1", 100],
  ["100ms", 100],
  ["1e3", 100],
  [undefined, 100],
])("reads CLICK_LINGER_MS=%s as %i ms", (text, lingerMs) => {
  expect(parseLingerMs(text)).toBe(lingerMs);
});
