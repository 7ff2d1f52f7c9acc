import { encodeColorPng } from "../../src/qr/encode-png.ts";

/** A PNG of one colour, half transparent. */
export function aPng(
  width: number,
  height: number,
  color = [0xc2, 0x20, 0x20, 0x80],
): Uint8Array<ArrayBuffer> {
  const rows = Uint8Array.from({ length: width * height * 4 }, (_, index) => color[index % 4] ?? 0);
  return encodeColorPng({ width, height, rows, channels: 4 });
}
