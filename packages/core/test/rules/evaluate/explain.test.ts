import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate } from "../../../src/rules/evaluate/evaluate.ts";
import { explain } from "../../../src/rules/evaluate/explain.ts";
import type { Conditions, SmartLink } from "../../../src/rules/rule.ts";
import { aVisitor } from "./a-visitor.ts";
import { smartLink, visitorFacts } from "../arbitrary-rules.ts";
import { runs } from "../../runs.ts";

function aLink(...conditions: readonly Conditions[]): SmartLink {
  const rules = conditions.map((when, index) => ({ id: `r${index}`, when, to: { block: true as const } }));
  return { linkId: "l1", url: "https://example.com/", rules };
}

describe("an explanation", () => {
  it("ends in the redirect's own decision, for any rules and any visitor", () => {
    const seen = { rule: 0, default: 0 };
    const size = runs(500);
    fc.assert(
      fc.property(smartLink, visitorFacts, (link, facts) => {
        const { decision, missed } = explain(link, aVisitor(facts));
        expect(decision).toEqual(evaluate(link, aVisitor(facts)));
        const rules = link.rules ?? [];
        expect(missed.map(({ ruleId }) => ruleId)).toEqual(rules.slice(0, missed.length).map(({ id }) => id));
        if (decision.ruleId === null) {
          seen.default += 1;
          expect(missed).toHaveLength(rules.length);
        } else {
          seen.rule += 1;
          expect(rules[missed.length]?.id).toBe(decision.ruleId);
        }
        expect(missed.every(({ unmet }) => unmet.length > 0)).toBe(true);
      }),
      size,
    );
    // With too few such cases the property would prove nothing.
    expect(Math.min(seen.rule, seen.default)).toBeGreaterThan(size.numRuns / 10);
  });

  it("blames exactly the fields without which the rule would have matched", () => {
    fc.assert(
      fc.property(smartLink, visitorFacts, (link, facts) => {
        const visitor = aVisitor(facts);
        for (const { ruleId, unmet } of explain(link, visitor).missed) {
          const rule = link.rules?.find(({ id }) => id === ruleId);
          const blamed = unmet.map(({ field }) => field);
          const rest = Object.fromEntries(
            Object.entries(rule?.when ?? {}).filter(([field]) => !blamed.some((name) => name === field)),
          );
          expect(evaluate(aLink(rest), visitor).kind).toBe("blocked");
          for (const field of blamed) {
            expect(evaluate(aLink({ [field]: rule?.when[field] }), visitor).kind).toBe("destination");
          }
        }
      }),
      runs(200),
    );
  });

  it("says for each earlier rule what was expected and what was there", () => {
    const link = aLink(
      { country: ["FR", "US"], device: ["desktop"] },
      { time: { zone: "Europe/Berlin", days: [6, 7], startMinute: 1_320, endMinute: 360 } },
      { time: { fromMs: Date.parse("2026-07-01T00:00:00Z"), untilMs: Date.parse("2026-08-01T00:00:00Z") } },
      { query: [{ name: "ref", values: ["sms", "push"] }, { name: "vip" }], referrer: ["*.other.org"] },
      {
        region: ["US-CA"],
        city: ["paris"],
        language: ["fr"],
        os: ["Windows"],
        browser: ["Edge"],
        visitor: "bot",
      },
      { time: { zone: "Mars/Olympus", days: [1] } },
      { continent: ["EU"] },
      { continent: ["NA"] },
    );
    const { decision, missed } = explain(link, aVisitor());
    expect(decision).toEqual({ kind: "blocked", ruleId: "r6" });
    const lines = missed.flatMap(({ ruleId, unmet }) =>
      unmet.map(({ field, expected, actual }) => `${ruleId} ${field}: ${expected.join(" | ")} <> ${actual}`),
    );
    expect(lines).toEqual([
      "r0 country: FR | US <> DE",
      "r0 device: desktop <> mobile",
      "r1 time: Sat,Sun 22:00-06:00 Europe/Berlin <> 2026-06-15T13:30:00.000Z (Mon 15:30 Europe/Berlin)",
      "r2 time: from 2026-07-01T00:00:00.000Z until 2026-08-01T00:00:00.000Z <> 2026-06-15T13:30:00.000Z",
      "r3 query: ref=sms|push | vip present <> ref=mail",
      "r3 referrer: *.other.org <> news.example.com",
      "r4 region: US-CA <> DE-BE",
      "r4 city: paris <> berlin",
      "r4 language: fr <> de-de",
      "r4 os: Windows <> iOS",
      "r4 browser: Edge <> Safari",
      "r4 visitor: bot <> human",
      "r5 time: Mon Mars/Olympus <> 2026-06-15T13:30:00.000Z (time zone Mars/Olympus unknown here)",
    ]);
  });
});
