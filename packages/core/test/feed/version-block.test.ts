import fc from "fast-check";
import { expect, it } from "vitest";
import {
  blockOf,
  countOf,
  decodeVersionBlock,
  encodeVersionBlock,
  hashOf,
} from "../../src/feed/version-block.ts";
import { readGolden } from "../golden.ts";
import { runs } from "../runs.ts";

it("is written and read as the golden file shows", () => {
  const golden: { first: number; announcedAtMs: number; changes: [string, number][]; hex: string } =
    JSON.parse(readGolden("version-block.v1.json"));
  const pairs = Uint32Array.from(golden.changes.flatMap(([key, version]) => [hashOf(key), version]));
  const block = { first: golden.first, announcedAtMs: golden.announcedAtMs, pairs };
  const bytes = encodeVersionBlock(block);
  const hex = Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
  expect(hex).toBe(golden.hex);
  expect(decodeVersionBlock(bytes)).toEqual(block);
  expect(countOf(block)).toBe(2);
});

it("is refused, and nothing is thrown, where it is none", () => {
  expect(decodeVersionBlock(new ArrayBuffer(15))).toBeNull();
  expect(decodeVersionBlock(new ArrayBuffer(20))).toBeNull();
  expect(decodeVersionBlock(new ArrayBuffer(16))).toBeNull();
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => void decodeVersionBlock(bytes.slice().buffer)),
    runs(),
  );
});

it("has 20,000 changes, counted from the first", () => {
  expect([1, 20_000, 20_001].map(blockOf)).toEqual([0, 0, 1]);
});
