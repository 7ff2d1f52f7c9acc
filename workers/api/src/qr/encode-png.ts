/**
 * A picture as a PNG (RFC 2083): 8-bit RGB or RGBA, or 1-bit with two colours. Pure.
 *
 * The runtime's zlib does the work. fast-png writes byte by byte and compresses in JavaScript, which takes thirty times as long, and
 * no key is needed to ask for a QR code.
 */
import { crc32, deflateSync } from "node:zlib";

type Size = { readonly width: number; readonly height: number };

/** Red, green, blue and alpha, 0 to 255. */
export type Color = readonly [red: number, green: number, blue: number, alpha: number];

/** `rows`: from the top, each in whole bytes, eight pixels a byte; a set bit is the second colour. */
export type TwoColorPicture = Size & { readonly rows: Uint8Array; readonly colors: readonly [Color, Color] };

/** `rows`: from the top, 3 bytes a pixel, or 4 with alpha. */
export type ColorPicture = Size & { readonly rows: Uint8Array; readonly channels: 3 | 4 };

/** "Color type" of the header. */
const RGB = 2;
const PALETTE = 3;
const RGBA = 6;

/** The rows repeat themselves: more effort gains little. */
const COMPRESSION_LEVEL = 3;

export function encodeTwoColorPng({ colors, ...picture }: TwoColorPicture): Uint8Array<ArrayBuffer> {
  const palette = toChunk("PLTE", Uint8Array.from(colors.flatMap((color) => color.slice(0, 3))));
  const alpha = colors.map((color) => color[3]);
  const isOpaque = alpha.every((one) => one === 255);
  const chunks = isOpaque ? [palette] : [palette, toChunk("tRNS", Uint8Array.from(alpha))];
  return toFile(picture, { depth: 1, colorType: PALETTE }, chunks);
}

export function encodeColorPng({ channels, ...picture }: ColorPicture): Uint8Array<ArrayBuffer> {
  return toFile(picture, { depth: 8, colorType: channels === 3 ? RGB : RGBA }, []);
}

type Form = { readonly depth: number; readonly colorType: number };

function toFile(
  { width, height, rows }: Size & { readonly rows: Uint8Array },
  { depth, colorType }: Form,
  colors: readonly Uint8Array[],
): Uint8Array<ArrayBuffer> {
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, width);
  header.setUint32(4, height);
  header.setUint8(8, depth);
  header.setUint8(9, colorType);
  const parts = [
    PNG_SIGNATURE,
    toChunk("IHDR", new Uint8Array(header.buffer)),
    ...colors,
    toChunk("IDAT", deflateSync(withFilters(rows, height), { level: COMPRESSION_LEVEL })),
    toChunk("IEND", new Uint8Array()),
  ];
  return concatBytes(parts);
}

export const PNG_SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** Before each row the number of its filter: none. */
function withFilters(rows: Uint8Array, height: number): Uint8Array {
  const rowBytes = rows.length / height;
  const filtered = new Uint8Array(rows.length + height);
  for (let y = 0; y < height; y += 1) {
    filtered.set(rows.subarray(y * rowBytes, (y + 1) * rowBytes), y * (rowBytes + 1) + 1);
  }
  return filtered;
}

/** Length, type, data, checksum. */
export function toChunk(type: string, data: Uint8Array): Uint8Array {
  const chunk = new Uint8Array(data.length + 12);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, data.length);
  chunk.set(new TextEncoder().encode(type), 4);
  chunk.set(data, 8);
  view.setUint32(data.length + 8, crc32(chunk.subarray(4, data.length + 8)));
  return chunk;
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  parts.reduce((at, part) => {
    whole.set(part, at);
    return at + part.length;
  }, 0);
  return whole;
}
