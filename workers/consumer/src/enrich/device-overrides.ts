/**
 * Corrections where my-ua-parser misses what the user agent says. Each line is needed for an entry of the golden corpus
 * (test/golden/user-agents.json). The first match wins. The patterns are plain alternatives and the text is already
 * shortened, so they run in linear time.
 */
import type { BrowserName, DeviceClass, OsName } from "@hopline/core/rules/device-names";
import type { NameMark } from "./parser-names.ts";

/** Apps and browsers that name themselves but that the parser does not know, or knows by a broader name. */
export const BROWSER_OVERRIDES: readonly NameMark<BrowserName>[] = [
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

export const SYSTEM_OVERRIDES: readonly NameMark<OsName>[] = [
  [/\bOpenHarmony\b/, "HarmonyOS"],
  [/\bKAIOS\//i, "KaiOS"],
  [/\bXbox\b/, "Xbox"],
  // In desktop mode the headset claims "X11; Linux x86_64".
  [/\bOculusBrowser\//, "Android"],
];

export const DEVICE_OVERRIDES: readonly NameMark<DeviceClass>[] = [
  [/\b(?:SMART-TV|SmartTV|HbbTV|InettvBrowser|VIZIO|webOSTV)\b/i, "tv"],
  // Samsung's watches: Galaxy Gear, Watch (SM-R…).
  [/Tizen.* SM-R\d/, "wearable"],
  [/\bOpera (?:Mini|Mobi)\/|\bOPiOS\//, "mobile"],
  [/\bOpera Tablet\//, "tablet"],
  [/Profile\/MIDP/, "mobile"],
];
