import { describe, expect, it } from "vitest";
import { CLICK_CLASSES, type ClassifiableClick, classifyClick } from "../../src/enrich/click-class.ts";

const CHROME =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Safari/537.36";
const IPHONE_WEBVIEW =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148";

function aClick(facts: Partial<ClassifiableClick>): ClassifiableClick {
  return { method: "GET", userAgent: CHROME, purpose: null, botScore: null, ...facts };
}

const classOf = (facts: Partial<ClassifiableClick>) => classifyClick(aClick(facts));

describe("precedence: head, prefetch, preview, monitor, bot, human", () => {
  const rows = Array.from({ length: 32 }, (_, bits) => {
    const [head, prefetch, preview, monitor, bot] = [16, 8, 4, 2, 1].map((bit) => (bits & bit) !== 0);
    const expected = CLICK_CLASSES[[head, prefetch, preview, monitor, bot, true].indexOf(true)];
    return { head, prefetch, preview, monitor, bot, expected };
  });

  it.each(rows)("%o", ({ head, prefetch, preview, monitor, bot, expected }) => {
    const marks = [
      CHROME,
      preview ? "Twitterbot/1.0" : "",
      monitor ? "UptimeRobot/2.0" : "",
      bot ? "SomeCrawler/1.0" : "",
    ];
    const facts: Partial<ClassifiableClick> = {
      method: head ? "HEAD" : "GET",
      purpose: prefetch ? "prefetch" : null,
      userAgent: marks.join(" ").trim(),
    };
    expect(classOf(facts)).toBe(expected);
  });
});

describe("a page loaded ahead of time is a prefetch", () => {
  it.each([
    "prefetch",
    "prefetch;prerender",
    "prefetch;anonymous-client-ip",
    "Prerender",
    "preview",
    " prefetch ",
  ])("%s", (purpose) => {
    expect(classOf({ purpose })).toBe("prefetch");
  });

  it.each(["", "navigate", "prefetcher", "x".repeat(100_000)])("%.20s is none", (purpose) => {
    expect(classOf({ purpose })).toBe("human");
  });
});

describe("an app's previewer is a preview, its in-app browser a human", () => {
  it.each([
    ["WhatsApp/2.23.18.78 i", `${IPHONE_WEBVIEW} WhatsApp/2.23.18.78`],
    ["Pinterest/0.2 (+http://www.pinterest.com/bot.html)", `${IPHONE_WEBVIEW} [Pinterest/iOS]`],
    ["facebookexternalhit/1.1", `${IPHONE_WEBVIEW} [FBAN/FBIOS;FBAV/183.0.0.41.81;FBBV/119182652]`],
    ["TelegramBot (like TwitterBot)", `${IPHONE_WEBVIEW} Telegram-iOS/10.14`],
    ["Twitterbot/1.0", `${IPHONE_WEBVIEW} Twitter for iPhone/10.44`],
    ["LinkedInBot/1.0 (compatible; Mozilla/5.0)", `${IPHONE_WEBVIEW} [LinkedInApp]/9.29.8962`],
    [
      "Snap URL Preview Service; bot; snapchat",
      `${IPHONE_WEBVIEW} Snapchat/12.91.0.40 (like Safari/8618.2.12.10.9, panda)`,
    ],
    ["Viber", `${IPHONE_WEBVIEW} Viber/22.6.0`],
  ])("%s and %s", (previewer, visitor) => {
    expect(classOf({ userAgent: previewer })).toBe("preview");
    expect(classOf({ userAgent: visitor })).toBe("human");
  });
});

describe("a bot", () => {
  it.each([
    ["without a user agent", null],
    ["with an empty one", ""],
    ["with one without a browser's shape", "${jndi:ldap:x}"],
    ["that is a named program", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"],
    ["that is a headless browser", CHROME.replace("Chrome/", "HeadlessChrome/")],
  ])("is a click %s", (_what, userAgent) => {
    expect([classOf({ userAgent }), classOf({})]).toEqual(["bot", "human"]);
  });

  it.each([
    [0, "human"],
    [1, "bot"],
    [29, "bot"],
    [30, "human"],
    [99, "human"],
    [null, "human"],
  ])("has a score of %j: %s", (botScore, expected) => {
    expect(classOf({ botScore })).toBe(expected);
  });
});
