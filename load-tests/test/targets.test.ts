import { describe, expect, it } from "vitest";
import { parseSlug } from "@hopline/core/link/link-address";
import {
  destinationOf,
  hotLinkCount,
  MAX_LINK_COUNT,
  pickLink,
  slugOf,
  unknownSlug,
} from "../script/targets.ts";

/** Gives the numbers in turn, again and again. */
function inTurn(...numbers: readonly number[]): () => number {
  let index = 0;
  return () => numbers[index++ % numbers.length] ?? 0;
}

/** A small generator with a fixed seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe("the data set", () => {
  it.each([
    [0, "l00000", "https://example.com/landing/0"],
    [42, "l00042", "https://example.com/landing/42"],
    [19_999, "l19999", "https://example.com/landing/19999"],
  ])("has link %i at /%s, leading to %s", (index, slug, destination) => {
    expect([slugOf(index), destinationOf(index)]).toEqual([slug, destination]);
  });

  it("has a slug of its own for each of the most links it may have", () => {
    const slugs = new Set(Array.from({ length: MAX_LINK_COUNT }, (_, index) => slugOf(index)));
    expect(slugs.size).toBe(MAX_LINK_COUNT);
    expect([...slugs].every((slug) => parseSlug(`/${slug}`) === slug)).toBe(true);
  });
});

describe("picking a link", () => {
  it("gives a fifth of the links four fifths of the requests", () => {
    const random = seeded(1);
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

it("guesses slugs that are well formed and in no data set", () => {
  const random = seeded(2);
  const guesses = Array.from({ length: 1_000 }, () => unknownSlug(random));
  expect(new Set(guesses).size).toBe(1_000);
  expect(guesses.every((slug) => /^x[a-z0-9]{8}$/.test(slug) && parseSlug(`/${slug}`) === slug)).toBe(true);
});
