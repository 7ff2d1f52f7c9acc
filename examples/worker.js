// A Worker that shortens what it is asked for: GET /?url=https://example.com/. Its variable HOPLINE_URL and its secret HOPLINE_KEY
// say where and as whom; the key never leaves it.
export default {
  async fetch(request, env) {
    const url = new URL(request.url).searchParams.get("url");
    const response = await fetch(new URL("/api/v1/links", env.HOPLINE_URL), {
      method: "POST",
      headers: { authorization: `Bearer ${env.HOPLINE_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ url }),
    });
    const answer = await response.json();
    return response.ok
      ? new Response(`${answer.shortUrl}\n`)
      : new Response(`${answer.detail}\n`, { status: response.status });
  },
};
