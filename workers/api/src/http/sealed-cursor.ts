/**
 * Cursors that hold what a workspace must not know: event ids and transaction ids count the clicks and writes of the whole
 * deployment. They are encrypted with a key derived from METRICS_TOKEN, so that there is no further secret to keep. During
 * its rotation ("new,old") cursors of both tokens open.
 */
import { openSealed, seal } from "@hopline/sealing/seal";

const KEY_LABEL = "hopline cursor v1";

export type CursorSeal = {
  readonly seal: (cursor: string) => Promise<string>;
  /** `null` for what was not sealed here. Never rejects. */
  readonly open: (text: string) => Promise<string | null>;
};

/** Made for each request: workerd does not let requests share a promise. */
export async function createCursorSeal(metricsToken: string): Promise<CursorSeal> {
  const [key, ...olderKeys] = await Promise.all(metricsToken.split(",").map(deriveKey));
  if (key === undefined) {
    throw new Error("invariant: split() returns at least one part");
  }
  return {
    seal: (cursor) => seal(cursor, key),
    async open(text) {
      const opened = await openSealed(text, key, ...olderKeys);
      return opened.ok ? opened.value : null;
    },
  };
}

async function deriveKey(token: string): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(`${KEY_LABEL}\n${token.trim()}`);
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return crypto.subtle.importKey("raw", digest, "AES-GCM", false, ["encrypt", "decrypt"]);
}
