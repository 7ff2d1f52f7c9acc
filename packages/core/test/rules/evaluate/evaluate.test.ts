import { describe, expect, it } from "vitest";
import { evaluate } from "../../../src/rules/evaluate/evaluate.ts";
import { CONDITION_FIELDS } from "../../../src/rules/rule.ts";
import type { Conditions, RuleAction, SmartLink } from "../../../src/rules/rule.ts";
import { aVisitor, type VisitorFacts } from "./a-visitor.ts";

const DEFAULT_URL = "https://example.com/";

function aLink(...rules: readonly (readonly [Conditions, RuleAction])[]): SmartLink {
  return {
    linkId: "l1",
    url: DEFAULT_URL,
    rules: rules.map(([when, to], index) => ({ id: `r${index}`, when, to })),
  };
}

function matches(when: Conditions, facts: VisitorFacts = {}): boolean {
  return evaluate(aLink([when, { block: true }]), aVisitor(facts)).kind === "blocked";
}

describe("a condition", () => {
  it.each<[Conditions, VisitorFacts, boolean]>([
    [{ country: ["FR", "DE"] }, {}, true],
    [{ country: ["FR"] }, {}, false],
    [{ country: ["DE"] }, { country: null }, false],
    [{ continent: ["EU"] }, {}, true],
    [{ continent: ["NA"] }, {}, false],
    [{ region: ["DE-BE"] }, {}, true],
    [{ region: ["US-BE"] }, {}, false],
    [{ region: ["DE-BE"] }, { regionCode: null }, false],
    [{ city: ["bern", "berlin"] }, {}, true],
    [{ city: ["zurich"] }, { city: "Zürich" }, true],
    [{ city: ["zurich"] }, { city: "ZURICH" }, true],
    [{ city: ["berlin"] }, { city: "Berlin-Mitte" }, false],
    [{ city: ["berlin"] }, { city: null }, false],
    [{ country: ["US"], city: ["berlin"] }, {}, false],
    [{ language: ["fr", "de"] }, {}, true],
    [{ language: ["en"] }, {}, false],
    [{ language: ["de"] }, { language: null }, false],
    [{ referrer: ["*.example.com"] }, {}, true],
    [{ referrer: ["example.com"] }, {}, false],
    [{ referrer: ["news.example.com"] }, { referrer: null }, false],
    [{ device: ["tablet", "mobile"] }, {}, true],
    [{ device: ["desktop"] }, {}, false],
    [{ os: ["iOS"] }, {}, true],
    [{ os: ["Android"] }, {}, false],
    [{ os: ["iOS"] }, { device: { os: null } }, false],
    [{ browser: ["Safari"] }, {}, true],
    [{ browser: ["Chrome"] }, {}, false],
    [{ visitor: "human" }, {}, true],
    [{ visitor: "bot" }, {}, false],
    [{ visitor: "bot" }, { device: { isBot: true } }, true],
    [{ query: [{ name: "ref" }] }, {}, true],
    [{ query: [{ name: "nope" }] }, {}, false],
    [{ query: [{ name: "ref", values: ["sms", "mail"] }] }, {}, true],
    [{ query: [{ name: "ref", values: ["sms"] }] }, {}, false],
    [{ query: [{ name: "tag", values: ["b"] }] }, {}, true],
    [{ query: [{ name: "ref" }, { name: "tag" }] }, {}, true],
    [{ query: [{ name: "ref" }, { name: "nope" }] }, {}, false],
    [{ query: [{ name: "q x", values: ["ü"] }] }, { query: "q+x=%C3%BC" }, true],
    [{ query: [{ name: "flag", values: [""] }] }, { query: "flag" }, true],
    [{ time: { zone: "Europe/Berlin", days: [1], startMinute: 900, endMinute: 960 } }, {}, true],
    [{ time: { zone: "Europe/Berlin", days: [2] } }, {}, false],
    [{ country: ["DE"], os: ["iOS"], language: ["de"] }, {}, true],
    [{ country: ["DE"], os: ["Android"], language: ["de"] }, {}, false],
  ])("%j for a visitor with %j is met: %s", (when, facts, expected) => {
    expect(matches(when, facts)).toBe(expected);
  });

  it("of every field is asked", () => {
    const unmet: Required<Conditions> = {
      country: ["FR"],
      continent: ["NA"],
      region: ["US-CA"],
      city: ["nowhere"],
      time: { untilMs: 0 },
      query: [{ name: "nope" }],
      language: ["fr"],
      referrer: ["nope.org"],
      device: ["tv"],
      os: ["Linux"],
      browser: ["Opera"],
      visitor: "bot",
    };
    expect(CONDITION_FIELDS.toSorted()).toEqual(Object.keys(unmet).toSorted());
    for (const field of CONDITION_FIELDS) {
      expect(matches({ [field]: unmet[field] }), field).toBe(false);
    }
  });
});

describe("evaluation", () => {
  const split = [
    { id: "a", url: "https://example.com/a", weight: 1 },
    { id: "b", url: "https://example.com/b", weight: 1 },
  ];

  it("takes the first rule that matches", () => {
    const link = aLink(
      [{ country: ["FR"] }, { url: "https://example.com/fr" }],
      [{ country: ["DE"] }, { url: "https://example.com/de" }],
      [{ continent: ["EU"] }, { block: true }],
    );
    expect(evaluate(link, aVisitor())).toEqual({
      kind: "destination",
      url: "https://example.com/de",
      ruleId: "r1",
      variantId: null,
    });
  });

  it("falls back to the default destination", () => {
    expect(evaluate(aLink([{ country: ["FR"] }, { block: true }]), aVisitor())).toEqual({
      kind: "destination",
      url: DEFAULT_URL,
      ruleId: null,
      variantId: null,
    });
  });

  it("blocks by the rule that says so", () => {
    expect(evaluate(aLink([{ country: ["DE"] }, { block: true }]), aVisitor())).toEqual({
      kind: "blocked",
      ruleId: "r0",
    });
  });

  it("names the variant that was drawn, the rule's or the default's", () => {
    const byRule = evaluate(aLink([{ country: ["DE"] }, { split }]), aVisitor());
    const byDefault = evaluate({ linkId: "l1", url: DEFAULT_URL, split }, aVisitor());
    expect(byRule).toMatchObject({ ruleId: "r0", variantId: expect.stringMatching(/^[ab]$/) });
    expect(byDefault).toMatchObject({ ruleId: null, variantId: expect.stringMatching(/^[ab]$/) });
    for (const decision of [byRule, byDefault]) {
      expect(decision).toHaveProperty(
        "url",
        `https://example.com/${"variantId" in decision ? decision.variantId : ""}`,
      );
    }
  });

  it("switches over in the same millisecond wherever the record is held, and only the default destination", () => {
    const link: SmartLink = {
      ...aLink([{ country: ["FR"] }, { url: "https://example.com/fr" }]),
      split,
      next: { url: "https://example.com/next", activateAtMs: 1_000 },
    };
    const isolates = [structuredClone(link), structuredClone(link)];
    const urls = (nowMs: number, country: string) =>
      isolates.map((record) => {
        const decision = evaluate(record, aVisitor({ nowMs, country }));
        return decision.kind === "destination" ? decision.url : "blocked";
      });
    expect(new Set(urls(999, "DE")).size).toBe(1);
    expect(urls(999, "DE")[0]).toMatch(/\/[ab]$/);
    expect(urls(1_000, "DE")).toEqual(["https://example.com/next", "https://example.com/next"]);
    expect(urls(1_000, "FR")).toEqual(["https://example.com/fr", "https://example.com/fr"]);
  });
});
