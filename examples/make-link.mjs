// Makes a short link: HOPLINE_URL=http://127.0.0.1:8787 HOPLINE_KEY=hop_… node examples/make-link.mjs https://example.com/
const { HOPLINE_URL, HOPLINE_KEY } = process.env;
const [, , url] = process.argv;

const response = await fetch(new URL("/api/v1/links", HOPLINE_URL), {
  method: "POST",
  headers: { authorization: `Bearer ${HOPLINE_KEY}`, "content-type": "application/json" },
  body: JSON.stringify({ url }),
});
const answer = await response.json();
if (!response.ok) {
  // `detail` says what is wrong, and what to do.
  console.error(answer.detail);
  process.exit(1);
}
console.log(answer.shortUrl);
