/** Seals a text under SEAL_KEY. */
import { importSealKey } from "@hopline/sealing/seal-key";
import { seal } from "@hopline/sealing/seal";

/** Rejects when the key is unusable. The key is imported each time: a promise of it must not be shared between requests. */
export async function sealText(text: string, sealKey: string): Promise<string> {
  return seal(text, await importSealKey(sealKey));
}
