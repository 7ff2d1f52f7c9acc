/**
 * Device class, OS, browser and bot of a user agent, by the tokens that nearly all of them carry: good enough to route a
 * visitor, and small enough for the redirect's start-up bundle, which holds no user-agent library. The consumer's enrichment
 * is the more careful reader, in the same words (device-names.ts). Tokens appear in what others write to be compatible,
 * so the order of each list is the logic: the imitator stands before the imitated.
 */
import type { BrowserName, DeviceClass, OsName } from "./device-names.ts";
import type { Device } from "./visitor.ts";

/** What stands after this is not read; real user agents are shorter, those of in-app browsers included. */
const MAX_READ_LENGTH = 512;

/** Classifies a user agent. Total; what it does not recognise is `null`. An empty one is a bot: every browser sends one. */
export function readEdgeDevice(userAgent: string): Device {
  const ua = userAgent.slice(0, MAX_READ_LENGTH);
  const os = find(OS_TOKENS, ua);
  return { device: classOf(ua, os), os, browser: find(BROWSER_TOKENS, ua), isBot: isBot(ua) };
}

type Tokens<Name> = readonly (readonly [token: string, name: Name])[];

const OS_TOKENS: Tokens<OsName> = [
  ["PlayStation", "PlayStation"],
  ["Nintendo", "Nintendo"],
  ["Windows NT", "Windows"],
  ["HarmonyOS", "HarmonyOS"],
  ["OpenHarmony", "HarmonyOS"],
  ["Watch OS", "watchOS"],
  ["watchOS", "watchOS"],
  ["AppleTV", "tvOS"],
  ["Apple TV", "tvOS"],
  ["tvOS", "tvOS"],
  ["iPhone", "iOS"],
  ["iPad", "iOS"],
  ["iPod", "iOS"],
  ["KAIOS", "KaiOS"],
  ["Tizen", "Tizen"],
  ["Web0S", "webOS"],
  ["webOS", "webOS"],
  ["Android", "Android"],
  ["CrOS", "ChromeOS"],
  ["Macintosh", "macOS"],
  ["Linux", "Linux"],
  ["X11;", "Linux"],
];

const BROWSER_TOKENS: Tokens<BrowserName> = [
  ["Instagram", "Instagram"],
  ["FBAN/", "Facebook"],
  ["FBAV/", "Facebook"],
  ["FB_IAB/", "Facebook"],
  ["SamsungBrowser/", "Samsung Internet"],
  ["YaBrowser/", "Yandex Browser"],
  ["UCBrowser/", "UC Browser"],
  ["UCWEB", "UC Browser"],
  ["MiuiBrowser/", "MIUI Browser"],
  ["Vivaldi/", "Vivaldi"],
  ["DuckDuckGo/", "DuckDuckGo"],
  ["Ddg/", "DuckDuckGo"],
  ["Silk/", "Amazon Silk"],
  ["OPR/", "Opera"],
  ["OPT/", "Opera"],
  ["OPiOS/", "Opera"],
  ["Opera", "Opera"],
  ["Edg/", "Edge"],
  ["EdgA/", "Edge"],
  ["EdgiOS/", "Edge"],
  ["Edge/", "Edge"],
  ["FxiOS/", "Firefox"],
  ["Firefox/", "Firefox"],
  ["MSIE ", "Internet Explorer"],
  ["Trident/", "Internet Explorer"],
  ["CriOS/", "Chrome"],
  ["Chrome/", "Chrome"],
  ["Chromium/", "Chrome"],
  ["Safari/", "Safari"],
];

const TV =
  /\bTV\b|SmartTV|SMART-TV|AndroidTV|GoogleTV|AppleTV|HbbTV|BRAVIA|NetCast|Web0S|CrKey|Roku|VIDAA|Viera|\bAFT[A-Z]/;
const CONSOLE = /PlayStation|Xbox|Nintendo/;
const WEARABLE = /\bWatch|watchOS|Wear OS|WearOS|\bSM-[RL]\d{3}/;
/** An Android tablet is an Android that does not say Mobile; the others name themselves. */
const TABLET = /iPad|Tablet|Kindle|PlayBook|\bKF[A-Z]{2,5}\b/;
const MOBILE = /Mobi|iPhone|iPod|Opera Mini|UCWEB|KAIOS/;

function classOf(ua: string, os: OsName | null): DeviceClass | null {
  if (CONSOLE.test(ua)) {
    return "console";
  }
  if (WEARABLE.test(ua)) {
    return "wearable";
  }
  if (TV.test(ua)) {
    return "tv";
  }
  if (TABLET.test(ua)) {
    return "tablet";
  }
  if (MOBILE.test(ua)) {
    return "mobile";
  }
  if (os === "Android" || os === "HarmonyOS") {
    return "tablet";
  }
  return os === "Windows" || os === "macOS" || os === "Linux" || os === "ChromeOS" ? "desktop" : null;
}

/**
 * Words by which automated clients name themselves. Those that do not look like a browser at all (curl, libraries,
 * link previews of messengers) need no word: a browser's user agent starts with `Mozilla/`, or `Opera/`, or `UCWEB`.
 */
const BOT_WORD =
  /(?<!cu)bot(?:\b|[_/-])|crawl|spider|slurp|preview|externalhit|externalagent|lighthouse|headless|phantomjs|electron-fetch|google-|googleother|mediapartners|chatgpt-user|monitor|pingdom|statuscake|validator|archiver|scrapy|embedly|prerender|inspectiontool|\+https?:/i;
const BROWSER_START = /^(?:Mozilla|Opera)\/|^UCWEB/;

function isBot(ua: string): boolean {
  return !BROWSER_START.test(ua) || BOT_WORD.test(ua);
}

function find<Name>(tokens: Tokens<Name>, ua: string): Name | null {
  for (const [token, name] of tokens) {
    if (ua.includes(token)) {
      return name;
    }
  }
  return null;
}
