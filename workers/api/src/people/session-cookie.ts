/**
 * The cookie of a session, in better-auth's format: `<token>.<HMAC-SHA-256 of it>`, percent-encoded. Reading it needs no
 * better-auth, so that an ordinary request does not load it. A token without its signature opens nothing, so what a copy of
 * the database shows is not enough to sign in, and made-up cookies cost no statement.
 */
import { fromBase64 } from "@hopline/sealing/base64";

/** From signing in; being active does not prolong it. */
export const SESSION_SECONDS = 30 * 86_400;

/** Host-only: no other host, not even one below or above, gets it. */
export function sessionCookieOf(appOrigin: string) {
  const secure = appOrigin.startsWith("https:");
  return {
    name: secure ? "__Host-hopline_session" : "hopline_session",
    attributes: { secure, httpOnly: true, sameSite: "lax", path: "/" },
  } as const;
}

/** The cookie, emptied and expired. */
export function endedCookieOf(appOrigin: string): string {
  const { name, attributes } = sessionCookieOf(appOrigin);
  return `${name}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax${attributes.secure ? "; Secure" : ""}`;
}

type Reading = { readonly appOrigin: string; readonly secrets: readonly string[] };

/** The token of a session, or `null` if the request has none that was signed here. It may have ended. */
export async function readSessionToken(
  cookieHeader: string | null,
  { appOrigin, secrets }: Reading,
): Promise<string | null> {
  const value = findCookie(cookieHeader ?? "", sessionCookieOf(appOrigin).name);
  const at = value.lastIndexOf(".");
  const signature = at === -1 ? null : fromBase64(value.slice(at + 1));
  if (signature === null) {
    return null;
  }
  const token = new TextEncoder().encode(value.slice(0, at));
  for (const secret of secrets) {
    const raw = new TextEncoder().encode(secret);
    const key = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, [
      "verify",
    ]);
    if (await crypto.subtle.verify("HMAC", key, signature, token)) {
      return value.slice(0, at);
    }
  }
  return null;
}

/** Empty if there is none. */
export function findCookie(header: string, name: string): string {
  const pair = header.split(/; */).find((one) => one.startsWith(`${name}=`)) ?? "";
  try {
    return decodeURIComponent(pair.slice(name.length + 1));
  } catch {
    return "";
  }
}
