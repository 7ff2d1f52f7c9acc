/**
 * Device class, OS, browser and bot of a user agent, by the tokens that nearly all of them carry: good enough to route a
 * visitor, and small enough for the redirect's start-up bundle, which holds no user-agent library. The consumer's enrichment
 * is the more careful reader, in the same words (device-names.ts).
 */
import type { BrowserName, DeviceClass, OsName } from "../device-names.ts";
import { BROWSER_TOKENS, OS_TOKENS, type Tokens } from "./device-tokens.ts";
import type { Device } from "./visitor.ts";

/** What stands after this is not read; real user agents are shorter, those of in-app browsers included. */
const MAX_READ_LENGTH = 512;

/** Classifies a user agent. Total; what it does not recognise is `null`. An empty one is a bot: every browser sends one. */
export function readEdgeDevice(userAgent: string): Device {
  const ua = userAgent.slice(0, MAX_READ_LENGTH);
  const os = find(OS_TOKENS, ua);
  return { device: classOf(ua, os), os, browser: browserOf(ua, os), isBot: isBot(ua) };
}

/** Chrome as it is on most devices, which says nothing more: there is no need to look for what else it might be. */
const PLAIN_CHROME =
  /^Mozilla\/5\.0 \([^)]*\) AppleWebKit\/537\.36 \(KHTML, like Gecko\) Chrome\/[\d.]+ (?:Mobile )?Safari\/537\.36$/;

function browserOf(ua: string, os: OsName | null): BrowserName | null {
  if (PLAIN_CHROME.test(ua) && !ua.includes("; wv)")) {
    return "Chrome";
  }
  const named = find(BROWSER_TOKENS, ua);
  if (named !== null) {
    return named;
  }
  const isApple = os === "iOS" || os === "macOS";
  if (ua.includes("Safari/")) {
    // There is no Safari for Android; its own old browser said so all the same.
    return os === "Android" ? "Android Browser" : "Safari";
  }
  return isApple && ua.includes("AppleWebKit/") ? "WebView" : null;
}

const TV =
  /\bTV\b|SmartTV|SMART-TV|AndroidTV|GoogleTV|AppleTV|webOSTV|HbbTV|InettvBrowser|BRAVIA|NetCast|Web0S|CrKey|Roku|VIZIO|VIDAA|Viera|\bAFT[A-Z]/;
const CONSOLE = /PlayStation|PLAYSTATION|Xbox|Nintendo/;
/** Watches and headsets. */
const WEARABLE = /\bWatch|watchOS|Wear OS|WearOS|\bSM-[RL]\d{3}|OculusBrowser/;
/** An Android tablet is an Android that does not say Mobile; the others name themselves. Tablet PC is just Windows. */
const TABLET = /iPad|Tablet(?! PC)|Kindle|PlayBook|\bKF[A-Z]{2,5}\b/;
const MOBILE = /Mobi|iPhone|iPod|Opera Mini|UCWEB|KAIOS/;
const DESKTOP_SYSTEMS: ReadonlySet<OsName | null> = new Set([
  "BSD",
  "ChromeOS",
  "Linux",
  "Windows",
  "macOS",
] as const);

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
  return DESKTOP_SYSTEMS.has(os) ? "desktop" : null;
}

/**
 * Words by which automated clients name themselves. Those that are not shaped like a browser (curl, libraries, link
 * previews of messengers) need no word: a browser's user agent starts with `Mozilla/5.0 (…`, or `Opera/`, or `UCWEB`.
 */
const BOT_WORD =
  /(?<!cu)bot(?:\b|[_/-])|compatible; (?!MSIE|Konqueror)|crawl|spider|slurp|preview|externalhit|externalagent|headless|phantomjs|playwright|selenium|cypress\/|ghost inspector|lighthouse|synthetic|uptime|pingdom|statuscake|checkly|thousandeyes|gtmetrix|ptst\/|monitor|google-|googleother|imageproxy|mediapartners|-user\/|validator|archiver|scrapy|nikto|embedly|prerender|powershell|\+https?:/i;
const BROWSER_START = /^(?:Mozilla|Opera)\/[\d.]+ \(.{3}|^UCWEB/;

function isBot(ua: string): boolean {
  return !BROWSER_START.test(ua) || BOT_WORD.test(ua);
}

function find<Name extends string>(rows: Tokens<Name>, ua: string): Name | null {
  const row = rows.find((tokens) => tokens.some((token, place) => place > 0 && ua.includes(token)));
  return row?.[0] ?? null;
}
