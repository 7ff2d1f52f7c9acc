import { describe, expect, it } from "vitest";
import type { Variant } from "../../../src/rules/rule.ts";
import { pickVariant } from "../../../src/rules/evaluate/split.ts";

const KEY = { linkId: "0198c0de-0000-7000-8000-000000000001", salt: "" };
const VISITORS: readonly string[] = Array.from(
  { length: 10_000 },
  (_, index) =>
    `198.${(index >> 8) & 255}.${index & 255}.0 Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${index % 40}`,
);

function variants(...weights: readonly number[]): readonly Variant[] {
  return weights.map((weight, index) => ({ id: `v${index}`, url: `https://example.com/${index}`, weight }));
}

function assign(arms: readonly Variant[], key = KEY): readonly string[] {
  return VISITORS.map((visitor) => pickVariant(arms, key, visitor)?.id ?? "none");
}

describe("a weighted split", () => {
  it.each([
    [[1, 1]],
    [[9, 1]],
    [[50, 30, 20]],
    [[1, 1, 1, 1, 1, 1, 1, 1, 1, 1]],
    [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
    [[1_000_000, 1]],
  ])("gives 10,000 visitors to weights %j within 1.5 points", (weights) => {
    const arms = variants(...weights);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const assigned = assign(arms);
    for (const { id, weight } of arms) {
      const share = assigned.filter((picked) => picked === id).length / VISITORS.length;
      expect(Math.abs(share - weight / total)).toBeLessThan(0.015);
    }
  });

  it("never switches a visitor, whatever stood in memory before", () => {
    const first = assign(variants(50, 30, 20));
    const again = assign(structuredClone(variants(50, 30, 20)));
    expect(again.filter((id, index) => id !== first[index])).toHaveLength(0);
  });

  it("does not depend on the order in which variants are listed", () => {
    expect(assign(variants(50, 30, 20).toReversed())).toEqual(assign(variants(50, 30, 20)));
  });

  it("moves visitors only to a variant that is added", () => {
    const before = assign(variants(1, 1));
    const after = assign(variants(1, 1, 1));
    const moved = after.filter((id, index) => id !== before[index]);
    expect(new Set(moved)).toEqual(new Set(["v2"]));
    expect(moved.length / VISITORS.length).toBeCloseTo(1 / 3, 1);
  });

  it("shares out visitors of another link and of another rule independently", () => {
    const one = assign(variants(1, 1));
    for (const key of [
      { ...KEY, linkId: "0198c0de-0000-7000-8000-000000000002" },
      { ...KEY, salt: "rule-2" },
    ]) {
      const same = assign(variants(1, 1), key).filter((id, index) => id === one[index]).length;
      expect(Math.abs(same / VISITORS.length - 0.5)).toBeLessThan(0.015);
    }
  });

  it("keeps what it promised in earlier releases", () => {
    // A changed hash would reshuffle every running experiment: these answers are a format.
    const picked = VISITORS.slice(0, 12).map(
      (visitor) => pickVariant(variants(50, 30, 20), KEY, visitor)?.id,
    );
    expect(picked.join(" ")).toMatchInlineSnapshot(`"v0 v0 v2 v0 v0 v1 v2 v2 v2 v0 v1 v1"`);
  });

  it("has no answer for no variants", () => {
    expect(pickVariant([], KEY, "anybody")).toBeNull();
  });
});
