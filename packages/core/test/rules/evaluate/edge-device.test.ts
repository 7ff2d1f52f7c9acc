import { describe, expect, it } from "vitest";
import { readEdgeDevice } from "../../../src/rules/evaluate/edge-device.ts";

const WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)";
const IOS_WEBKIT = "AppleWebKit/605.1.15 (KHTML, like Gecko)";

const PEOPLE: readonly (readonly [string, string | null, string | null, string | null])[] = [
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36`,
    "desktop",
    "Windows",
    "Chrome",
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`,
    "desktop",
    "Windows",
    "Edge",
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36 OPR/125.0.0.0`,
    "desktop",
    "Windows",
    "Opera",
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/140.0.0.0 YaBrowser/25.10.0.0 Safari/537.36`,
    "desktop",
    "Windows",
    "Yandex Browser",
  ],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0",
    "desktop",
    "Windows",
    "Firefox",
  ],
  [
    "Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko",
    "desktop",
    "Windows",
    "Internet Explorer",
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox One) ${WEBKIT} Chrome/48.0.2564.82 Safari/537.36 Edge/20.02`,
    "console",
    "Xbox",
    "Edge",
  ],
  [
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${IOS_WEBKIT} Version/18.6 Safari/605.1.15`,
    "desktop",
    "macOS",
    "Safari",
  ],
  [
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36`,
    "desktop",
    "macOS",
    "Chrome",
  ],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "desktop", "Linux", "Firefox"],
  [
    "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:139.0) Gecko/20100101 Firefox/139.0",
    "desktop",
    "Linux",
    "Firefox",
  ],
  [
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36`,
    "desktop",
    "ChromeOS",
    "Chrome",
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${IOS_WEBKIT} Version/18.6 Mobile/15E148 Safari/604.1`,
    "mobile",
    "iOS",
    "Safari",
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${IOS_WEBKIT} CriOS/142.0.7444.77 Mobile/15E148 Safari/604.1`,
    "mobile",
    "iOS",
    "Chrome",
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${IOS_WEBKIT} FxiOS/145.0 Mobile/15E148 Safari/605.1.15`,
    "mobile",
    "iOS",
    "Firefox",
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${IOS_WEBKIT} Version/18.0 EdgiOS/142.0.3595.66 Mobile/15E148 Safari/604.1`,
    "mobile",
    "iOS",
    "Edge",
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${IOS_WEBKIT} Mobile/15E148 Instagram 405.0.0.29.84 (iPhone16,1; iOS 18_6; en_GB)`,
    "mobile",
    "iOS",
    "Instagram",
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${IOS_WEBKIT} Mobile/15E148 [FBAN/FBIOS;FBAV/530.0.0.42.75;FBBV/800000000]`,
    "mobile",
    "iOS",
    "Facebook",
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${IOS_WEBKIT} Mobile/15E148`,
    "mobile",
    "iOS",
    "WebView",
  ],
  [
    `Mozilla/5.0 (iPad; CPU OS 17_7 like Mac OS X) ${IOS_WEBKIT} Version/17.7 Mobile/15E148 Safari/604.1`,
    "tablet",
    "iOS",
    "Safari",
  ],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/142.0.0.0 Mobile Safari/537.36`,
    "mobile",
    "Android",
    "Chrome",
  ],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36`,
    "tablet",
    "Android",
    "Chrome",
  ],
  [
    `Mozilla/5.0 (Linux; Android 14; SM-S921B) ${WEBKIT} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
    "mobile",
    "Android",
    "Samsung Internet",
  ],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/142.0.0.0 Mobile Safari/537.36 EdgA/142.0.0.0`,
    "mobile",
    "Android",
    "Edge",
  ],
  ["Mozilla/5.0 (Android 15; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0", "mobile", "Android", "Firefox"],
  ["Mozilla/5.0 (Android 14; Tablet; rv:144.0) Gecko/144.0 Firefox/144.0", "tablet", "Android", "Firefox"],
  [
    `Mozilla/5.0 (Linux; Android 9; CUBOT_X19) ${WEBKIT} Chrome/120.0.0.0 Mobile Safari/537.36`,
    "mobile",
    "Android",
    "Chrome",
  ],
  [
    `Mozilla/5.0 (Linux; Android 9; KFMAWI) ${WEBKIT} Silk/120.3.1 like Chrome/120.0.0.0 Safari/537.36`,
    "tablet",
    "Android",
    "Amazon Silk",
  ],
  [
    "Opera/9.80 (Android; Opera Mini/76.0.2254/191.249; U; en) Presto/2.12.423 Version/12.16",
    "mobile",
    "Android",
    "Opera Mini",
  ],
  [
    "Mozilla/5.0 (Mobile; Nokia_8110_4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5",
    "mobile",
    "KaiOS",
    "Firefox",
  ],
  [
    `Mozilla/5.0 (Linux; Android 12; HarmonyOS; NOH-AN00; HMSCore 6.13.0) ${WEBKIT} Chrome/114.0.0.0 Mobile Safari/537.36`,
    "mobile",
    "HarmonyOS",
    "Chrome",
  ],
  [
    `Mozilla/5.0 (SMART-TV; LINUX; Tizen 7.0) ${WEBKIT} 94.0.4606.31/7.0 TV Safari/537.36`,
    "tv",
    "Tizen",
    "Safari",
  ],
  [
    `Mozilla/5.0 (Web0S; Linux/SmartTV) ${WEBKIT} Chrome/108.0.5359.211 Safari/537.36 WebAppManager`,
    "tv",
    "webOS",
    "Chrome",
  ],
  [
    `Mozilla/5.0 (Linux; Android 9; AFTKA) ${WEBKIT} Silk/120.1 like Chrome/120.0.0.0 Safari/537.36`,
    "tv",
    "Android",
    "Amazon Silk",
  ],
  [
    `Mozilla/5.0 (PlayStation; PlayStation 5/8.00) ${IOS_WEBKIT} Version/15.4 Safari/605.1.15`,
    "console",
    "PlayStation",
    "Safari",
  ],
  [
    "Mozilla/5.0 (Nintendo Switch; WifiWebAuthApplet) AppleWebKit/609.4 (KHTML, like Gecko) NF/6.0.2.21.3 NintendoBrowser/5.1.0.22474",
    "console",
    "Nintendo",
    null,
  ],
  [
    `Mozilla/5.0 (Linux; Android 13; SM-R930) ${WEBKIT} Chrome/118.0.0.0 Mobile Safari/537.36`,
    "wearable",
    "Android",
    "Chrome",
  ],
];

const BOTS = [
  "",
  "curl/8.14.1",
  "Wget/1.25.0",
  "python-requests/2.32.5",
  "Go-http-client/2.0",
  "okhttp/5.1.0",
  "WhatsApp/2.23.20.0 A",
  "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
  "Twitterbot/1.0",
  "TelegramBot (like TwitterBot)",
  "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
  "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
  "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
  `Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) ${WEBKIT} Chrome/142.0.0.0 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)`,
  "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
  "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
  "Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)",
  `Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} HeadlessChrome/142.0.0.0 Safari/537.36`,
  `Mozilla/5.0 ${WEBKIT}; compatible; GPTBot/1.2; +https://openai.com/gptbot)`,
  `Mozilla/5.0 ${WEBKIT}; compatible; ChatGPT-User/1.0; +https://openai.com/bot`,
  "Mozilla/5.0 (compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)",
  "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5",
];

describe("the edge's reading of a user agent", () => {
  it.each(PEOPLE)("reads %s as %s, %s, %s of a human", (ua, device, os, browser) => {
    expect(readEdgeDevice(ua)).toEqual({ device, os, browser, isBot: false });
  });

  it.each(BOTS)("knows %j for a bot", (ua) => {
    expect(readEdgeDevice(ua).isBot).toBe(true);
  });

  it("still names the phone that a crawler pretends to be", () => {
    const smartphone = BOTS.find((ua) => ua.includes("Nexus 5X")) ?? "";
    expect(readEdgeDevice(smartphone)).toEqual({
      device: "mobile",
      os: "Android",
      browser: "Chrome",
      isBot: true,
    });
  });

  it("reads a megabyte of nonsense no further than it must", () => {
    const nonsense = `Mozilla/5.0 (Q; ${"x".repeat(1_000_000)}Windows NT`;
    expect(readEdgeDevice(nonsense)).toEqual({ device: null, os: null, browser: null, isBot: false });
  });
});
