/** The client over a fetch that answers what it is told. What the API makes of its requests: workers/api/test/http/client.test.ts. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it, vi } from "vitest";
import { createClient } from "../src/client.ts";
import { HoplineError } from "../src/hopline-error.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

type Answer = Response | Error;

/** Answers in their order, and what was sent. */
function open(
  answers: readonly Answer[],
  options: { readonly maxRetries?: number; readonly workspace?: string } = {},
) {
  const sent: Request[] = [];
  const rest = [...answers];
  const fetch = async (request: Request) => {
    sent.push(request);
    const answer = rest.shift() ?? new Error("one request too many");
    if (answer instanceof Error) {
      throw answer;
    }
    return answer;
  };
  return {
    hopline: createClient({ baseUrl: "https://go.example.com", key: "hop_1", fetch, ...options }),
    sent,
  };
}

const json = (body: unknown, init?: ResponseInit) => Response.json(body, init);
const tryAgain = () => problem(503, "database_unavailable", { "retry-after": "0" });

function problem(status: number, code: string, headers: { readonly [name: string]: string } = {}) {
  const body = {
    type: `https://go.example.com/api/problems/${code}`,
    title: "A title",
    detail: "What is wrong.",
    status,
    code,
    requestId: "request-1",
    errors: [{ path: "url", message: "is wrong" }],
  };
  return json(body, { status, headers: { ...headers, "content-type": "application/problem+json" } });
}

it("puts parameters into path and query, repeats lists, and sends the key", async () => {
  const { hopline, sent } = open([json({ data: [], nextCursor: null }), new Response("<svg/>")]);
  await hopline.listLinks({ tag: ["a b", "ü"], search: "x&y", limit: 5 });
  expect(sent[0]?.url).toBe("https://go.example.com/api/v1/links?tag=a+b&tag=%C3%BC&search=x%26y&limit=5");
  expect(sent[0]?.headers.get("authorization")).toBe("Bearer hop_1");
  await hopline.readQrCode({ linkId: "a/../b?c", format: "svg" });
  expect(sent[1]?.url).toBe("https://go.example.com/api/v1/links/a%2F..%2Fb%3Fc/qr?format=svg");
});

it("sends no key where it has none: the page's cookie says who calls", async () => {
  const sent: Request[] = [];
  const fetch = async (request: Request) => {
    sent.push(request);
    return json({ data: [], nextCursor: null });
  };
  await createClient({ baseUrl: "https://app.example.com", fetch }).listLinks();
  expect([sent[0]?.headers.has("authorization"), sent[0]?.credentials]).toEqual([false, "same-origin"]);
  expect(sent[0]?.headers.has("hopline-workspace")).toBe(false);
});

it("is told the workspace once, and names it in every request, further pages and repeated ones too", async () => {
  const { hopline, sent } = open(
    [json({ data: [{}], nextCursor: "2" }), tryAgain(), json({ data: [], nextCursor: null }), json({})],
    { workspace: "ws_1" },
  );
  for await (const link of hopline.listLinks()) {
    expect(link).toEqual({});
  }
  await hopline.createTag({ body: { name: "x" } });
  expect(sent.map(({ headers }) => headers.get("hopline-workspace"))).toEqual(Array(4).fill("ws_1"));
});

it.each([".", "..", ""])("does not send a path parameter %j, which leads elsewhere", async (linkId) => {
  const { hopline, sent } = open([]);
  await expect(hopline.deleteLink({ linkId })).rejects.toThrow("linkId");
  expect(sent).toEqual([]);
});

it("answers the body of JSON, nothing for 204, and the response of anything else", async () => {
  const { hopline } = open([
    json({ id: "lnk_1" }),
    new Response(null, { status: 204 }),
    new Response("<svg/>"),
  ]);
  expect(await hopline.readLink({ linkId: "lnk_1" })).toEqual({ id: "lnk_1" });
  expect(await hopline.deleteLink({ linkId: "lnk_1" })).toBeUndefined();
  expect(await (await hopline.readQrCode({ linkId: "lnk_1" })).text()).toBe("<svg/>");
});

it("throws a problem with its code, its fields, its request's id and its headers", async () => {
  const { hopline } = open([problem(422, "invalid", { "x-any": "1" })]);
  const error: unknown = await hopline.createLink({ body: { url: "x" } }).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(HoplineError);
  expect(error).toMatchObject({
    status: 422,
    code: "invalid",
    message: "422 invalid: What is wrong.",
    requestId: "request-1",
    problem: { errors: [{ path: "url" }] },
  });
  expect(error instanceof HoplineError && error.headers.get("x-any")).toBe("1");
});

it.each([
  ["a page of a proxy", new Response("<html>", { status: 404 })],
  [
    "a problem cut short",
    new Response("{", { status: 404, headers: { "content-type": "application/problem+json" } }),
  ],
])("throws %s as unknown", async (_what, answer) => {
  const { hopline } = open([answer]);
  await expect(hopline.readLink({ linkId: "lnk_1" })).rejects.toMatchObject({
    name: "HoplineError",
    status: 404,
    code: "unknown",
    problem: null,
    requestId: null,
  });
});

