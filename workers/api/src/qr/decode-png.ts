/**
 * A PNG from a request, as pixels. Nothing of it is decoded before its header is known to be of a picture that is small enough,
 * and its data to be no longer than such a picture's: 64 KB can inflate to 64 MB. Pure.
 *
 * Of its chunks only those that draw are decoded: fast-png also inflates colour profiles, without a limit.
 */
import { inflateSync } from "node:zlib";
import { decode, type DecodedPng } from "fast-png";
import { concatBytes, PNG_SIGNATURE } from "./encode-png.ts";
import { MAX_SIDE } from "./qr-limits.ts";
import type { Picture } from "./scale-picture.ts";

export type Decoded =
  | { readonly ok: true; readonly picture: Picture }
  /** For people: `is not a PNG`. */
  | { readonly ok: false; readonly error: string };

const refuse = (error: string): Decoded => ({ ok: false, error });
const NO_PNG = "is not a PNG: send the bytes of a PNG file";
const DAMAGED = "is damaged: save it again as a PNG";

export function decodePng(file: Uint8Array): Decoded {
  if (!PNG_SIGNATURE.every((byte, index) => file[index] === byte)) {
    return refuse(NO_PNG);
  }
  const chunks = listChunks(file);
  const header = chunks === null ? null : readHeader(chunks);
  if (chunks === null || header === null) {
    return refuse(DAMAGED);
  }
  const { width, height } = header;
  if (width > MAX_SIDE || height > MAX_SIDE) {
    return refuse(`has ${width} × ${height} pixels: send at most ${MAX_SIDE} × ${MAX_SIDE}`);
  }
  if (header.isInterlaced) {
    return refuse("is interlaced: save it without interlacing");
  }
  try {
    return hasLength(chunks, bytesOf(header))
      ? { ok: true, picture: toPicture(chunks, header) }
      : refuse(DAMAGED);
  } catch {
    return refuse(DAMAGED);
  }
}

type Chunk = {
  readonly type: string;
  readonly data: Uint8Array;
  /** With length, type and checksum. */
  readonly whole: Uint8Array;
};

/** Those of a single picture. Text, profiles, times and further frames of an animation are left out. */
const KEPT: ReadonlySet<string> = new Set(["IHDR", "PLTE", "tRNS", "IDAT", "IEND"]);

/**
 * What is saved as a PNG has one for each eight kilobytes or so. 64 KB can be cut into five thousand, and for each of them fast-png
 * copies the last 32 KB that it has inflated.
 */
const MAX_KEPT_CHUNKS = 100;

/** Up to the end of the picture; `null` if that is not there, or in too many pieces. */
function listChunks(file: Uint8Array): readonly Chunk[] | null {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const chunks: Chunk[] = [];
  for (let at = PNG_SIGNATURE.length; at + 12 <= file.length;) {
    const end = at + 12 + view.getUint32(at);
    const type = String.fromCharCode(...file.subarray(at + 4, at + 8));
    if (end > file.length || chunks.length === MAX_KEPT_CHUNKS) {
      return null;
    }
    if (KEPT.has(type)) {
      chunks.push({ type, data: file.subarray(at + 8, end - 4), whole: file.subarray(at, end) });
    }
    if (type === "IEND") {
      return chunks;
    }
    at = end;
  }
  return null;
}

type Header = {
  readonly width: number;
  readonly height: number;
  readonly bitsPerPixel: number;
  /** Its pixels are numbers of colours in a palette. */
  readonly isIndexed: boolean;
  readonly isInterlaced: boolean;
};

/** Samples of a pixel, by the header's "color type". */
const CHANNELS: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [2, 3],
  [3, 1],
  [4, 2],
  [6, 4],
]);
const INDEXED = 3;
const DEPTHS: ReadonlySet<number> = new Set([1, 2, 4, 8, 16]);

