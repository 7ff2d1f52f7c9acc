/**
 * Passwords of people: PBKDF2 with SHA-512, over an HMAC of the password under a secret of the deployment (a pepper), so that
 * a stolen table alone can't be searched. By Web Crypto. Production Workers refuse more than 100,000 iterations, and
 * workerd on a developer's machine does not (https://developers.cloudflare.com/workers/runtime-apis/web-crypto/).
 *
 * Format: `pbkdf2-sha512$<iterations>$<pepper's id>$<salt>$<hash>`, the last two in base64url. A hash whose pepper is gone
 * matches nothing: its owner signs in by email and sets a new password.
 */
import { fromBase64Url, toBase64Url } from "@hopline/sealing/base64";

export const MAX_ITERATIONS = 100_000;
export const MIN_PASSWORD_LENGTH = 10;
export const MAX_PASSWORD_LENGTH = 128;

const SCHEME = "pbkdf2-sha512";
const SALT_BYTES = 16;
const HASH_BITS = 512;

export type Passwords = {
  readonly hash: (password: string) => Promise<string>;
  /** False, after as much work, also for a text that is no hash. */
  readonly verify: (password: string, hash: string) => Promise<boolean>;
};

/** @param secrets the deployment's, newest first. */
export function createPasswords(
  secrets: readonly [string, ...string[]],
  iterations: number = MAX_ITERATIONS,
): Passwords {
  if (!isAllowed(iterations)) {
    throw new Error(`Production Workers refuse more than ${MAX_ITERATIONS} iterations of PBKDF2.`);
  }
  return {
    async hash(password) {
      const [pepper] = await Promise.all(secrets.map(derivePepper));
      if (pepper === undefined) {
        throw new Error("invariant: there is a first secret");
      }
      const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
      const hash = await derive(password, { key: pepper.key, salt, iterations });
      return [SCHEME, iterations, pepper.id, toBase64Url(salt), toBase64Url(hash)].join("$");
    },

    async verify(password, text) {
      const peppers = await Promise.all(secrets.map(derivePepper));
      const stored = parseHash(text);
      const pepper = peppers.find(({ id }) => id === stored?.pepperId) ?? peppers[0];
      if (pepper === undefined) {
        throw new Error("invariant: there is a first secret");
      }
      const given = await derive(password, {
        key: pepper.key,
        salt: stored?.salt ?? new Uint8Array(SALT_BYTES),
        iterations: stored?.iterations ?? iterations,
      });
      return stored !== null && pepper.id === stored.pepperId && isEqual(given, stored.hash);
    },
  };
}

function isAllowed(iterations: number): boolean {
  return Number.isSafeInteger(iterations) && iterations >= 1 && iterations <= MAX_ITERATIONS;
}

type Pepper = { readonly id: string; readonly key: CryptoKey };

async function derivePepper(secret: string): Promise<Pepper> {
  const encode = (text: string) => new TextEncoder().encode(text);
  const [id, key] = await Promise.all(
    ["hopline pepper id v1", "hopline pepper v1"].map((label) =>
      crypto.subtle.digest("SHA-256", encode(`${label}\n${secret}`)),
    ),
  );
  if (id === undefined || key === undefined) {
    throw new Error("invariant: two digests");
  }
  const hmac = { name: "HMAC", hash: "SHA-512" };
  return {
    id: toBase64Url(new Uint8Array(id).subarray(0, 6)),
    key: await crypto.subtle.importKey("raw", key, hmac, false, ["sign"]),
  };
}

type Derivation = {
  readonly key: CryptoKey;
  readonly salt: Uint8Array<ArrayBuffer>;
  readonly iterations: number;
};

/** NFC (RFC 8265): the same characters typed on another keyboard are the same password. */
async function derive(password: string, { key, salt, iterations }: Derivation): Promise<Uint8Array> {
  const peppered = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(password.normalize("NFC")));
  const base = await crypto.subtle.importKey("raw", peppered, "PBKDF2", false, ["deriveBits"]);
  const parameters = { name: "PBKDF2", hash: "SHA-512", salt, iterations };
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, base, HASH_BITS));
}

function parseHash(text: string) {
  const [scheme, iterationText = "", pepperId = "", saltText = "", hashText = "", ...rest] = text.split("$");
  const iterations = Number(iterationText);
  const salt = fromBase64Url(saltText);
  const hash = fromBase64Url(hashText);
  const isWhole = scheme === SCHEME && rest.length === 0 && isAllowed(iterations);
  return isWhole && salt !== null && hash !== null && hash.length === HASH_BITS / 8
    ? { iterations, pepperId, salt, hash }
    : null;
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length;
  for (const [index, byte] of one.entries()) {
    difference |= byte ^ (other[index] ?? 0);
  }
  return difference === 0;
}
