import { createHmac } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import {
  createVisitorKeys,
  hashVisitor,
  type HashableVisitor,
  type VisitorKeys,
} from "../../src/enrich/visitor-hash.ts";

const SECRET = "a secret of thirty-two characters";
const NOON_MS = Date.UTC(2026, 10, 21, 12);
const DAY_MS = 86_400_000;

function aVisitor(facts: Partial<HashableVisitor> = {}): HashableVisitor {
  return {
    clickedAtMs: NOON_MS,
    address: "203.0.113.0",
    userAgent: "Mozilla/5.0 (X11)",
    optedOut: false,
    ...facts,
  };
}

const hashOf = (facts: Partial<HashableVisitor> = {}, secret = SECRET) =>
  hashVisitor(aVisitor(facts), createVisitorKeys(secret));

describe("the visitor hash", () => {
  it("is the first 16 bytes of HMAC-SHA-256 under the key of the day", async () => {
    const dayKey = createHmac("sha256", SECRET).update("2026-11-21").digest();
    const expected = createHmac("sha256", dayKey)
      .update("2026-11-21\n203.0.113.0\nMozilla/5.0 (X11)")
      .digest("hex");
    expect(await hashOf()).toBe(expected.slice(0, 32));
  });

  it("is the same for one visitor all day long", async () => {
    expect(await hashOf({ clickedAtMs: Date.UTC(2026, 10, 21) })).toBe(
      await hashOf({ clickedAtMs: NOON_MS + DAY_MS / 2 - 1 }),
    );
  });

  it("differs for another day, address, user agent or secret", async () => {
    const hashes = await Promise.all([
      hashOf(),
      hashOf({ clickedAtMs: NOON_MS + DAY_MS }),
      hashOf({ address: "203.0.114.0" }),
      hashOf({ userAgent: "Mozilla/5.0 (X12)" }),
      hashOf({ userAgent: null }),
      hashOf({}, `${SECRET}!`),
    ]);
    expect(new Set(hashes).size).toBe(hashes.length);
    for (const hash of hashes) {
      expect(hash).toMatch(/^[0-9a-f]{32}$/);
    }
  });

  it.each([
    ["opts out (Sec-GPC, DNT)", { optedOut: true }],
    ["has no known address", { address: null }],
    ["clicked at an impossible time", { clickedAtMs: Number.NaN }],
    ["clicked beyond the end of time", { clickedAtMs: 8.64e15 + 1 }],
  ])("is absent for a visitor who %s", async (_, facts) => {
    expect(await hashOf(facts)).toBeNull();
  });

  it("derives the key of a day once, however many clicks need it at the same time", async () => {
    const imported = vi.spyOn(crypto.subtle, "importKey");
    const keys = createVisitorKeys(SECRET);
    await Promise.all(["21", "21", "21", "22"].map((day) => keys.sign(`2026-11-${day}`, "a text")));
    // That of the secret and that of the day, for each of two.
    expect(imported).toHaveBeenCalledTimes(4);
    imported.mockRestore();
  });

  it("never asks for a key when the visitor opted out", async () => {
    const keys: VisitorKeys = { sign: () => Promise.reject(new Error("asked for a key")) };
    expect(await hashVisitor(aVisitor({ optedOut: true }), keys)).toBeNull();
  });
});
