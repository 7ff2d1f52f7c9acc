/** Bytes to base64 and back, in both alphabets (RFC 4648, sections 4 and 5). */

/** Arguments per call of String.fromCharCode. Engines limit them, to 65,536 or more. */
const CHUNK_BYTES = 32_768;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES));
  }
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** `null` if the text is not base64url. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  return fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
}

/** With or without padding; `null` if the text is not base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (!BASE64.test(text)) {
    return null;
  }
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
