import { encodeSlug } from "@hopline/core/link/link-address";

/** The link's address as people get it. */
export function shortUrlOf({ host, slug }: { readonly host: string; readonly slug: string }): string {
  return `${schemeOf(host)}://${host}/${encodeSlug(slug)}`;
}

/** Loopback hosts have no certificates; all others are served over TLS. */
function schemeOf(host: string): "http" | "https" {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host) ? "http" : "https";
}
