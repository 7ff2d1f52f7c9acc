/** How old a page of the feed may be when an isolate gets it from the data centre's cache. */
import { MADE_AT_HEADER } from "@hopline/core/feed/change-page";
import { expect, it } from "vitest";
import { createFeedSource } from "../../../src/find/feed/feed-source.ts";

/** The cache as workerd has it, with its entries good for ever: the worst one there is. */
function openSource() {
  const clock = { nowMs: 1_000_000 };
  const kept = new Map<string, Response>();
  const asked: string[] = [];
  const stub = {
    async fetch(url: string) {
      asked.push(new URL(url).pathname.slice(1));
      return new Response(String(asked.length), { headers: { [MADE_AT_HEADER]: String(clock.nowMs) } });
    },
  };
  const source = createFeedSource({
    cacheHost: "feed.test.invalid",
    namespace: { getByName: () => stub as unknown as DurableObjectStub },
    openCache: () => ({
      match: async (url) => kept.get(String(url))?.clone(),
      put: async (url, response) => void kept.set(String(url), response),
    }),
    nowMs: () => clock.nowMs,
  });
  const read = async (path: string) => (await source.read(path))?.readText();
  return { clock, asked, read, kept };
}

it("has the head of less than 800 ms ago, whatever the cache would still give", async () => {
  const { clock, asked, read } = openSource();
  expect(await read("head")).toBe("1");
  clock.nowMs += 799;
  expect(await read("head")).toBe("1");
  clock.nowMs += 1;
  expect(await read("head")).toBe("2");
  expect(asked).toEqual(["head", "head"]);
});

it("asks anew each time where one isolate reads every second", async () => {
  const { clock, asked, read } = openSource();
  for (let second = 0; second < 5; second += 1) {
    await read("head");
    clock.nowMs += 1_000;
  }
  expect(asked.length).toBe(5);
});

it("asks 1.25 times a second at most, however many isolates of a data centre read once a second", async () => {
  const { clock, asked, read } = openSource();
  const seconds = 60;
  // Forty isolates at their own moments of the second: a read every 25 ms.
  for (let reads = 0; reads < 40 * seconds; reads += 1) {
    await read("head");
    clock.nowMs += 25;
  }
  expect(asked.length).toBe(1.25 * seconds);
});

it("keeps a block for as long as the cache does: it never changes", async () => {
  const { clock, asked, read } = openSource();
  await read("feed/3");
  clock.nowMs += 60_000;
  expect(await read("feed/3")).toBe("1");
  expect(asked).toEqual(["feed/3"]);
});

it("is cached under one key for a whole data centre, whichever host is visited", async () => {
  const { read, kept } = openSource();
  await read("head");
  await read("head");
  expect([...kept.keys()]).toEqual(["https://feed.test.invalid/.hopline/change-feed/head"]);
});
