/** The key that seals: the secret SEAL_KEY, 32 random bytes in base64 (`openssl rand -base64 32`). */
import { fromBase64 } from "./base64.ts";

const SEAL_KEY_BYTES = 32;

/** The first one seals. All of them open: after a rotation the second is the key before it. */
export type SealKeys = readonly [CryptoKey, ...CryptoKey[]];

/**
 * Imports a key from the text of its secret. If the text is not a key, rejects with what to do about it, never with
 * the text. `name` is the secret's name.
 */
export async function importSealKey(secret: string, name = "SEAL_KEY"): Promise<CryptoKey> {
  const bytes = fromBase64(secret.trim());
  if (bytes === null || bytes.length !== SEAL_KEY_BYTES) {
    throw new Error(`${name} is not base64 of ${SEAL_KEY_BYTES} bytes. Make one: openssl rand -base64 32`);
  }
  return crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
}

/** SEAL_KEY and SEAL_KEY_OLD. The old one is empty except during a rotation. Rejects as `importSealKey` does. */
export async function importSealKeys(secret: string, oldSecret = ""): Promise<SealKeys> {
  const key = await importSealKey(secret);
  return oldSecret.trim() === "" ? [key] : [key, await importSealKey(oldSecret, "SEAL_KEY_OLD")];
}
