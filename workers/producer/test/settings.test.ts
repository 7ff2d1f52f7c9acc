import { expect, it } from "vitest";
import { readSettings } from "../src/settings.ts";

it.each([
  ["0", 0],
  ["100", 100],
  ["250", 250],
  ["5000", 5_000],
  ["60000", 5_000],
  ["", 1_000],
  ["-1", 1_000],
  ["100ms", 1_000],
  ["1e3", 1_000],
  [undefined, 1_000],
])("reads CLICK_LINGER_MS=%s as %i ms", (text, lingerMs) => {
  expect(readSettings(text === undefined ? {} : { CLICK_LINGER_MS: text }).lingerMs).toBe(lingerMs);
});

it.each([
  ["go.example.com", "go.example.com"],
  ["", "change-feed.hopline.internal"],
  ["not a host/", "change-feed.hopline.internal"],
])("caches the change feed under FEED_CACHE_HOST=%s: %s", (text, host) => {
  expect(readSettings({ FEED_CACHE_HOST: text }).feedCacheHost).toBe(host);
});
