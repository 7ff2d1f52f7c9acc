/**
 * Tries of a link's password, by Cloudflare's rate-limit bindings (counted per location and eventually consistent; the
 * numbers are in wrangler.jsonc). Unlike the limit on misses these guard something: without an answer no try is allowed.
 *
 * - A network has 10 tries a minute at a link.
 * - A link accepts 60 wrong passwords a minute from all networks together. Right ones never count: a crowd that has the
 *   password is never refused.
 * - Beyond that, each network still has one try a minute, of which 60 may be wrong. So to keep new visitors away from a
 *   link, an attacker needs sixty networks that fail every minute at the visitors' own location, and it ends a minute after
 *   the attack. Visitors with an unlock cookie are not asked for the password (answer-locked.ts).
 *
 * In all, a location accepts 120 wrong passwords a minute (172,800 a day), plus one for each isolate that has not been told
 * yet.
 */
import { setLatest } from "@hopline/edge-cache/set-latest";
import type { Log } from "../../log.ts";
import type { PasswordLimit } from "../../ports.ts";

/** The period of the bindings in wrangler.jsonc. */
const PERIOD_MS = 60_000;

/** The oldest is forgotten first; its next wrong password fills it again. */
const MAX_FULL = 1_024;

export type PasswordBindings = {
  readonly byNetwork: RateLimit | undefined;
  readonly byLink: RateLimit | undefined;
  /** The one try of a network at a link that has had too many wrong passwords. */
  readonly beyond: RateLimit | undefined;
};

type PasswordDeps = {
  /** The isolate's: which counts have reached their limit, and until when, epoch milliseconds. */
  readonly full: Map<string, number>;
  readonly nowMs: () => number;
  readonly log: Log;
};

export function createPasswordLimit(
  { byNetwork, byLink, beyond }: PasswordBindings,
  { full, nowMs, log }: PasswordDeps,
): PasswordLimit {
  const isFull = (count: string) => (full.get(count) ?? 0) > nowMs();
  return {
    async begin(linkId, network) {
      const visitor = `${linkId} ${network ?? ""}`;
      if (!(await isAllowed(byNetwork, visitor))) {
        return null;
      }
      const isBeyond = isFull(linkId);
      const count = isBeyond ? `${linkId} beyond` : linkId;
      if (isBeyond && (isFull(count) || !(await isAllowed(beyond, visitor)))) {
        return null;
      }
      return async () => {
        if (!(await isAllowed(byLink, count))) {
          log({ event: "password.ceiling_reached", linkId });
          setLatest(full, [count, nowMs() + PERIOD_MS], MAX_FULL);
        }
      };
    },
  };
}

async function isAllowed(binding: RateLimit | undefined, key: string): Promise<boolean> {
  return binding !== undefined && (await binding.limit({ key })).success === true;
}
