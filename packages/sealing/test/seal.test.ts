import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { importSealKey, importSealKeys } from "../src/seal-key.ts";
import { isSealed, openSealed, seal } from "../src/seal.ts";
import { runs } from "../../core/test/runs.ts";

const SECRET = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const OTHER_SECRET = "//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=";
const KEY = await importSealKey(SECRET);
const OTHER_KEY = await importSealKey(OTHER_SECRET);

/** Sealed by this code, once: every later version must open what is stored today. */
const STORED = "sealed.v1.uAXQShLTeqqeDQm8.maaSrvMqhxnukHcCqK1VtzbIinLwQOav5hasdddFqpDoVDS3OoKuFw";

describe("a sealed text, format 1", () => {
  it("opens under its key", async () => {
    expect(await openSealed(STORED, KEY)).toEqual({ ok: true, value: "Zürich 🚲 203.0.113.0" });
  });

  it("comes back unchanged, whatever it contains", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), async (text) => {
        expect(await openSealed(await seal(text, KEY), KEY)).toEqual({ ok: true, value: text });
      }),
      runs(),
    );
  });

  it("comes back unchanged at the size of a segment", async () => {
    const text = "é".repeat(64_000);
    expect(await openSealed(await seal(text, KEY), KEY)).toEqual({ ok: true, value: text });
  });

  it("reveals nothing of the text, and is different each time", async () => {
    const [first, second] = [await seal("203.0.113.0", KEY), await seal("203.0.113.0", KEY)];
    expect(first).not.toBe(second);
    expect(first).toMatch(/^sealed\.v1\.[\w-]{16}\.[\w-]{36}$/);
    expect(isSealed(first)).toBe(true);
    expect(isSealed("203.0.113.0")).toBe(false);
  });

  it("does not open under another key", async () => {
    expect(await openSealed(STORED, OTHER_KEY)).toEqual({ ok: false, error: { reason: "seal_refused" } });
  });

  it("does not open if one of its characters was altered", async () => {
    const from = "sealed.v1.".length;
    for (const at of [from, from + 17, STORED.length - 8]) {
      const altered = STORED.slice(0, at) + (STORED.charAt(at) === "A" ? "B" : "A") + STORED.slice(at + 1);
      expect(await openSealed(altered, KEY)).toEqual({ ok: false, error: { reason: "seal_refused" } });
    }
  });

  it.each([
    "",
    "clear text",
    "sealed.v1",
    "sealed.v1..",
    "sealed.v1.AAAA.AAAAAAAAAAAAAAAAAAAAAAAA",
    "sealed.v1.AAAAAAAAAAAAAAAA.AAAA",
    "sealed.v1.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAA",
    STORED.replace("v1", "v2"),
    `${STORED}\n`,
    `${STORED}=`,
  ])("is not %j", async (text) => {
    expect(await openSealed(text, KEY)).toEqual({ ok: false, error: { reason: "seal_malformed" } });
  });
});

describe("a rotation of SEAL_KEY", () => {
  it("seals with the new key, and opens what either key sealed", async () => {
    const keys = await importSealKeys(OTHER_SECRET, SECRET);
    expect(await openSealed(STORED, ...keys)).toMatchObject({ ok: true });
    const sealedSince = await seal("after the rotation", keys[0]);
    expect(await openSealed(sealedSince, ...keys)).toEqual({ ok: true, value: "after the rotation" });
    expect(await openSealed(sealedSince, KEY)).toEqual({ ok: false, error: { reason: "seal_refused" } });
  });

  it("is over once SEAL_KEY_OLD is gone: what the old key sealed no longer opens", async () => {
    expect(await openSealed(STORED, ...(await importSealKeys(OTHER_SECRET, " ")))).toMatchObject({
      ok: false,
    });
  });

  it("says which of the two secrets is not a key", async () => {
    await expect(importSealKeys(SECRET, "short")).rejects.toThrow(/^SEAL_KEY_OLD is not base64/);
    await expect(importSealKeys("short", SECRET)).rejects.toThrow(/^SEAL_KEY is not base64/);
  });
});

describe("SEAL_KEY", () => {
  it("may have spaces and a newline around it, as a pasted secret has", async () => {
    const key = await importSealKey(` ${SECRET}\n`);
    expect((await openSealed(STORED, key)).ok).toBe(true);
  });

  it.each(["", "c2hvcnQ=", "not base64 at all", `${"A".repeat(44)}AAAA`])(
    "is refused with advice, never with its text, if it is %j",
    async (secret) => {
      const refusal = await importSealKey(secret).catch((error: unknown) => String(error));
      expect(refusal).toContain("openssl rand -base64 32");
      expect(refusal).not.toContain(secret === "" ? "\n" : secret);
    },
  );

  it("cannot be exported from the key", async () => {
    await expect(crypto.subtle.exportKey("raw", KEY)).rejects.toThrow(/extractable/i);
  });
});
