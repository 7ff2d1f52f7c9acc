/**
 * API keys: `hop_` and 32 characters of randomness (190 bits). Only the SHA-256 is kept, so a look-up by hash is the
 * comparison, and what it takes says nothing about how close a guess was.
 */

export const SCOPES = ["links:read", "links:write", "analytics:read", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** Who is asking. */
export type Principal = { readonly workspaceId: string; readonly scopes: readonly Scope[] };

const BEARER = /^Bearer (hop_[A-Za-z0-9]{32})$/;

/** The key in an Authorization header, or `null` when there is none of our form. */
export function readBearerKey(authorization: string | undefined): string | null {
  return BEARER.exec(authorization ?? "")?.[1] ?? null;
}

/** SHA-256 of the key as 64 hexadecimal digits: the form in which it is stored. */
export async function hashApiKey(key: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** `admin` includes every other scope. */
export function hasScope(principal: Principal, scope: Scope): boolean {
  return principal.scopes.includes(scope) || principal.scopes.includes("admin");
}
