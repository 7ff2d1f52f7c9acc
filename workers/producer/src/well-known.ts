/** The paths of a short domain that are no links but that every browser and crawler asks for. */
import { makePage } from "./page.ts";
import { respondPage } from "./respond.ts";

/** Crawlers may follow links; the redirects say `noindex` themselves. */
const ROBOTS_TXT = "User-agent: *\nDisallow: /api/\n";

const NO_SLUG = makePage({
  status: 404,
  code: "no_slug",
  title: "Nothing here",
  message: "This host serves short links. Add the part that follows the slash.",
});

/** The answer of a path that is not a slug, or `null` when the path is nothing in particular. */
export function respondWellKnown(path: string, request: Request): Response | null {
  switch (path) {
    case "/":
      return respondPage(request, NO_SLUG);
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
