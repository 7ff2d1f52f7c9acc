import { describe, expect, it } from "vitest";
import { CLICK_CLASSES, type ClassifiableClick, classifyClick } from "../../src/enrich/click-class.ts";

const CHROME =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Safari/537.36";
const IPHONE_WEBVIEW =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148";

function aClick(facts: Partial<ClassifiableClick>): ClassifiableClick {
  return { method: "GET", userAgent: CHROME, purpose: null, asn: null, botScore: null, ...facts };
}

const classOf = (facts: Partial<ClassifiableClick>) => classifyClick(aClick(facts)).class;
const reasonsOf = (facts: Partial<ClassifiableClick>) => classifyClick(aClick(facts)).reasons;

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

describe("reasons", () => {
  it("a plain visitor has none", () => {
    expect(reasonsOf({})).toEqual([]);
  });

  it("a hosting network is a reason, and not a class", () => {
    expect(classifyClick(aClick({ asn: 16509 }))).toEqual({ class: "human", reasons: ["hosting_asn"] });
  });

  it.each([13335, 36183, 20940, 54113, 15169, 3320])(
    "AS%i, a privacy relay or an access provider, is none",
    (asn) => {
      expect(reasonsOf({ asn })).toEqual([]);
    },
  );

  it.each([null, ""])("a missing user agent (%j) makes a bot", (userAgent) => {
    expect(classifyClick(aClick({ userAgent }))).toEqual({ class: "bot", reasons: ["missing_user_agent"] });
  });

  it("a user agent without a browser's shape makes a bot", () => {
    expect(classifyClick(aClick({ userAgent: "${jndi:ldap:x}" }))).toEqual({
      class: "bot",
      reasons: ["odd_user_agent"],
    });
  });

  it("a named program makes a bot", () => {
    const userAgent = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
    expect(classifyClick(aClick({ userAgent }))).toEqual({ class: "bot", reasons: ["declared_program"] });
  });

  it("a headless browser makes a bot", () => {
    const userAgent = CHROME.replace("Chrome/", "HeadlessChrome/");
    expect(classifyClick(aClick({ userAgent }))).toEqual({
      class: "bot",
      reasons: ["headless", "declared_program"],
    });
  });

  it.each([
    [0, "human"],
    [1, "bot"],
    [29, "bot"],
    [30, "human"],
    [99, "human"],
    [null, "human"],
  ])("a bot score of %j makes a %s", (botScore, expected) => {
    expect(classOf({ botScore })).toBe(expected);
    expect(reasonsOf({ botScore })).toEqual(expected === "bot" ? ["bot_score"] : []);
  });

  it("reasons stay with a click that has its class for another cause, in the order of the list", () => {
    expect(classifyClick(aClick({ method: "HEAD", asn: 24940, botScore: 2, userAgent: null }))).toEqual({
      class: "head",
      reasons: ["hosting_asn", "bot_score", "missing_user_agent"],
    });
  });
});
