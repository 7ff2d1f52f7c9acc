/**
 * Passwords of links: PBKDF2 with SHA-256, by WebCrypto. Workers allow at most 100,000 iterations (workerd refuses
 * more with a NotSupportedError; https://developers.cloudflare.com/workers/runtime-apis/web-crypto/). That costs tens
 * of milliseconds of CPU per attempt; attempts are rate limited as well.
 */
import { fromBase64Url, toBase64Url } from "./base64.ts";

const PASSWORD_ITERATIONS = 100_000;
const SALT_BYTES = 16;
const HASH_BITS = 256;

/** `salt` and `hash` in base64url. */
export type HashedPassword = { readonly iterations: number; readonly salt: string; readonly hash: string };

export async function hashPassword(password: string): Promise<HashedPassword> {
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  const hash = await derive(password, salt, PASSWORD_ITERATIONS);
  return { iterations: PASSWORD_ITERATIONS, salt: toBase64Url(salt), hash: toBase64Url(hash) };
}

/** Whether `password` is the one that was hashed. Every wrong password takes the same time. */
export async function verifyPassword(password: string, stored: HashedPassword): Promise<boolean> {
  const wanted = fromBase64Url(stored.hash);
  const salt = fromBase64Url(stored.salt);
  if (wanted === null || salt === null) {
    return false;
  }
  const given = await derive(password, salt, stored.iterations);
  let difference = wanted.length ^ given.length;
  for (const [index, byte] of given.entries()) {
    difference |= byte ^ (wanted[index] ?? 0);
  }
  return difference === 0;
}

/** NFC (RFC 8265): the same characters typed on another keyboard are the same password. */
async function derive(
  password: string,
  salt: Uint8Array<ArrayBuffer>,
  iterations: number,
): Promise<Uint8Array> {
  const secret = new TextEncoder().encode(password.normalize("NFC"));
  const key = await crypto.subtle.importKey("raw", secret, "PBKDF2", false, ["deriveBits"]);
  const bits = await crypto.subtle.deriveBits(
    { name: "PBKDF2", hash: "SHA-256", salt, iterations },
    key,
    HASH_BITS,
  );
  return new Uint8Array(bits);
}
