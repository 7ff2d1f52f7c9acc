import { describe, expect, it } from "vitest";
import { hash32 } from "../../../src/rules/evaluate/hash32.ts";

describe("the hash of a text", () => {
  // Published vectors of MurmurHash3 x86_32, as texts with the same UTF-16LE bytes.
  it.each([
    ["", 0, 0],
    ["", 1, 0x514e28b7],
    ["", 0xffffffff, 0x81f16f39],
    ["\uffff\uffff", 0, 0x76293b50],
    ["\u4321\u8765", 0, 0xf55b516b],
    ["\u4321\u8765", 0x5082edee, 0x2362f9de],
    ["\u4321", 0, 0xa0f7b07a],
    ["\u0000\u0000", 0, 0x2362f9de],
    ["\u0000", 0, 0x30f4c306],
  ])("of %j under seed %d is that of MurmurHash3", (text, seed, expected) => {
    expect(hash32(text, seed)).toBe(expected);
  });
});
