import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventIdOf, isIsolateId, placeOfEvent } from "../../src/click/event-id.ts";
import { runs } from "../runs.ts";

const isolateIds = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((id) => id.toString(16).padStart(16, "0"));
const sequences = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

describe("event id", () => {
  it("lays isolate and sequence out as documented", () => {
    expect(eventIdOf("00c0ffee12345678", 41)).toBe("00c0ffee-1234-8567-a000-000000000029");
    expect(eventIdOf("ffffffffffffffff", Number.MAX_SAFE_INTEGER)).toBe(
      "ffffffff-ffff-8fff-bc1f-ffffffffffff",
    );
  });

  it("is a UUID of version 8 and the RFC 9562 variant", () => {
    const uuidV8 = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    fc.assert(
      fc.property(isolateIds, sequences, (isolateId, sequence) =>
        uuidV8.test(eventIdOf(isolateId, sequence)),
      ),
      runs(),
    );
  });

  it("loses no bit of either part", () => {
    fc.assert(
      fc.property(isolateIds, sequences, (isolateId, sequence) => {
        expect(readBack(eventIdOf(isolateId, sequence))).toEqual({ isolateId, sequence });
        expect(placeOfEvent(eventIdOf(isolateId, sequence))).toEqual({ isolateId, sequence });
      }),
      runs(),
    );
  });

  it.each(["", "00c0ffee1234567", "00C0FFEE12345678", "00c0ffee12345678 "])(
    "takes %j for no isolate id",
    (text) => {
      expect(isIsolateId(text)).toBe(false);
    },
  );
});

/** The layout read with big integers: 128 bits less the version and variant. */
function readBack(uuid: string): { isolateId: string; sequence: number } {
  const bits = BigInt(`0x${uuid.replaceAll("-", "")}`);
  const free = ((bits >> 80n) << 74n) | (((bits >> 64n) & 0xfffn) << 62n) | (bits & (2n ** 62n - 1n));
  const isolateId = (free >> 58n).toString(16).padStart(16, "0");
  return { isolateId, sequence: Number(free & (2n ** 58n - 1n)) };
}
