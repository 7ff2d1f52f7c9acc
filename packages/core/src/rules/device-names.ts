/**
 * The words in which devices are spoken of: by rules, by the edge's classifier and by the consumer's
 * enrichment, so that what a rule routes by is what the chart shows. Names are stable: published rules and stored clicks
 * hold them. What is not in a list is `null`.
 */

export const DEVICE_CLASSES = ["desktop", "mobile", "tablet", "tv", "console", "wearable"] as const;
export type DeviceClass = (typeof DEVICE_CLASSES)[number];

/** iPads are `iOS`: an app link for iPhones is one for iPads, and most iPads call themselves a Mac anyway. */
export const OS_NAMES = [
  "Android",
  "BSD",
  "BlackBerry",
  "ChromeOS",
  "HarmonyOS",
  "KaiOS",
  "Linux",
  "Nintendo",
  "PlayStation",
  "Tizen",
  "Windows",
  "Windows Phone",
  "Xbox",
  "iOS",
  "macOS",
  "webOS",
] as const;
export type OsName = (typeof OS_NAMES)[number];

/** Browsers, and apps whose in-app browser names itself. */
export const BROWSER_NAMES = [
  "Amazon Silk",
  "Android Browser",
  "Baidu",
  "Brave",
  "Chrome",
  "Chromium",
  "Coc Coc",
  "DuckDuckGo",
  "Ecosia",
  "Edge",
  "Electron",
  "Epiphany",
  "Facebook",
  "Firefox",
  "Google App",
  "Huawei Browser",
  "Instagram",
  "Internet Explorer",
  "KakaoTalk",
  "Konqueror",
  "LINE",
  "LibreWolf",
  "LinkedIn",
  "MIUI Browser",
  "Maxthon",
  "Messenger",
  "Meta Quest Browser",
  "Naver",
  "Opera",
  "Opera Mini",
  "Pale Moon",
  "Pinterest",
  "Puffin",
  "QQ Browser",
  "Safari",
  "Samsung Internet",
  "SeaMonkey",
  "Snapchat",
  "Telegram",
  "Threads",
  "TikTok",
  "UC Browser",
  "Vivaldi",
  "WeChat",
  "WebView",
  "Whale",
  "WhatsApp",
  "X",
  "Yandex Browser",
] as const;
export type BrowserName = (typeof BROWSER_NAMES)[number];
