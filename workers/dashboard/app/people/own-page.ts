/** A page of this app, from an address that anybody may have written: `?next=` of the sign-in page. Pure. */

/**
 * Path, query and fragment; `undefined` for what leads elsewhere. Read as a browser reads it: `/\t/example.com` and
 * `/\example.com` are addresses of another host, and `/.//example.com` is a path that would be one.
 */
export function ownPage(next: string | undefined, origin: string): string | undefined {
  const url = next?.startsWith("/") === true ? URL.parse(next, origin) : null;
  const isOwn = url?.origin === origin && !url.pathname.startsWith("//");
  return isOwn ? url.pathname + url.search + url.hash : undefined;
}
