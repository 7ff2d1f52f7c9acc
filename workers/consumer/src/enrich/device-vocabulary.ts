/**
 * The closed vocabulary of browsers, systems and device kinds: what is stored, filtered by and matched by rules.
 *
 * Names are stable: one may be added, never renamed (stored rows and link rules hold them). What is not in a list
 * is `null`, never "unknown".
 */

export const BROWSERS = [
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
export type Browser = (typeof BROWSERS)[number];

export const OPERATING_SYSTEMS = [
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
export type OperatingSystem = (typeof OPERATING_SYSTEMS)[number];

export const DEVICE_KINDS = ["desktop", "mobile", "tablet", "tv", "console", "wearable"] as const;
export type DeviceKind = (typeof DEVICE_KINDS)[number];

/** What a user agent says about itself. `null` is "not said", or said in words this vocabulary lacks. */
export type Device = {
  readonly browser: Browser | null;
  readonly os: OperatingSystem | null;
  readonly device: DeviceKind | null;
};
