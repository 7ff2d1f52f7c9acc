import { describe, expect, it } from "vitest";
import { classifyClick } from "../../src/enrich/click-class.ts";
import { parseDevice } from "../../src/enrich/device.ts";
import corpus from "../golden/user-agents.json" with { type: "json" };

describe("the golden corpus of real user agents", () => {
  it("holds at least 200 different user agents", () => {
    expect(new Set(corpus.map((entry) => entry.userAgent)).size).toBe(corpus.length);
    expect(corpus.length).toBeGreaterThanOrEqual(200);
  });

  it.each(corpus)(
    "$group: $userAgent",
    ({ userAgent, group: _group, class: expectedClass, ...expectedDevice }) => {
      const clickClass = classifyClick({ method: "GET", userAgent, purpose: null, botScore: null });
      expect({ class: clickClass, ...parseDevice(userAgent) }).toEqual({
        class: expectedClass,
        ...expectedDevice,
      });
    },
  );
});
