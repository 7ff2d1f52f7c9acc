/**
 * Remembers that a visitor has given a link's password: `<expiry in epoch seconds>.<HMAC-SHA-256 in base64url>`. The MAC
 * covers link, version and expiry, so a cookie opens no other link, and none after an edit. Its key is derived from
 * SEAL_KEY (HKDF, RFC 5869) under a label of its own: one secret less to keep.
 */
import { fromBase64, fromBase64Url, toBase64Url } from "@hopline/sealing/base64";

const UNLOCKED_FOR_SECONDS: number = 15 * 60;

const KEY_LABEL = "hopline unlock cookie v1";

type LockedLink = { readonly linkId: string; readonly version: number };

export interface UnlockCookies {
  /** The value of a Set-Cookie header; `null` without a usable key. `path`: as the visitor asked for it. Never rejects. */
  issue(link: LockedLink, request: { readonly url: string; readonly path: string }): Promise<string | null>;
  /** Whether the Cookie header holds one that is valid for this link now. Never rejects. */
  isUnlocked(link: LockedLink, cookieHeader: string | null): Promise<boolean>;
}

/** @param secret SEAL_KEY. */
export function createUnlockCookies(secret: string, nowMs: () => number): UnlockCookies {
  // Imported when it is needed, which is seldom; a promise of it must not be shared between requests.
  const importKey = () => deriveKey(secret).catch(() => null);
  return {
    async issue(link, { url, path }) {
      const expiresAt = Math.floor(nowMs() / 1_000) + UNLOCKED_FOR_SECONDS;
      const key = await importKey();
      if (key === null) {
        return null;
      }
      const mac = await crypto.subtle.sign("HMAC", key, toMessage(link, expiresAt));
      const secure = url.startsWith("https:") ? "; Secure" : "";
      return `${nameOf(link)}=${expiresAt}.${toBase64Url(new Uint8Array(mac))}; Max-Age=${UNLOCKED_FOR_SECONDS}; Path=${path}; HttpOnly; SameSite=Lax${secure}`;
    },
    async isUnlocked(link, cookieHeader) {
      const value = findCookie(cookieHeader, nameOf(link));
      const [, expiry = "", macText = ""] = /^(\d{1,12})\.([\w-]{43})$/.exec(value) ?? [];
      const mac = fromBase64Url(macText);
      if (mac === null || mac.length === 0 || Number(expiry) * 1_000 <= nowMs()) {
        return false;
      }
      const key = await importKey();
      return key !== null && crypto.subtle.verify("HMAC", key, mac, toMessage(link, Number(expiry)));
    },
  };
}

async function deriveKey(secret: string): Promise<CryptoKey> {
  const bytes = fromBase64(secret.trim());
  if (bytes === null || bytes.length === 0) {
    throw new Error("SEAL_KEY is not base64. Make one: openssl rand -base64 32");
  }
  const root = await crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveKey"]);
  const info = new TextEncoder().encode(KEY_LABEL);
  return crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info },
    root,
    { name: "HMAC", hash: "SHA-256", length: 256 },
    false,
    ["sign", "verify"],
  );
}

function toMessage({ linkId, version }: LockedLink, expiresAt: number): Uint8Array {
  return new TextEncoder().encode(`${linkId}.${version}.${expiresAt}`);
}

function nameOf({ linkId }: LockedLink): string {
  return `hop_${linkId.replaceAll("-", "")}`;
}

function findCookie(header: string | null, name: string): string {
  for (const part of header?.split(";") ?? []) {
    const cookie = part.trim();
    if (cookie.startsWith(`${name}=`)) {
      return cookie.slice(name.length + 1);
    }
  }
  return "";
}
