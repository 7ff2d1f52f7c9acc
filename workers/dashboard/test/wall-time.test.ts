import { describe, expect, it } from "vitest";
import { fromWallTime, toWallTime } from "../app/links/wall-time.ts";

describe("the clock on the wall", () => {
  it.each([
    ["2026-07-01T10:00:00.000Z", "Europe/Berlin", "2026-07-01T12:00"],
    ["2026-12-31T23:30:00.000Z", "Asia/Kolkata", "2027-01-01T05:00"],
    ["2026-01-01T00:00:00.000Z", "America/St_Johns", "2025-12-31T20:30"],
  ])("%s is read in %s as %s, and back", (instant, zone, wall) => {
    expect(toWallTime(instant, zone)).toBe(wall);
    expect(fromWallTime(wall, zone)).toBe(instant);
  });

  it("takes the hour that comes twice as the first one, and a skipped one as the hour after it", () => {
    expect(fromWallTime("2026-10-25T02:30", "Europe/Berlin")).toBe("2026-10-25T00:30:00.000Z");
    expect(fromWallTime("2026-03-29T02:30", "Europe/Berlin")).toBe("2026-03-29T01:30:00.000Z");
  });

  it("is empty where nothing was chosen", () => {
    expect([toWallTime(null, "UTC"), fromWallTime("", "UTC"), fromWallTime("2026-1", "UTC")]).toEqual([
      "",
      null,
      null,
    ]);
  });
});
