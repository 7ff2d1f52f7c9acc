/** A cursor of the live stream can be encoded and decoded, and no other text decodes to one. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { cursorAt, decodeLiveCursor, encodeLiveCursor } from "../../src/live/live-cursor.ts";
import { runs } from "../../../../packages/core/test/runs.ts";

it("is read as it was written", () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }),
      fc.uuid(),
      fc.integer({ min: 0, max: 10 ** 14 }),
      (xid, eventId, atMs) => {
        const cursor = { xid: xid.toString(), eventId, atMs };
        expect(decodeLiveCursor(encodeLiveCursor(cursor))).toEqual(cursor);
      },
    ),
    runs(),
  );
});

it.each([
  "",
  "1",
  "2.7.00000000000000000000000000000000.1",
  "1.7.0000000000000000000000000000000.1",
  "1.-7.00000000000000000000000000000000.1",
  "1.1234567890123456789.00000000000000000000000000000000.1",
  "1.7.00000000000000000000000000000000.",
  "1.7.00000000-0000-0000-0000-000000000000.1",
])("does not decode %j", (text) => {
  expect(decodeLiveCursor(text)).toBeNull();
});

it("decodes no other text, and never throws", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(decodeLiveCursor(text)).toBeNull();
    }),
    runs(),
  );
});

it("at a transaction is before its first click", () => {
  expect(cursorAt("7", 1).eventId < "00000000-0000-0000-0000-000000000001").toBe(true);
});
