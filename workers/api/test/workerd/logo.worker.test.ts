/** Logos in workerd, whose zlib takes its limits differently than Node's. */
import { expect, it } from "vitest";
import { drawQr } from "../../src/qr/draw-qr.ts";
import { readLogo } from "../../src/qr/logo.ts";
import { aPng } from "../qr/a-png.ts";

it("a logo of any size is read, and drawn into a code", () => {
  const shapes = { margin: 4, dots: "square", eyes: "square" } as const;
  const style = { format: "png", scale: 1, color: "000000", background: "ffffff", ...shapes } as const;
  for (let side = 1; side <= 256; side = Math.ceil(side * 1.3)) {
    const read = readLogo(aPng(side, 200));
    expect([side, read]).toMatchObject([side, { ok: true }]);
    expect(read.ok && drawQr("https://go.example.com/a", style, read.logo)).toBeInstanceOf(Uint8Array);
  }
});
