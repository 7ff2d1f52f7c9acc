/**
 * What every reader of a user agent does first: limit its length, and check whether it looks like a browser's.
 * The regular expressions of this folder only see text that went through here.
 */

/** Real user agents have at most about 500 characters; longer ones are noise or an attack. */
const MAX_USER_AGENT_CHARS = 1_024;

/** The part of a user agent that is read; "" if there is none. */
export function readableUserAgent(userAgent: string | null): string {
  return userAgent === null ? "" : userAgent.slice(0, MAX_USER_AGENT_CHARS).trim();
}

const PRODUCT = /^(?:Mozilla|Opera)\/\d/;
const FEATURE_PHONE = "Profile/MIDP";

/**
 * Whether the text looks like a browser's: "Mozilla/5.0 (…)", "Opera/9.80 (…)" or a feature phone's profile. Every
 * browser in use sends one of these. Anything else is a library, an app's own request, or nonsense.
 */
export function isBrowserShaped(userAgent: string): boolean {
  if (!PRODUCT.test(userAgent)) {
    return userAgent.includes(FEATURE_PHONE);
  }
  const openAt = userAgent.indexOf("(");
  return openAt !== -1 && userAgent.indexOf(")", openAt) > openAt + 1;
}
