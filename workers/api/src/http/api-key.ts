/**
 * API keys: `hop_` and 32 random characters (190 bits). Only the SHA-256 is stored, and keys are looked up by it, so the
 * time a look-up takes tells nothing about how close a guess was.
 */
import type { Bounds, StoredBound } from "@hopline/db/links/bounds";
import { randomText } from "../random-text.ts";

export const SCOPES = ["links:read", "links:write", "analytics:read", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** The caller of a request. */
export type Principal = {
  /** The key or the session's person: `key:<uuid>`, `jwt:<sub>`. */
  readonly subject: string;
  readonly workspaceId: string;
  readonly scopes: readonly Scope[];
  /** When a JWT ends, epoch milliseconds; `null` for other callers, which the database knows. */
  readonly endsAtMs: number | null;
  /** How long keys may live that it creates, epoch milliseconds; `null`: for ever. */
  readonly keysUntilMs: number | null;
  /** Whose rights they have then: the person, or the maker of the key that calls; `null`: there is none. */
  readonly makerId: string | null;
  /** Which links exist for the caller; none: all of the workspace. */
  readonly bounds: Bounds;
  /** As stored, of the person or the key's maker: a request that goes on for long asks whether they still are so. */
  readonly memberBound: StoredBound | null;
};

const OF_KEY = "key:";

/** The UUID of the key that a caller is; `null` for other callers. */
export function keyIdOf(subject: string): string | null {
  return subject.startsWith(OF_KEY) ? subject.slice(OF_KEY.length) : null;
}

const KEY = /^hop_[A-Za-z0-9]{32}$/;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const SECRET_LENGTH = 32;

/** How many characters of a key lists may show: 48 bits of it, which leaves 142 unknown. */
export const KEY_PREFIX_LENGTH = 12;

/** The token of an Authorization header of the form `Bearer …`, or `null`. */
export function readBearerToken(authorization: string | undefined): string | null {
  return /^Bearer ([\x21-\x7e]+)$/i.exec(authorization ?? "")?.[1] ?? null;
}

export function isApiKey(token: string): boolean {
  return KEY.test(token);
}

export function newApiKey(randomBytes: (count: number) => Uint8Array): string {
  return `hop_${randomText(ALPHABET, SECRET_LENGTH, randomBytes)}`;
}

/** SHA-256 of the key as 64 hexadecimal digits, the form in which it is stored. */
export function hashApiKey(key: string): Promise<string> {
  return sha256Hex(new TextEncoder().encode(key));
}

/** SHA-256 as 64 hexadecimal digits. */
export async function sha256Hex(bytes: BufferSource): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** `admin` includes every other scope. */
export function hasScope(principal: Principal, scope: Scope): boolean {
  return principal.scopes.includes(scope) || principal.scopes.includes("admin");
}
