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

it.each([
  ["2026-11-22T12:00:00.004Z", "Announced at once"],
  // A domain's change or a repair: the edit itself was two months ago.
  ["2027-01-22T15:30:00.000Z", "Announced at 15:30:00"],
])("does not blame an edit for when it was announced: %s", (announcedAt, text) => {
  const status = { feed: { version: 2, announcedAt }, expectedBy: "2027-01-22T15:30:02.000Z" };
  expect(describeStatus(status).text).toMatch(new RegExp(`^${text}, expected`));
});

it("says that it is in effect everywhere only once no cache can be older", () => {
  expect(describeStatus({ state: "settled" }).text).toBe("In effect everywhere");
});
