/** How old a page of the feed may be when an isolate gets it from the data centre's cache. */
import { MADE_AT_HEADER } from "@hopline/core/feed/change-page";
import { expect, it, vi } from "vitest";
import { createFeedSource } from "../../../src/find/feed/feed-source.ts";

/** The cache as workerd has it, with its entries good for ever: the worst one there is. */
function openSource(aheadMs = 0) {
  const clock = { nowMs: 1_000_000 };
  const kept = new Map<string, Response>();
  const asked: string[] = [];
  const locations: unknown[] = [];
  const waiting: (() => void)[] = [];
  const stub = {
    async fetch(url: string) {
      asked.push(new URL(url).pathname.slice(1));
      const number = asked.length;
      await new Promise<void>((resolve) => waiting.push(resolve));
      return new Response(String(number), { headers: { [MADE_AT_HEADER]: String(clock.nowMs + aheadMs) } });
    },
  };
  const source = createFeedSource({
    cacheHost: "feed.test.invalid",
    location: "weur",
    namespace: {
      getByName(_name, options) {
        locations.push(options?.locationHint);
        return stub as unknown as DurableObjectStub;
      },
    },
    openCache: () => ({
      match: async (url) => kept.get(String(url))?.clone(),
      put: async (url, response) => void kept.set(String(url), response),
    }),
    nowMs: () => clock.nowMs,
  });
  const read = async (path: string) =>
    new TextDecoder().decode((await (await source.read(path))?.readBytes()) ?? new ArrayBuffer(0));
  return { clock, asked, locations, read, answer: () => waiting.splice(0).forEach((resolve) => resolve()) };
}

it("asks for the head when its copy is a second old, whatever the cache would still give, and near the database", async () => {
  const { clock, asked, locations, read, answer } = openSource();
  const first = read("head");
  await vi.waitUntil(() => asked.length === 1);
  answer();
  expect(await first).toBe("1");
  clock.nowMs += 999;
  expect(await read("head")).toBe("1");
  clock.nowMs += 1;
  const second = read("head");
  await vi.waitUntil(() => asked.length === 2);
  // While one asks, the others go on with the copy: a feed that is far away is not asked by all of them.
  clock.nowMs += 200;
  expect([await read("head"), await read("head")]).toEqual(["1", "1"]);
  answer();
  expect(await second).toBe("2");
  expect(await read("head")).toBe("2");
  expect([asked, locations]).toEqual([
    ["head", "head"],
    ["weur", "weur"],
  ]);
});

it("asks for the head when its copy is a second old also if the feed's clock is ahead", async () => {
  const { clock, asked, read, answer } = openSource(5_000);
  const first = read("head");
  await vi.waitUntil(() => asked.length === 1);
  answer();
  await first;
  clock.nowMs += 1_000;
  const second = read("head");
  await vi.waitUntil(() => asked.length === 2);
  answer();
  expect(await second).toBe("2");
});
