import { expect, it } from "vitest";
import { newSlug } from "../../src/links/new-slug.ts";

it("uses seven characters, none of which looks like another", () => {
  for (let seed = 0; seed < 256; seed += 1) {
    const slug = newSlug((count) =>
      Uint8Array.from({ length: count }, (_, index) => (seed + index * 31) % 224),
    );
    expect(slug).toMatch(/^[2-9A-HJ-NP-Za-km-z]{7}$/);
  }
});

it("uses every character equally often for all fair bytes", () => {
  const counts = new Map<string, number>();
  for (let byte = 0; byte < 256; byte += 1) {
    let asked = 0;
    // The first byte is under test; those after it are fair.
    const slug = newSlug((count) => new Uint8Array(count).fill((asked += 1) === 1 ? byte : 0));
    const isFair = byte < 224;
    const letter = slug.charAt(0);
    counts.set(letter, (counts.get(letter) ?? 0) + (isFair ? 1 : 0));
  }
  expect(new Set(counts.values())).toEqual(new Set([4]));
});
