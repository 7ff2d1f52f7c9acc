import { describe, expect, it } from "vitest";
import { matchesLanguage, preferredLanguage } from "../../../src/rules/evaluate/language.ts";

describe("the preferred language", () => {
  it.each([
    ["de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7", "de-de"],
    ["en", "en"],
    ["en;q=0.8, fr-CH", "fr-ch"],
    ["en;q=0.8,fr;q=0.9", "fr"],
    ["fr;q=0.8,en;q=0.8", "fr"],
    ["*,de;q=0.5", "de"],
    ["de;q=0", null],
    ["*", null],
    ["", null],
    [",,;q=1,", null],
    [null, null],
    ["zh-Hant-TW , zh;q=0.9", "zh-hant-tw"],
    ["de ; Q=0.3, en ; q=0.2", "de"],
    ["de;q=bogus,en;q=0.1", "en"],
    ["de;q=bogus", null],
    ["de;q=1.5,en;q=0.1", "en"],
    ["en_US", "en-us"],
  ])("of %j is %j", (header, expected) => {
    expect(preferredLanguage(header)).toBe(expected);
  });

  it("is found in a header of any length without reading all of it", () => {
    expect(preferredLanguage(`${"x".repeat(5)},${"en;q=0.1,".repeat(100_000)}`)).toBe("xxxxx");
  });
});

describe("a language prefix", () => {
  it.each([
    ["en", "en-gb", true],
    ["en", "en", true],
    ["en", "eng", false],
    ["en-gb", "en", false],
    ["zh-hant", "zh-hant-tw", true],
    ["zh-hant", "zh-hans", false],
    ["zh-hant", "zh-tw", false],
  ])("%s matches %s: %s", (prefix, language, expected) => {
    expect(matchesLanguage(language, prefix)).toBe(expected);
  });
});
