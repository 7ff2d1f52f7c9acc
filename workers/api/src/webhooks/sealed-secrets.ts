/**
 * Endpoints' secrets at rest: sealed with WEBHOOK_SEAL_KEY. It may hold two keys with a comma between them, the new one first:
 * both open, the first one seals.
 */
import { openSealed, seal } from "@hopline/sealing/seal";
import { importSealKey } from "@hopline/sealing/seal-key";

export type SecretSeal = {
  readonly seal: (secret: string) => Promise<string>;
  /** Rejects if no key fits. */
  readonly open: (sealed: string) => Promise<string>;
  /** Sealed with the first key; `null` if it is already. */
  readonly renew: (sealed: string) => Promise<string | null>;
};

const NAME = "WEBHOOK_SEAL_KEY";

/** Rejects, with what to do, for a text that holds no key. */
export async function createSecretSeal(keyList: string): Promise<SecretSeal> {
  const [key, ...older] = await Promise.all(keyList.split(",").map((text) => importSealKey(text, NAME)));
  if (key === undefined) {
    throw new Error("invariant: split() returns at least one part");
  }
  const open = async (sealed: string): Promise<string> => {
    const opened = await openSealed(sealed, key, ...older);
    if (!opened.ok) {
      throw new Error(`A webhook's secret does not open: ${NAME} has to hold the key that sealed it.`);
    }
    return opened.value;
  };
  return {
    seal: (secret) => seal(secret, key),
    open,
    renew: async (sealed) => ((await openSealed(sealed, key)).ok ? null : seal(await open(sealed), key)),
  };
}
