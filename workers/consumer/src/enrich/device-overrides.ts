/**
 * Where my-ua-parser says less, or something else, than the user agent does. Each line was earned by an entry of
 * the golden corpus (test/golden/user-agents.json). First match wins; all patterns are plain alternatives, so the
 * time is linear in a text that is already capped.
 */
import type { BrowserName, DeviceClass, OsName } from "@hopline/core/rules/device-names";

/** Apps and browsers that are named in the text but not known to the parser, or known under a broader name. */
export const BROWSER_OVERRIDES: readonly (readonly [RegExp, BrowserName])[] = [
  [/FBAN\/Messenger|FB_IAB\/(?:Orca|MESSENGER)/, "Messenger"],
  [/FBAN\/|FB_IAB\/|FBAV\/|MetaIAB Facebook/, "Facebook"],
  [/\bBarcelona \d/, "Threads"],
  [/\bBytedanceWebview\/|\btrill_\d|\bmusical_ly/, "TikTok"],
  [/\[Pinterest\//, "Pinterest"],
  [/\bWhatsApp\//, "WhatsApp"],
  [/\bTelegram-(?:Android|iOS)\//, "Telegram"],
  [/\(Ecosia /, "Ecosia"],
  [/\bLibreWolf\//, "LibreWolf"],
  [/\bBrave(?:\/| Chrome\/)/i, "Brave"],
  [/\bHeadlessEdg\//, "Edge"],
];

export const SYSTEM_OVERRIDES: readonly (readonly [RegExp, OsName])[] = [
  [/\bOpenHarmony\b/, "HarmonyOS"],
  [/\bKAIOS\//i, "KaiOS"],
  [/\bXbox\b/, "Xbox"],
  // The headset's desktop mode claims "X11; Linux x86_64".
  [/\bOculusBrowser\//, "Android"],
];

export const DEVICE_OVERRIDES: readonly (readonly [RegExp, DeviceClass])[] = [
  [/\b(?:SMART-TV|SmartTV|HbbTV|InettvBrowser|VIZIO|webOSTV)\b/i, "tv"],
  // Samsung's watches: Galaxy Gear, Watch (SM-R…).
  [/Tizen.* SM-R\d/, "wearable"],
  [/\bOpera (?:Mini|Mobi)\/|\bOPiOS\//, "mobile"],
  [/\bOpera Tablet\//, "tablet"],
  [/Profile\/MIDP/, "mobile"],
];
