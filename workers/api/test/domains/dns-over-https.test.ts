/** The DNS client against a resolver of ours, with the answers that Cloudflare's and Google's give. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  createDnsOverHttps,
  describeDnsFault,
  type DnsFault,
  readResolverUrl,
} from "../../src/domains/dns-over-https.ts";

let answer: RequestListener;
const server = createServer((request, response) => answer(request, response));
const name = "_hopline.go.example.com";

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => server.closeAllConnections());
afterAll(() => new Promise((resolve) => server.close(resolve)));

function lookUp(path = "/dns-query", timeoutMs = 5_000) {
  const { port } = server.address() as AddressInfo;
  return createDnsOverHttps({ resolverUrl: `http://127.0.0.1:${port}${path}`, timeoutMs, fetch })(name);
}

const json =
  (body: unknown): RequestListener =>
  (_request, response) =>
    response.setHeader("content-type", "application/dns-json").end(JSON.stringify(body));

it("asks for TXT records in JSON, and keeps what the resolver's URL says", async () => {
  const asked: unknown[] = [];
  answer = (request, response) => {
    asked.push(request.url, request.headers.accept);
    json({ Status: 0 })(request, response);
  };
  expect(await lookUp("/resolve?cd=false")).toEqual({ ok: true, value: [] });
  expect(asked).toEqual([`/resolve?cd=false&name=${name}&type=TXT`, "application/dns-json"]);
});

it.each([
  ["one text", [{ name, type: 16, TTL: 300, data: '"hopline=0123"' }], ["hopline=0123"]],
  ["a text in two strings", [{ type: 16, data: '"hopline=" "0123"' }], ["hopline=0123"]],
  ["a text with quotes in it", [{ type: 16, data: '"say \\"hello\\" \\\\"' }], ['say "hello" \\']],
  ["a text without quotes around it", [{ type: 16, data: "hopline=0123" }], ["hopline=0123"]],
  [
    "texts behind a CNAME",
    [
      { type: 5, data: "proof.example.net." },
      { type: 16, data: '"a"' },
      { type: 16, data: '"b"' },
    ],
    ["a", "b"],
  ],
  ["no text", undefined, []],
])("reads %s", async (_what, Answer, texts) => {
  answer = json({ Status: 0, TC: false, Question: [{ name, type: 16 }], Answer });
  expect(await lookUp()).toEqual({ ok: true, value: texts });
});

it("a name that does not exist has no texts", async () => {
  answer = json({
    Status: 3,
    Authority: [{ name: "example.com", type: 6, TTL: 300, data: "ns. admin. 1 2 3 4 5" }],
  });
  expect(await lookUp()).toEqual({ ok: true, value: [] });
});

it.each<[string, RequestListener, DnsFault, RegExp]>([
  ["SERVFAIL", json({ Status: 2 }), { reason: "dns_status", status: 2 }, /SERVFAIL\): check the zone/],
  ["REFUSED", json({ Status: 5 }), { reason: "dns_status", status: 5 }, /status 5$/],
  [
    "an error of the resolver",
    (_request, response) => response.writeHead(503).end(),
    { reason: "http_status", status: 503 },
    /HTTP status 503/,
  ],
  ["no JSON", (_request, response) => response.end("<html>"), { reason: "malformed" }, /could not be read/],
  ["other JSON", json({ error: "no" }), { reason: "malformed" }, /could not be read/],
  ["a broken connection", (request) => request.socket.destroy(), { reason: "unreachable" }, /did not answer/],
  ["silence", () => undefined, { reason: "unreachable" }, /did not answer/],
])("%s is not a missing record", async (_what, listener, fault, words) => {
  answer = listener;
  expect(await lookUp("/dns-query", fault.reason === "unreachable" ? 300 : 5_000)).toEqual({
    ok: false,
    error: fault,
  });
  expect(describeDnsFault(fault)).toMatch(words);
});

it("a resolver that is not an https URL stops the deployment", () => {
  expect(readResolverUrl({ DNS_RESOLVER_URL: "https://dns.google/resolve" })).toBe(
    "https://dns.google/resolve",
  );
  for (const text of ["", "1.1.1.1", "http://dns.example/"]) {
    expect(() => readResolverUrl({ DNS_RESOLVER_URL: text })).toThrow(
      /^DNS_RESOLVER_URL is not an https URL/,
    );
  }
});
