/**
 * Distinguishes two visitors of one UTC day, and nothing else: a keyed hash of the day, the truncated address and the user
 * agent. The key of a day is HMAC(secret, day), so hashes of two days cannot be linked, and inputs can't be guessed
 * without the secret. After a change of the secret every visitor gets a new hash, so the visitors of that day count
 * twice. No state here: the caller makes the keys, once per batch.
 */
import type { Click } from "@hopline/core/click/click";

const HMAC_SHA256 = { name: "HMAC", hash: "SHA-256" } as const;
const HASH_BYTES = 16;
// The range of a Date: https://tc39.es/ecma262/#sec-time-values-and-time-range
const MAX_EPOCH_MS = 8.64e15;

export interface VisitorKeys {
  /** HMAC-SHA-256 under the key of a UTC day ("2026-11-21"), which is derived at most once. */
  sign(utcDay: string, text: string): Promise<Uint8Array>;
}

/** What a visitor hash is made of. The day of the click decides the key, however late it is processed. */
export type HashableVisitor = Pick<Click, "clickedAtMs" | "address" | "userAgent" | "optedOut">;

/** @param secret at least 32 random characters. */
export function createVisitorKeys(secret: string): VisitorKeys {
  const keys = new Map<string, Promise<CryptoKey>>();
  return {
    async sign(utcDay, text) {
      const key = keys.get(utcDay) ?? deriveDayKey(secret, utcDay);
      keys.set(utcDay, key);
      return sign(await key, text);
    },
  };
}

/**
 * 32 hexadecimal digits (16 bytes). `null` if the visitor opted out, or if no address is known (a user agent alone would
 * make thousands of people one visitor). Rejects only if WebCrypto fails.
 */
export async function hashVisitor(visitor: HashableVisitor, keys: VisitorKeys): Promise<string | null> {
  const isPossible = Math.abs(visitor.clickedAtMs) <= MAX_EPOCH_MS;
  if (visitor.optedOut || visitor.address === null || !isPossible) {
    return null;
  }
  const utcDay = new Date(visitor.clickedAtMs).toISOString().slice(0, -"T00:00:00.000Z".length);
  // Neither a day nor an address contains a line break, so no two visitors share a text.
  const text = `${utcDay}\n${visitor.address}\n${visitor.userAgent ?? ""}`;
  const digest = await keys.sign(utcDay, text);
  return toHex(digest.subarray(0, HASH_BYTES));
}

async function deriveDayKey(secret: string, utcDay: string): Promise<CryptoKey> {
  const daySecret = await sign(await importKey(new Uint8Array(new TextEncoder().encode(secret))), utcDay);
  return importKey(daySecret);
}

function importKey(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", bytes, HMAC_SHA256, false, ["sign"]);
}

async function sign(key: CryptoKey, text: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text)));
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) {
    text += HEX[byte];
  }
  return text;
}
