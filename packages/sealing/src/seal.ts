/**
 * Seals text that leaves the queue path (spill, dead letters, the last-resort log line), so that only the holder of
 * the key can read it or replay it.
 *
 * Format 1: `sealed.v1.<base64url of the iv>.<base64url of ciphertext and tag>`; AES-256-GCM, a random iv of 96 bits
 * each time, tag of 128 bits (NIST SP 800-38D; at most 2^32 texts under one key). WebCrypto only: workerd and Node.
 *
 * The text does not name its key. The tag proves whether a key fits, so after a rotation every key is simply tried.
 */
import { fail, ok, type Result } from "@hopline/core/decode/result";
import { fromBase64Url, toBase64Url } from "./base64.ts";

const SEALED_PREFIX = "sealed.v1.";
const IV_BYTES = 12;
const TAG_BYTES = 16;
const SEALED = /^sealed\.v1\.([\w-]+)\.([\w-]+)$/;

/** `seal_malformed`: not a sealed text of a known format. `seal_refused`: no key fits, or the text was altered. */
export type SealFault = { readonly reason: "seal_malformed" | "seal_refused" };

/** Whether a text has the form of a sealed one. It may still refuse to open. */
export function isSealed(text: string): boolean {
  return text.startsWith(SEALED_PREFIX);
}

/** Seals a text, differently each time. The result has about 4/3 of its UTF-8 length, and 62 characters. */
export async function seal(text: string, key: CryptoKey): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, new TextEncoder().encode(text));
  return `${SEALED_PREFIX}${toBase64Url(iv)}.${toBase64Url(new Uint8Array(sealed))}`;
}

/** Opens what `seal` made, with the first key that fits. Never rejects, whatever the text is. */
export async function openSealed(
  text: string,
  ...keys: readonly CryptoKey[]
): Promise<Result<string, SealFault>> {
  const [, ivText = "", sealedText = ""] = SEALED.exec(text) ?? [];
  const iv = fromBase64Url(ivText);
  const sealed = fromBase64Url(sealedText);
  if (iv === null || sealed === null || iv.length !== IV_BYTES || sealed.length < TAG_BYTES) {
    return fail({ reason: "seal_malformed" });
  }
  for (const key of keys) {
    const opened = await crypto.subtle.decrypt({ name: "AES-GCM", iv }, key, sealed).catch(() => null);
    if (opened !== null) {
      return ok(new TextDecoder().decode(opened));
    }
  }
  return fail({ reason: "seal_refused" });
}