/** `null` if it is not that of a PNG. */
function readHeader([first, ...others]: readonly Chunk[]): Header | null {
  if (first?.type !== "IHDR" || first.data.length !== 13 || others.some(({ type }) => type === "IHDR")) {
    return null;
  }
  const view = new DataView(first.data.buffer, first.data.byteOffset, 13);
  const [width, height, depth] = [view.getUint32(0), view.getUint32(4), view.getUint8(8)];
  const colorType = view.getUint8(9);
  const channels = CHANNELS.get(colorType);
  if (width === 0 || height === 0 || channels === undefined || !DEPTHS.has(depth)) {
    return null;
  }
  const isIndexed = colorType === INDEXED;
  if (isIndexed && !others.some(({ type }) => type === "PLTE")) {
    return null;
  }
  const isInterlaced = view.getUint8(12) !== 0;
  return { width, height, bitsPerPixel: channels * depth, isIndexed, isInterlaced };
}

/** Of the inflated data: each row begins with its filter. */
function bytesOf({ width, height, bitsPerPixel }: Header): number {
  return height * (1 + Math.ceil((width * bitsPerPixel) / 8));
}

/**
 * Whether the data is exactly that long. Inflates twice as much of it at most, because workerd doubles its buffer and throws where
 * that is more than the limit, not the data. Throws where it is longer, or no zlib stream.
 */
function hasLength(chunks: readonly Chunk[], bytes: number): boolean {
  const parts = chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data);
  return inflateSync(concatBytes(parts), { maxOutputLength: 2 * bytes }).length === bytes;
}

/** Throws where the chunks contradict each other, or a checksum is wrong. */
function toPicture(chunks: readonly Chunk[], header: Header): Picture {
  const bare = concatBytes([PNG_SIGNATURE, ...chunks.map(({ whole }) => whole)]);
  const decoded = decode(bare, { checkCrc: true });
  return header.isIndexed ? fromPalette(decoded) : fromSamples(decoded);
}

/** Throws for a colour that the palette does not have. */
function fromPalette(decoded: DecodedPng): Picture {
  const { width, height, palette = [] } = decoded;
  const pixels = new Uint8Array(width * height * 4).fill(255);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const color = palette[readSample(decoded, y, x)];
      if (color === undefined) {
        throw new Error("A pixel has a colour that is not in the palette.");
      }
      pixels.set(color, (y * width + x) * 4);
    }
  }
  return { width, height, pixels };
}

/** Grey or coloured, with alpha or without. */
function fromSamples(decoded: DecodedPng): Picture {
  const { width, height, channels, depth } = decoded;
  const pixels = new Uint8Array(width * height * 4).fill(255);
  const [isGrey, hasAlpha] = [channels < 3, channels % 2 === 0];
  const toByte = 255 / (2 ** depth - 1);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [from, to] = [x * channels, (y * width + x) * 4];
      for (let channel = 0; channel < 3; channel += 1) {
        const sample = readSample(decoded, y, isGrey ? from : from + channel);
        pixels[to + channel] = Math.round(sample * toByte);
      }
      if (hasAlpha) {
        pixels[to + 3] = Math.round(readSample(decoded, y, from + channels - 1) * toByte);
      } else if (isLeftOut(decoded, y, from)) {
        pixels[to + 3] = 0;
      }
    }
  }
  return { width, height, pixels };
}

/** Whether this is the one colour that a picture without alpha may declare transparent. */
function isLeftOut(decoded: DecodedPng, row: number, index: number): boolean {
  const { transparency, channels } = decoded;
  return (
    transparency?.length === channels &&
    transparency.every((sample, channel) => sample === readSample(decoded, row, index + channel))
  );
}

/** Rows begin at whole bytes; fast-png gives 16-bit samples as numbers. */
function readSample({ width, channels, depth, data }: DecodedPng, row: number, index: number): number {
  if (depth >= 8) {
    return data[row * width * channels + index] ?? 0;
  }
  const bit = index * depth;
  const byte = data[row * Math.ceil((width * channels * depth) / 8) + (bit >> 3)] ?? 0;
  return (byte >> (8 - depth - (bit & 7))) & (2 ** depth - 1);
}
