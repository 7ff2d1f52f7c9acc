/**
 * Ties an attempt to sign in with an identity provider to the browser that began it: a stranger's callback address signs
 * nobody in. Lax, because the browser comes back from the provider's page.
 */
import { ATTEMPT_SECONDS } from "./attempt-store.ts";
import { findCookie } from "../session-cookie.ts";

function nameOf(appOrigin: string): string {
  return appOrigin.startsWith("https:") ? "__Host-hopline_sign_in" : "hopline_sign_in";
}

/** An empty state ends it. */
export function attemptCookieOf(appOrigin: string, state: string): string {
  const seconds = state === "" ? 0 : ATTEMPT_SECONDS;
  const secure = appOrigin.startsWith("https:") ? "; Secure" : "";
  return `${nameOf(appOrigin)}=${state}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${secure}`;
}

/** Empty if there is none. */
export function readAttemptCookie(cookieHeader: string | null, appOrigin: string): string {
  return findCookie(cookieHeader ?? "", nameOf(appOrigin));
}
