import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { importSealKey } from "../src/seal-key.ts";
import { isSealed, openSealed, seal } from "../src/seal.ts";
import { runs } from "../../core/test/runs.ts";

const KEY = await importSealKey("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
const OTHER_KEY = await importSealKey("//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=");

/** Sealed once, by this code: what is stored today must open in every later version. */
const STORED = "sealed.v1.uAXQShLTeqqeDQm8.maaSrvMqhxnukHcCqK1VtzbIinLwQOav5hasdddFqpDoVDS3OoKuFw";

describe("a sealed text, format 1", () => {
  it("opens under its key", async () => {
    expect(await openSealed(STORED, KEY)).toEqual({ ok: true, value: "Zürich 🚲 203.0.113.0" });
  });

  it("comes back whole, whatever it holds", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), async (text) => {
        expect(await openSealed(await seal(text, KEY), KEY)).toEqual({ ok: true, value: text });
      }),
      runs(),
    );
  });

  it("comes back whole at the size of a segment", async () => {
    const text = "é".repeat(64_000);
    expect(await openSealed(await seal(text, KEY), KEY)).toEqual({ ok: true, value: text });
  });

  it("shows nothing of the text, and is another text each time", async () => {
    const [first, second] = [await seal("203.0.113.0", KEY), await seal("203.0.113.0", KEY)];
    expect(first).not.toBe(second);
    expect(first).toMatch(/^sealed\.v1\.[\w-]{16}\.[\w-]{36}$/);
    expect(isSealed(first)).toBe(true);
    expect(isSealed("203.0.113.0")).toBe(false);
  });

  it("stays shut to another key", async () => {
    expect(await openSealed(STORED, OTHER_KEY)).toEqual({ ok: false, error: { reason: "seal_refused" } });
  });

  it("stays shut when one character of it was altered", async () => {
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

describe("SEAL_KEY", () => {
  it("may have blanks and a line end around it, as a pasted secret has", async () => {
    const key = await importSealKey(" AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n");
    expect((await openSealed(STORED, key)).ok).toBe(true);
  });

  it.each(["", "c2hvcnQ=", "not base64 at all", `${"A".repeat(44)}AAAA`])(
    "is refused with the way out, never with its text, when it is %j",
    async (secret) => {
      const refusal = await importSealKey(secret).catch((error: unknown) => String(error));
      expect(refusal).toContain("openssl rand -base64 32");
      expect(refusal).not.toContain(secret === "" ? "\n" : secret);
    },
  );

  it("cannot be read back out of the key", async () => {
    await expect(crypto.subtle.exportKey("raw", KEY)).rejects.toThrow(/extractable/i);
  });
});
