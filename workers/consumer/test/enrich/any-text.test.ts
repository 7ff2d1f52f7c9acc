import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CLICK_CLASSES, classifyClick } from "../../src/enrich/click-class.ts";
import { parseDevice } from "../../src/enrich/device.ts";
import { BROWSER_NAMES, DEVICE_CLASSES, OS_NAMES } from "@hopline/core/rules/device-names";
import { preferredLanguage } from "../../src/enrich/language.ts";
import { referrerHost } from "../../src/enrich/referrer-host.ts";
import corpus from "../golden/user-agents.json" with { type: "json" };
import { runs } from "../../../../packages/core/test/runs.ts";

const realUserAgent = fc.constantFrom(...corpus.map((entry) => entry.userAgent));
const anyText = fc.oneof(fc.string(), fc.string({ unit: "binary", maxLength: 400 }));

/** Two real user agents, cut and joined with junk between: close enough to real ones to reach deep into the parser. */
const mutatedUserAgent = fc
  .tuple(realUserAgent, realUserAgent, fc.nat({ max: 300 }), fc.nat({ max: 300 }), anyText)
  .map(([one, other, cut, from, junk]) => one.slice(0, cut) + junk + other.slice(from));

const anyUserAgent = fc.oneof(fc.constant(null), anyText, realUserAgent, mutatedUserAgent);

// 64 KB of the worst case for regular expressions: long runs of characters that their repetitions accept.
const LONGEST = 65_536;
const longTexts = [
  "a",
  "a ",
  "(",
  "; ",
  "1.",
  "Mozilla/5.0 (",
  "Android ",
  " Mobile/",
  "-_/",
  ")",
  "\u0000",
  "🙂",
].map((unit) => `Mozilla/5.0 (X11) ${unit.repeat(Math.ceil(LONGEST / unit.length))}`);

const BROWSER_OR_NULL = [...BROWSER_NAMES, null];
const SYSTEM_OR_NULL = [...OS_NAMES, null];
const KIND_OR_NULL = [...DEVICE_CLASSES, null];

function expectClosedVocabulary(userAgent: string | null, botScore: number | null) {
  const device = parseDevice(userAgent);
  expect(BROWSER_OR_NULL).toContain(device.browser);
  expect(SYSTEM_OR_NULL).toContain(device.os);
  expect(KIND_OR_NULL).toContain(device.device);
  expect(CLICK_CLASSES).toContain(classifyClick({ method: "GET", userAgent, purpose: null, botScore }));
}

describe("any text", () => {
  it("keeps device and class in their closed vocabularies", () => {
    const botScore = fc.option(fc.oneof(fc.integer(), fc.constant(Number.NaN)));
    fc.assert(fc.property(anyUserAgent, botScore, expectClosedVocabulary), runs(3_000));
  });

  it.each(longTexts)("reads only the beginning of 64 KB of noise: %.24s…", (userAgent) => {
    expectClosedVocabulary(userAgent, null);
    expect(parseDevice(userAgent)).toEqual(parseDevice(userAgent.slice(0, 1_024)));
  });

  it("is a host without port, path or credentials, or no referrer", () => {
    const referrer = fc.oneof(
      anyText,
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc
        .tuple(fc.constantFrom("http://", "https://", "android-app://", "ios-app://", "//"), anyText)
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(referrer, (text) => {
        const host = referrerHost(text);
        if (host !== null) {
          expect(host).toMatch(/^[a-z0-9._-]{1,253}$|^\[[0-9a-f:.]+\]$/);
        }
      }),
      runs(2_000),
    );
  });

  it("is a canonical language tag, or no language", () => {
    const piece = fc.constantFrom(" ", ..."en DE zh - _ Hant TW 419 ; q= 0.5 1 , * x".split(" "));
    const header = fc.oneof(
      anyText,
      fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join("")),
    );
    fc.assert(
      fc.property(header, (text) => {
        const language = preferredLanguage(text);
        if (language !== null) {
          expect(Intl.getCanonicalLocales(language)).toHaveLength(1);
          expect(language).toMatch(/^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?$/);
        }
      }),
      runs(2_000),
    );
  });
});
