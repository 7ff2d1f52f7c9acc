/** The dashboard's Worker: passes /api on, so that the page has one origin, and serves the web app. */
import { pageHeaders } from "./page-headers.ts";

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname === "/api" || pathname.startsWith("/api/")) {
      return env.API.fetch(request);
    }
    const found = await env.ASSETS.fetch(request);
    const headers = new Headers(found.headers);
    // Any address is a page of the app; only a file that an older page asks for may be gone.
    const isGone = pathname.startsWith("/assets/") && /^text\/html\b/.test(headers.get("content-type") ?? "");
    for (const [name, value] of pageHeaders(isGone ? "gone" : pathname)) {
      headers.set(name, value);
    }
    return isGone
      ? new Response("This file belongs to another release: load the page again.\n", { status: 404, headers })
      : new Response(found.body, { status: found.status, headers });
  },
} satisfies ExportedHandler<DashboardEnv>;
