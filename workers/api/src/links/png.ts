/**
 * Writes black-and-white images as PNG (W3C PNG, third edition): one bit a pixel, no filter, one IDAT. Small enough that
 * no image library has to be carried along.
 */

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const GREYSCALE = 0;

/** `isBlack(x, y)` is asked for every pixel of a square of `size` pixels. */
export async function encodePng(
  size: number,
  isBlack: (x: number, y: number) => boolean,
): Promise<Uint8Array<ArrayBuffer>> {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, size);
  view.setUint32(4, size);
  header.set([1, GREYSCALE, 0, 0, 0], 8);
  const chunks = [
    toChunk("IHDR", header),
    toChunk("IDAT", await deflate(toScanlines(size, isBlack))),
    toChunk("IEND", new Uint8Array()),
  ];
  return join([new Uint8Array(SIGNATURE), ...chunks]);
}

/** Each line is a filter byte (none) and its pixels, eight a byte, white being 1. */
function toScanlines(size: number, isBlack: (x: number, y: number) => boolean): Uint8Array<ArrayBuffer> {
  const lineBytes = 1 + Math.ceil(size / 8);
  const lines = new Uint8Array(lineBytes * size);
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      if (!isBlack(x, y)) {
        const at = y * lineBytes + 1 + (x >> 3);
        lines[at] = (lines[at] ?? 0) | (0x80 >> (x & 7));
      }
    }
  }
  return lines;
}

function toChunk(type: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const chunk = new Uint8Array(data.length + 12);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, data.length);
  chunk.set(new TextEncoder().encode(type), 4);
  chunk.set(data, 8);
  view.setUint32(data.length + 8, crc32(chunk.subarray(4, data.length + 8)));
  return chunk;
}

/** "deflate" of the Compression Streams standard is the zlib form that PNG wants. */
async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const compressed = new Response(bytes).body?.pipeThrough(new CompressionStream("deflate")) ?? null;
  return new Uint8Array(await new Response(compressed).arrayBuffer());
}

/** CRC-32 of ISO 3309, bit by bit: the image is a few hundred bytes. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) {
      crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    }
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((total, part) => total + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
