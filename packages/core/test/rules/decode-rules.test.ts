import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NEXT, RULES, SPLIT, withAllConditions } from "../../src/rules/decode-rules.ts";
import type { SmartRule } from "../../src/rules/rule.ts";
import { evaluate } from "../../src/rules/evaluate/evaluate.ts";
import { aVisitor } from "./evaluate/a-visitor.ts";
import { smartLink, visitorFacts } from "./arbitrary-rules.ts";
import { runs } from "../runs.ts";

function aRule(rule: object = {}): object {
  return { id: "r1", when: { country: ["DE"] }, to: { url: "https://example.com/" }, ...rule };
}

describe("decoding published rules", () => {
  it.each<[string, unknown]>([
    ["rules", undefined],
    ["rules", null],
    ["rules", {}],
    ["rules", []],
    ["rules", Array.from({ length: 51 }, () => aRule())],
    ["rules[0]", [null]],
    ["rules[0]", [[]]],
    ["rules[0].priority", [aRule({ priority: 1 })]],
    ["rules[0].id", [aRule({ id: "" })]],
    ["rules[0].when", [aRule({ when: null })]],
    ["rules[1].when.town", [aRule(), aRule({ when: { town: ["Berlin"] } })]],
    ["rules[0].when.country", [aRule({ when: { country: "DE" } })]],
    ["rules[0].when.country", [aRule({ when: { country: [] } })]],
    ["rules[0].when.country[1]", [aRule({ when: { country: ["DE", 1] } })]],
    ["rules[0].when.os[0]", [aRule({ when: { os: [""] } })]],
    ["rules[0].when.visitor", [aRule({ when: { visitor: "cat" } })]],
    ["rules[0].when.time", [aRule({ when: { time: { days: [1] } } })]],
    ["rules[0].when.time", [aRule({ when: { time: { zone: "UTC", startMinute: 1 } } })]],
    ["rules[0].when.time.days[0]", [aRule({ when: { time: { zone: "UTC", days: ["mon"] } } })]],
    ["rules[0].when.time.hours", [aRule({ when: { time: { hours: 1 } } })]],
    ["rules[0].when.time.fromMs", [aRule({ when: { time: { fromMs: 1.5 } } })]],
    ["rules[0].when.query[0].name", [aRule({ when: { query: [{ values: ["a"] }] } })]],
    ["rules[0].when.query[0].values[0]", [aRule({ when: { query: [{ name: "a", values: [1] }] } })]],
    ["rules[0].to", [aRule({ to: "https://example.com/" })]],
    ["rules[0].to", [aRule({ to: {} })]],
    ["rules[0].to", [aRule({ to: { url: "https://example.com/", block: true } })]],
    ["rules[0].to.block", [aRule({ to: { block: false } })]],
    ["rules[0].to.split", [aRule({ to: { split: [] } })]],
    [
      "rules[0].to.split[0].weight",
      [aRule({ to: { split: [{ id: "a", url: "https://example.com/", weight: 0 }] } })],
    ],
  ])("fails at %s", (field, value) => {
    expect(`rules${RULES(value)}`).toBe(field);
  });

  it("takes a name that it does not know for one that matches no visitor", () => {
    const rule = { id: "r1", when: { os: ["an OS of next year"] }, to: { block: true } };
    expect(RULES([rule])).toBeNull();
    const link = { linkId: "l1", url: "https://example.com/", rules: [rule as unknown as SmartRule] };
    expect(evaluate(link, aVisitor())).toMatchObject({ kind: "destination", ruleId: null });
  });

  it("fails a split and a switch-over that are not whole", () => {
    expect(SPLIT([{ id: "a", url: "https://example.com/" }])).toBe("[0].weight");
    expect(NEXT({ url: "https://example.com/" })).toBe(".activateAtMs");
    expect(NEXT(7)).toBe("");
  });

  it("never throws, and what it accepts can be evaluated", () => {
    fc.assert(
      fc.property(fc.jsonValue(), visitorFacts, (value, facts) => {
        for (const candidate of [
          value,
          [value],
          [aRule({ when: value })],
          [aRule({ to: value })],
          [aRule({ when: { time: value } })],
        ]) {
          if (RULES(candidate) === null) {
            const rules = (candidate as readonly SmartRule[]).map(withAllConditions);
            evaluate({ linkId: "l1", url: "https://example.com/", rules }, aVisitor(facts));
          }
        }
      }),
      runs(),
    );
  });

  it("decides as the record did before it was published, for any rules and any visitor", () => {
    fc.assert(
      fc.property(smartLink, visitorFacts, (link, facts) => {
        const published = JSON.parse(JSON.stringify(link));
        if (published.rules === undefined || published.rules.length === 0) {
          return;
        }
        expect(RULES(published.rules)).toBeNull();
        const read = { ...link, rules: published.rules.map(withAllConditions) };
        expect(evaluate(read, aVisitor(facts))).toEqual(evaluate(link, aVisitor(facts)));
      }),
      runs(),
    );
  });
});
