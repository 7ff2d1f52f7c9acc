/** Headers of the web app's files. Pure. */

/**
 * Nothing from elsewhere: no script, style, font, frame or request. Images may come from anywhere over https, because the link
 * editor shows the picture of a link's preview; `blob:` and `data:` are QR codes and icons.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob: https:",
  "connect-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const ON_EVERY_ANSWER = [
  ["content-security-policy", CONTENT_SECURITY_POLICY],
  ["x-content-type-options", "nosniff"],
  // A person who types the address without https once must not be shown a sign-in page by a third party. Browsers ignore it on http.
  ["strict-transport-security", "max-age=31536000"],
  // Links in emails carry a token in their address.
  ["referrer-policy", "no-referrer"],
  ["permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"],
  ["cross-origin-opener-policy", "same-origin"],
  ["x-robots-tag", "noindex"],
] as const;

/** Files under /assets have a hash of their content in the name; all others are asked for again. */
export function pageHeaders(pathname: string): readonly (readonly [string, string])[] {
  const isNamedByContent = pathname.startsWith("/assets/");
  const cacheControl = isNamedByContent ? "public, max-age=31536000, immutable" : "no-cache";
  return [...ON_EVERY_ANSWER, ["cache-control", cacheControl]];
}
