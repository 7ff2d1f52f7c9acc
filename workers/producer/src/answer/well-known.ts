/** The paths of a short domain that are no links but that every browser and crawler asks for. */

/** Crawlers may follow links; the redirects say `noindex` themselves. */
const ROBOTS_TXT = "User-agent: *\nDisallow: /api/\n";

/** The answer of such a path, or `null` when the path is none of them. */
export function respondWellKnown(path: string): Response | null {
  switch (path) {
    case "/robots.txt":
      return new Response(ROBOTS_TXT, {
        headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "public, max-age=86400" },
      });
    case "/favicon.ico":
      // No icon, and no question about it again for a day.
      return new Response(null, { status: 204, headers: { "cache-control": "public, max-age=86400" } });
    default:
      return null;
  }
}
