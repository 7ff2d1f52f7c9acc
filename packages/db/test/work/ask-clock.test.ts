import { expect, it } from "vitest";
import { createWorkClock } from "../../src/work/ask-clock.ts";

it("announces once in ten seconds, and again at once what the clock did not hear", async () => {
  let nowMs = 0;
  let isUp = true;
  let heard = 0;
  const clock = createWorkClock({
    namespace: {
      getByName: () => ({
        fetch: async () => {
          heard += isUp ? 1 : 0;
          return new Response("", { status: isUp ? 200 : 503 });
        },
      }),
    },
    worker: "api",
    nowMs: () => nowMs,
    onFailure: () => undefined,
  });
  const announceAt = async (atMs: number) => {
    nowMs = atMs;
    await clock.announce();
    return heard;
  };
  expect([await announceAt(0), await announceAt(9_999), await announceAt(10_000)]).toEqual([1, 1, 2]);
  isUp = false;
  await announceAt(20_000);
  isUp = true;
  expect([await announceAt(20_001), await announceAt(20_002)]).toEqual([3, 3]);
});
