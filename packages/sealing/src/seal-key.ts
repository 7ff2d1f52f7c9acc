/** The key that seals: the secret SEAL_KEY, 32 random bytes in base64 (`openssl rand -base64 32`). */
import { fromBase64 } from "./base64.ts";

const SEAL_KEY_BYTES = 32;

/** Makes the key of a secret's text. Rejects with what to do about it, never with the secret, when it is no such key. */
export async function importSealKey(secret: string): Promise<CryptoKey> {
  const bytes = fromBase64(secret.trim());
  if (bytes === null || bytes.length !== SEAL_KEY_BYTES) {
    throw new Error(`SEAL_KEY is not base64 of ${SEAL_KEY_BYTES} bytes. Make one: openssl rand -base64 32`);
  }
  return crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
}
