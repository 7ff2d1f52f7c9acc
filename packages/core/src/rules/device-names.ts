/**
 * The words in which devices are spoken of: by rules, by the edge's classifier and by the consumer's enrichment, so that
 * what a rule routes by is what the chart shows. What is not in a list is `null`.
 */

export const DEVICE_CLASSES = ["desktop", "mobile", "tablet", "tv", "console", "wearable"] as const;
export type DeviceClass = (typeof DEVICE_CLASSES)[number];

/** iPads are `iOS`: an app link for iPhones is one for iPads, and most iPads call themselves a Mac anyway. */
export const OS_NAMES = [
  "Windows",
  "macOS",
  "iOS",
  "Android",
  "Linux",
  "ChromeOS",
  "HarmonyOS",
  "KaiOS",
  "Tizen",
  "webOS",
  "tvOS",
  "watchOS",
  "PlayStation",
  "Nintendo",
] as const;
export type OsName = (typeof OS_NAMES)[number];

export const BROWSER_NAMES = [
  "Chrome",
  "Safari",
  "Firefox",
  "Edge",
  "Opera",
  "Samsung Internet",
  "Internet Explorer",
  "Yandex Browser",
  "UC Browser",
  "Vivaldi",
  "DuckDuckGo",
  "Amazon Silk",
  "MIUI Browser",
  "Facebook",
  "Instagram",
] as const;
export type BrowserName = (typeof BROWSER_NAMES)[number];
