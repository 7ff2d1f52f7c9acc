import { describe, expect, it } from "vitest";
import {
  afterFailure,
  afterSuccess,
  type FeedState,
  planRead,
  READ_INTERVAL_MS,
  UNREAD,
} from "../../../src/find/feed/plan-read.ts";

const READ_AT_MS = 1_000_000;
const cursor = { feedId: "feed", sequence: 7 };
const wellRead = readAt(READ_AT_MS, READ_AT_MS);

describe("an isolate", () => {
  it.each<[string, FeedState, number, string]>([
    ["that has just begun reads first", UNREAD, 0, "read_first"],
    ["that read this second trusts what it holds", wellRead, 999, "trust"],
    ["that is visited all the time reads once a second, behind the response", wellRead, 1_000, "read_behind"],
    ["that has heard nothing for two seconds still answers at once", wellRead, 2_000, "read_behind"],
    ["that has heard nothing for longer reads first", wellRead, 2_001, "read_first"],
    [
      "whose last page was a second old counts from the page",
      readAt(READ_AT_MS - 900, READ_AT_MS),
      1_101,
      "read_first",
    ],
    ["whose page is old but that has just asked does not ask again", readAt(0, READ_AT_MS), 249, "trust"],
    [
      "whose page was old, because another isolate was renewing it, asks again soon",
      readAt(READ_AT_MS - 1_000, READ_AT_MS),
      250,
      "read_behind",
    ],
    [
      "whose read is under way asks no more for a second",
      { ...readAt(READ_AT_MS - 1_000, READ_AT_MS), isReading: true },
      999,
      "trust",
    ],
  ])("%s", (_what, state, laterMs, plan) => {
    expect(planRead(state, READ_AT_MS + laterMs, READ_INTERVAL_MS)).toBe(plan);
  });
});

describe("a feed that fails", () => {
  it("is asked after 2, 4, 8 and 16 s, then every 30 s, and no visitor waits for it", () => {
    let state = wellRead;
    for (const pauseMs of [2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
      state = afterFailure(state);
      expect(planRead(state, READ_AT_MS + pauseMs - 1, READ_INTERVAL_MS)).toBe("trust");
      expect(planRead(state, READ_AT_MS + pauseMs, READ_INTERVAL_MS)).toBe("read_behind");
    }
  });

  it("is back at its pace with the first answer", () => {
    const failing = afterFailure(afterFailure(wellRead));
    const back = afterSuccess(failing, { cursor, knownAtMs: READ_AT_MS, tookMs: 20, hasNews: false });
    expect(planRead(back, READ_AT_MS + 1_000, READ_INTERVAL_MS)).toBe("read_behind");
  });
});

it("asks a slow feed less often, up to every 8 s", () => {
  let state = wellRead;
  for (const pauseMs of [2_000, 4_000, 8_000, 8_000]) {
    state = afterSuccess(state, { cursor, knownAtMs: READ_AT_MS, tookMs: 501, hasNews: false });
    expect(planRead(state, READ_AT_MS + pauseMs - 1, READ_INTERVAL_MS)).toBe("trust");
    expect(planRead(state, READ_AT_MS + pauseMs, READ_INTERVAL_MS)).not.toBe("trust");
  }
});

it("takes nothing back for a read that overlapped and ended later, with an older page", () => {
  const older = {
    cursor: { feedId: "feed", sequence: 6 },
    knownAtMs: READ_AT_MS - 1_500,
    tookMs: 20,
    hasNews: false,
  };
  expect(afterSuccess(wellRead, older)).toMatchObject({ cursor, knownAtMs: READ_AT_MS });
});

function readAt(knownAtMs: number, attemptedAtMs: number): FeedState {
  return { ...UNREAD, cursor, knownAtMs, attemptedAtMs };
}

it("keeps its pace with a slow feed that brings news: to ask less often would only make each read slower", () => {
  const read = { cursor, knownAtMs: READ_AT_MS, tookMs: 1_500, hasNews: true };
  const state = afterSuccess(afterSuccess(wellRead, read), read);
  expect(planRead(state, READ_AT_MS + 1_000, READ_INTERVAL_MS)).toBe("read_behind");
});
