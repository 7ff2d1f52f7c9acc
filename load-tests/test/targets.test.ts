import { describe, expect, it } from "vitest";
import { parseSlug } from "@hopline/core/link/link-address";
import { createRandom } from "../../packages/edge-cache/test/workloads.ts";
import {
  destinationOf,
  hotLinkCount,
  MAX_LINK_COUNT,
  pickAnyLink,
  pickLink,
  slugOf,
  unknownSlug,
} from "../script/targets.ts";

/** Gives the numbers in turn, again and again. */
function inTurn(...numbers: readonly number[]): () => number {
  let index = 0;
  return () => numbers[index++ % numbers.length] ?? 0;
}

describe("the data set", () => {
  it("has a mixed-case code of 12 characters for each of the most links it may have, all different", () => {
    const slugs = Array.from({ length: MAX_LINK_COUNT }, (_, index) => slugOf(index));
    expect(new Set(slugs).size).toBe(MAX_LINK_COUNT);
    const isCode = (slug: string) => /^[0-9A-Za-z]{12}$/.test(slug) && parseSlug(`/${slug}`) === slug;
    expect(slugs.filter((slug) => !isCode(slug))).toEqual([]);
    expect(slugs.filter((slug) => slug === slug.toLowerCase()).length).toBeLessThan(MAX_LINK_COUNT / 100);
  });

  it("keeps its codes: links that were imported into a deployment are found by later runs", () => {
    expect([0, 42].map((index) => [slugOf(index), destinationOf(index)])).toEqual([
      ["10kdt2hAR3S2", "https://example.com/landing/0"],
      ["1xWGh2P8SkJ2", "https://example.com/landing/42"],
    ]);
  });
});

describe("picking a link", () => {
  it("gives a fifth of the links four fifths of the requests", () => {
    const random = createRandom(1);
    const picks = Array.from({ length: 50_000 }, () => pickLink(20_000, random));
    const hot = picks.filter((index) => index < hotLinkCount(20_000)).length / picks.length;
    expect(hotLinkCount(20_000)).toBe(4_000);
    expect(hot).toBeCloseTo(0.8, 1);
    expect(new Set(picks).size).toBeGreaterThan(9_000);
  });

  it.each([
    [20_000, inTurn(0.79, 0), 0],
    [20_000, inTurn(0.79, 0.999999), 3_999],
    [20_000, inTurn(0.8, 0), 4_000],
    [20_000, inTurn(0.8, 0.999999), 19_999],
    [1, inTurn(0.99), 0],
    [2, inTurn(0.99, 0.99), 1],
  ])("of %i links stays inside the set", (linkCount, random, index) => {
    expect(pickLink(linkCount, random)).toBe(index);
  });
});

it("picks every link equally often with a uniform spread", () => {
  const random = createRandom(3);
  const picks = Array.from({ length: 50_000 }, () => pickAnyLink(10, random));
  const counts = Array.from({ length: 10 }, (_, index) => picks.filter((pick) => pick === index).length);
  expect(counts.every((count) => Math.abs(count - 5_000) < 500)).toBe(true);
});

it("guesses slugs that are well formed and in no data set", () => {
  const random = createRandom(2);
  const guesses = Array.from({ length: 1_000 }, () => unknownSlug(random));
  expect(new Set(guesses).size).toBe(1_000);
  expect(guesses.every((slug) => /^x[a-z0-9]{8}$/.test(slug) && parseSlug(`/${slug}`) === slug)).toBe(true);
});
