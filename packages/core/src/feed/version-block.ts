/**
 * What the change feed keeps of older changes: that a key changed, and its version. Eight bytes a change, so that an isolate that has
 * just begun can read five minutes of a thousand edits a second. Format: two float64 (the number of the first change; when the
 * last was announced), then a hash and a version for each, uint32, all little-endian as in every machine that runs Workers. Golden
 * file: test/golden/version-block.v1.json. The API writes it, the redirect reads it; the decoder is total.
 */

/** Block n holds the sequence numbers 20,000n + 1 to 20,000n + 20,000: the feed's 300,000 changes lie in 16 of them at most. */
export const CHANGES_PER_BLOCK = 20_000;

export type VersionBlock = {
  /** The number of the first change. */
  readonly first: number;
  /** When the feed took the last of them in, epoch milliseconds. */
  readonly announcedAtMs: number;
  /** Hash and version of each, in turn. */
  readonly pairs: Uint32Array;
};

const HEADER_BYTES = 16;
const CHANGE_BYTES = 8;

export function blockOf(sequence: number): number {
  return Math.floor((sequence - 1) / CHANGES_PER_BLOCK);
}

/** FNV-1a over UTF-16 units. Two keys of 300,000 share one by chance: then the database is asked once too often. */
export function hashOf(key: string): number {
  let hash = 0x811c_9dc5;
  for (let index = 0; index < key.length; index += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x0100_0193);
  }
  return hash >>> 0;
}

export function encodeVersionBlock({ first, announcedAtMs, pairs }: VersionBlock): ArrayBuffer {
  const bytes = new ArrayBuffer(HEADER_BYTES + pairs.byteLength);
  new Float64Array(bytes, 0, 2).set([first, announcedAtMs]);
  new Uint32Array(bytes, HEADER_BYTES).set(pairs);
  return bytes;
}

/** `null`: it is none. */
export function decodeVersionBlock(bytes: ArrayBuffer): VersionBlock | null {
  const count = (bytes.byteLength - HEADER_BYTES) / CHANGE_BYTES;
  if (!Number.isInteger(count) || count < 0 || count > CHANGES_PER_BLOCK) {
    return null;
  }
  const [first = 0, announcedAtMs = Number.NaN] = new Float64Array(bytes, 0, 2);
  return Number.isSafeInteger(first) && first >= 1 && Number.isFinite(announcedAtMs)
    ? { first, announcedAtMs, pairs: new Uint32Array(bytes, HEADER_BYTES) }
    : null;
}

/** How many changes are in it. */
export function countOf({ pairs }: VersionBlock): number {
  return pairs.length / 2;
}