it("repeats a POST under one Idempotency-Key, and the next one under another", async () => {
  const { hopline, sent } = open([tryAgain(), new TypeError("lost"), json({}), json({})]);
  vi.useFakeTimers();
  const body = { url: "https://example.com/" };
  const first = hopline.createLink({ body });
  await vi.runAllTimersAsync();
  await first;
  vi.useRealTimers();
  await hopline.createLink({ body }, { idempotencyKey: "mine" });
  const keys = sent.map(({ headers }) => headers.get("idempotency-key"));
  expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0], keys[0], "mine"]);
  expect(await Promise.all(sent.map((request) => request.json()))).toEqual([body, body, body, body]);
});

it.each([
  ["signing in", "signIn", { body: { email: "ada@example.com", password: "correct horse battery" } }],
  ["opening the link of an email", "openSignInLink", { body: { token: "vYkQzBtTnLwXcGdHsRmJpFqZ" } }],
  ["leaving a workspace", "leaveWorkspace", { workspaceId: "ws_1" }],
] as const)(
  "does not repeat %s whose answer was lost, which would be done twice or look undone",
  async (_what, name, input) => {
    const { hopline, sent } = open([new TypeError("lost")]);
    const call: (input: never) => PromiseLike<unknown> = hopline[name];
    await expect(call(input as never)).rejects.toThrow("lost");
    expect(sent.map(({ headers }) => headers.get("idempotency-key"))).toEqual([null]);
  },
);

it("gives up after so many retries, with what came last", async () => {
  const { hopline, sent } = open([tryAgain(), tryAgain()], { maxRetries: 1 });
  await expect(hopline.readLink({ linkId: "lnk_1" })).rejects.toMatchObject({ code: "database_unavailable" });
  expect(sent).toHaveLength(2);
});

it("does not repeat a PATCH whose answer was lost: nobody knows whether it was carried out", async () => {
  const { hopline, sent } = open([new TypeError("lost")]);
  await expect(hopline.updateLink({ linkId: "lnk_1", body: { title: "x" } })).rejects.toThrow("lost");
  expect(sent).toHaveLength(1);
});

it("stops waiting for a retry when its signal is aborted", async () => {
  const { hopline, sent } = open([problem(503, "database_unavailable", { "retry-after": "60" })]);
  const stop = new AbortController();
  const call = hopline.readLink({ linkId: "lnk_1" }, { signal: stop.signal });
  await sleep(0);
  stop.abort(new Error("enough"));
  await expect(call).rejects.toThrow("enough");
  expect(sent).toHaveLength(1);
});

it("ends a stream by its signal also after a garbage collection, which makes Node forget a request's own", async () => {
  const server = createServer((_request, answer) => {
    answer.writeHead(200, { "content-type": "text/event-stream" });
    answer.write("event: ready\n\n");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const hopline = createClient({ baseUrl: `http://127.0.0.1:${port}`, key: "hop_1" });
  const stop = new AbortController();
  const { body } = await hopline.streamLiveClicks({}, { signal: stop.signal });
  const reader = body?.getReader();
  await reader?.read();
  collectGarbage();
  stop.abort(new Error("enough"));
  await expect(reader?.read()).rejects.toThrow("enough");
  server.closeAllConnections();
  server.close();
});

it("reads a list page after page, each when the one before is used up", async () => {
  const pages = [
    json({ data: [1, 2], nextCursor: "next" }),
    json({ data: [], nextCursor: "last" }),
    json({ data: [3], nextCursor: null }),
  ];
  const { hopline, sent } = open(pages);
  const seen: unknown[] = [];
  for await (const link of hopline.listLinks({ tag: ["a"] })) {
    seen.push([link, sent.length]);
  }
  expect(seen).toEqual([
    [1, 1],
    [2, 1],
    [3, 3],
  ]);
  expect(sent.map(({ url }) => new URL(url).search)).toEqual([
    "?tag=a",
    "?tag=a&cursor=next",
    "?tag=a&cursor=last",
  ]);
});

it("has the headers of an answer for who asks", async () => {
  const { hopline } = open([json({ version: 3 }, { headers: { etag: '"v3.9c56cc51b374c3ba"' } })]);
  const { data, response } = await hopline.readLink({ linkId: "lnk_1" }).withResponse();
  expect([data.version, response.headers.get("etag")]).toEqual([3, '"v3.9c56cc51b374c3ba"']);
});

it("reports a failure once, to whoever waits for it", async () => {
  const unhandled = vi.fn<() => void>();
  process.on("unhandledRejection", unhandled);
  const { hopline } = open([problem(404, "not_found"), problem(404, "not_found")]);
  await expect(hopline.readLink({ linkId: "lnk_1" }).withResponse()).rejects.toMatchObject({ status: 404 });
  await expect(hopline.listLinks()[Symbol.asyncIterator]().next()).rejects.toMatchObject({ status: 404 });
  await sleep(0);
  process.off("unhandledRejection", unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});
