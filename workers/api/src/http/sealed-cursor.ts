/**
 * Cursors that hold what a workspace must not know: event ids and transaction ids count the clicks and writes of the whole
 * deployment. Sealed under a key that is derived from METRICS_TOKEN: one secret less to keep. While that is rotated
 * ("new,old"), cursors under both keys open.
 */
import { openSealed, seal } from "@hopline/sealing/seal";

const KEY_LABEL = "hopline cursor v1";

export type CursorSeal = {
  readonly seal: (cursor: string) => Promise<string>;
  /** `null` for what was not sealed here. Never rejects. */
  readonly open: (text: string) => Promise<string | null>;
};

/** For one request: its keys must not be promised to another one. */
export async function createCursorSeal(metricsToken: string): Promise<CursorSeal> {
  const [key, oldKey = key] = await Promise.all(metricsToken.split(",", 2).map(deriveKey));
  if (key === undefined || oldKey === undefined) {
    throw new Error("invariant: a text has a first part");
  }
  return {
    seal: (cursor) => seal(cursor, key),
    async open(text) {
      const opened = await openSealed(text, key, oldKey);
      return opened.ok ? opened.value : null;
    },
  };
}

async function deriveKey(token: string): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(`${KEY_LABEL}\n${token.trim()}`);
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return crypto.subtle.importKey("raw", digest, "AES-GCM", false, ["encrypt", "decrypt"]);
}
