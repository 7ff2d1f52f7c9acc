import { describe, expect, it, vi } from "vitest";
import { evaluate, fixedUrl } from "../../../src/rules/evaluate/evaluate.ts";
import type { Conditions, SmartLink } from "../../../src/rules/rule.ts";
import { createVisitor, type VisitorSource } from "../../../src/rules/evaluate/visitor.ts";
import { aSource } from "./a-visitor.ts";

function aLink(...conditions: readonly Conditions[]): SmartLink {
  const rules = conditions.map((when, index) => ({
    id: `r${index}`,
    when,
    to: { url: "https://example.com/r" },
  }));
  return { linkId: "l1", url: "https://example.com/", rules };
}

function aSpiedSource() {
  const source = aSource();
  return {
    ...source,
    place: vi.fn(source.place),
    header: vi.fn(source.header),
    stickyKey: vi.fn(source.stickyKey),
    readDevice: vi.fn(source.readDevice),
  } satisfies VisitorSource;
}

describe("a visitor", () => {
  it("of a link without rules is not inspected at all", () => {
    const source = aSpiedSource();
    evaluate({ linkId: "l1", url: "https://example.com/" }, createVisitor(source));
    expect(source.place).not.toHaveBeenCalled();
    expect(source.header).not.toHaveBeenCalled();
    expect(source.stickyKey).not.toHaveBeenCalled();
  });

  it("of a link without device rules never has the user agent inspected", () => {
    const source = aSpiedSource();
    const link = aLink(
      { country: ["FR"] },
      { language: ["fr"] },
      { referrer: ["a.org"] },
      { query: [{ name: "x" }] },
    );
    evaluate(link, createVisitor(source));
    expect(source.readDevice).not.toHaveBeenCalled();
    expect(source.header).not.toHaveBeenCalledWith("user-agent");
  });

  it("has the user agent classified once, however many rules ask", () => {
    const source = aSpiedSource();
    evaluate(
      aLink({ device: ["tv"] }, { os: ["Windows"] }, { browser: ["Opera"] }, { visitor: "bot" }),
      createVisitor(source),
    );
    expect(source.readDevice).toHaveBeenCalledTimes(1);
  });

  it("whose country does not match never has the user agent inspected for the rest of the rule", () => {
    const source = aSpiedSource();
    evaluate(aLink({ device: ["mobile"], country: ["FR"] }), createVisitor(source));
    expect(source.readDevice).not.toHaveBeenCalled();
  });

  it("is asked for a sticky key only by a split", () => {
    const source = aSpiedSource();
    const split = [{ id: "a", url: "https://example.com/a", weight: 1 }];
    evaluate(aLink({ country: ["DE"] }), createVisitor(source));
    expect(source.stickyKey).not.toHaveBeenCalled();
    evaluate({ ...aLink({ country: ["FR"] }), split }, createVisitor(source));
    expect(source.stickyKey).toHaveBeenCalledTimes(1);
  });
});

describe("the default destination", () => {
  const next = { url: "https://example.com/next", activateAtMs: 2_000 };
  const split = [{ id: "a", url: "https://example.com/a", weight: 1 }];
  it.each<[string, Partial<SmartLink>, number, string | null]>([
    ["is the link's URL", {}, 0, "https://example.com/"],
    ["stays the link's URL up to the switch-over", { next }, 1_999, "https://example.com/"],
    ["is the next URL from the switch-over on", { next }, 2_000, "https://example.com/next"],
    ["depends on the visitor while the link has a split", { split }, 0, null],
    [
      "no longer does when the switch-over has ended the split",
      { split, next },
      2_000,
      "https://example.com/next",
    ],
  ])("%s", (_what, part, nowMs, expected) => {
    expect(fixedUrl({ linkId: "l1", url: "https://example.com/", ...part }, nowMs)).toBe(expected);
  });
});
