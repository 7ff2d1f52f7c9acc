import { expect, it } from "vitest";
import { SPILL_KEY_PREFIX, spillKeyOf } from "../../src/click/spill-key.ts";

it("names the isolate and the first sequence number, and lists in their order", () => {
  const isolateId = "00c0ffee12345678";
  expect(spillKeyOf(isolateId, 41)).toBe("spill/00c0ffee12345678/0000000000000041");
  expect(spillKeyOf(isolateId, Number.MAX_SAFE_INTEGER)).toBe("spill/00c0ffee12345678/9007199254740991");
  expect(spillKeyOf(isolateId, 9) < spillKeyOf(isolateId, 10)).toBe(true);
  expect(spillKeyOf(isolateId, 1).startsWith(SPILL_KEY_PREFIX)).toBe(true);
});
