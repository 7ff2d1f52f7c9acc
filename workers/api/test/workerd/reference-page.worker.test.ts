/** The script of the reference page, served from this Worker's static assets. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { fetchReferenceScript } from "../../src/http/reference-page.ts";

const ask = (headers: Record<string, string> = {}) =>
  fetchReferenceScript(new Request("https://go.example.com/api/docs/scalar.js", { headers }), env.ASSETS);

it("is Scalar's whole browser build, and is not sent again to a client that has it", async () => {
  const script = await ask();
  expect([script.status, script.headers.get("content-type")]).toEqual([
    200,
    expect.stringContaining("javascript"),
  ]);
  expect(await script.text()).toContain("createApiReference");
  const again = await ask({ "if-none-match": script.headers.get("etag") ?? "" });
  expect([again.status, await again.text()]).toEqual([304, ""]);
});
