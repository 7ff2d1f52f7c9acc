/** Answers everything with the same 302: no link, no cache, no click. */
const HEADERS = { location: "https://example.com/landing", "cache-control": "private, no-store" };

export default {
  fetch() {
    return new Response(null, { status: 302, headers: HEADERS });
  },
};
