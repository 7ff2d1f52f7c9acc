import { describe, expect, it } from "vitest";
import { preferredLanguage } from "../../src/enrich/language.ts";

describe("the preferred language", () => {
  it.each([
    ["en", "en"],
    ["en-us", "en-US"],
    ["de-CH, de;q=0.9, en;q=0.8", "de-CH"],
    ["fr;q=0.5, nl;q=0.8, en;q=0.7", "nl"],
    ["da, sv", "da"],
    ["ZH-hant-tw", "zh-Hant-TW"],
    ["zh-Hant", "zh-Hant"],
    ["es-419,es;q=0.9", "es-419"],
    ["gsw-ch", "gsw-CH"],
    ["zh-cmn-Hans-CN", "zh-Hans-CN"],
    ["de-CH-1901-u-co-phonebk", "de-CH"],
    ["en_US", "en-US"],
    ["*, pt-BR;q=0.5", "pt-BR"],
    ["en;q=0, fr;q=0.1", "fr"],
    ["en; q=0.3 , fr ; q=0.4", "fr"],
    ["en;q=nonsense, fr;q=0.1", "fr"],
    ["en;q=1.5, fr;q=0.1", "fr"],
    ["!!!, fr", "fr"],
    [`fr,${"x".repeat(60_000)}`, "fr"],
  ])("%.40s -> %s", (header, language) => {
    expect(preferredLanguage(header)).toBe(language);
  });

  it.each([null, "", " ", "*", "e", "english", "en;q=0", "123", ",,,", ";q=1", "-en", "en-", "\u0000", "🙂"])(
    "%j names none",
    (header) => {
      expect(preferredLanguage(header)).toBeNull();
    },
  );
});
