/**
 * Tries of a link's password by one visitor, by Cloudflare's rate-limit binding (10 a minute in wrangler.jsonc; counted
 * per location and eventually consistent). Unlike the limit on misses this one guards something: without an answer no
 * try is allowed.
 */
import type { PasswordLimit } from "../../ports.ts";

export function createPasswordLimit(binding: RateLimit | undefined): PasswordLimit {
  return {
    async allows(linkId, network) {
      if (binding === undefined) {
        return false;
      }
      const { success } = await binding.limit({ key: `${linkId} ${network ?? ""}` });
      return success === true;
    },
  };
}
