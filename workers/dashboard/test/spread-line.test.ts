import type { CacheStatus } from "@hopline/client/openapi";
import { expect, it } from "vitest";
import { describeSpread } from "../app/links/describe-spread.ts";

const SAVED_AT = "2026-11-22T12:00:00.000Z";
const toTime = (instant: string) => instant.slice(11, 19);
const describeStatus = (status: Partial<CacheStatus>) =>
  describeSpread(
    {
      state: "pending",
      database: { version: 2 },
      kv: null,
      feed: null,
      expectedBy: null,
      worstCaseEndsAt: null,
      ...status,
    },
    SAVED_AT,
    toTime,
  );

it("claims nothing before the change feed has announced the version", () => {
  expect(describeStatus({}).text).toBe("Saved, not announced yet");
  const older = { version: 1, announcedAt: "2026-11-22T11:00:00.000Z" };
  expect(describeStatus({ feed: older }).text).toBe("Saved, not announced yet");
});

it("says when it was announced and by when it is expected, and who may be later", () => {
  const feed = { version: 2, announcedAt: "2026-11-22T12:00:00.300Z" };
  const spreading = { state: "spreading" as const, feed, expectedBy: "2026-11-22T12:00:02.300Z" };
  const { text, basis } = describeStatus({ ...spreading, worstCaseEndsAt: "2026-11-22T12:02:00.000Z" });
  expect(text).toBe("Announced after 0.3 s, expected everywhere by 12:00:02");
  expect(basis).toContain("may stay older until 12:02:00");
  expect(describeStatus(spreading).basis).toContain("KV does not have it yet");
});

it("says that it is in effect everywhere only once no cache can be older", () => {
  expect(describeStatus({ state: "settled" }).text).toBe("In effect everywhere");
});
