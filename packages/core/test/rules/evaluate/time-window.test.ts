import { describe, expect, it } from "vitest";
import { createLocalTime } from "../../../src/rules/evaluate/local-time.ts";
import type { TimeWindow } from "../../../src/rules/rule.ts";
import { isWithin } from "../../../src/rules/evaluate/time-window.ts";

const localTime = createLocalTime();

function at(time: TimeWindow, instant: string): boolean {
  return isWithin(time, Date.parse(instant), localTime);
}

/** Minutes after midnight. */
const h = (hours: number, minutes = 0) => hours * 60 + minutes;

/** The minutes of UTC in [from, to) that lie in the window. */
function minutesWithin(time: TimeWindow, from: string, to: string): number {
  let count = 0;
  for (let atMs = Date.parse(from); atMs < Date.parse(to); atMs += 60_000) {
    count += isWithin(time, atMs, localTime) ? 1 : 0;
  }
  return count;
}

describe("a time window", () => {
  const office: TimeWindow = {
    zone: "Europe/Berlin",
    days: [1, 2, 3, 4, 5],
    startMinute: h(9),
    endMinute: h(17),
  };

  it.each([
    ["2026-06-15T06:59:59Z", false],
    ["2026-06-15T07:00:00Z", true],
    ["2026-06-15T14:59:59Z", true],
    ["2026-06-15T15:00:00Z", false],
    ["2026-06-14T10:00:00Z", false],
  ])("of office hours holds %s: %s", (instant, expected) => {
    expect(at(office, instant)).toBe(expected);
  });

  const fridayNight: TimeWindow = { zone: "Europe/Berlin", days: [5], startMinute: h(22), endMinute: h(6) };

  it.each([
    ["the evening it starts", "2026-06-19T20:00:00Z", true],
    ["just before it starts", "2026-06-19T19:59:59Z", false],
    ["after midnight, by the weekday it started on", "2026-06-19T22:30:00Z", true],
    ["until it ends on Saturday", "2026-06-20T03:59:59Z", true],
    ["no longer than that", "2026-06-20T04:00:00Z", false],
    ["not the early hours of its own weekday", "2026-06-19T02:00:00Z", false],
    ["not the evening of the day after", "2026-06-20T20:30:00Z", false],
  ])("that wraps midnight covers %s", (_what, instant, expected) => {
    expect(at(fridayNight, instant)).toBe(expected);
  });

  it("that starts on a Sunday night reaches into Monday", () => {
    const sunday: TimeWindow = { zone: "Europe/Berlin", days: [7], startMinute: h(23), endMinute: h(1) };
    expect(at(sunday, "2026-06-14T22:30:00Z")).toBe(true);
    expect(at(sunday, "2026-06-15T22:30:00Z")).toBe(false);
  });

  it("that wraps midnight into the night of the change still belongs to Saturday", () => {
    const saturday: TimeWindow = { zone: "Europe/Berlin", days: [6], startMinute: h(22), endMinute: h(4) };
    // 22:00 to 04:00 on the clock: six hours, less the skipped one, more the doubled one.
    expect(minutesWithin(saturday, "2026-03-28T00:00Z", "2026-03-30T00:00Z")).toBe(5 * 60);
    expect(minutesWithin(saturday, "2026-10-24T00:00Z", "2026-10-26T00:00Z")).toBe(7 * 60);
    expect(minutesWithin(saturday, "2026-06-13T00:00Z", "2026-06-15T00:00Z")).toBe(6 * 60);
  });

  it("does so west of Greenwich too, where the clocks change on other days", () => {
    const saturday: TimeWindow = { zone: "America/New_York", days: [6], startMinute: h(22), endMinute: h(4) };
    expect(minutesWithin(saturday, "2026-03-07T00:00Z", "2026-03-09T12:00Z")).toBe(5 * 60);
    expect(minutesWithin(saturday, "2026-10-31T00:00Z", "2026-11-02T12:00Z")).toBe(7 * 60);
  });

  it.each([
    ["the evening it starts", "2026-06-19T16:15:00Z", true],
    ["just before it starts", "2026-06-19T16:14:59Z", false],
    ["after midnight, by the weekday it started on", "2026-06-19T18:15:00Z", true],
    ["until it ends on Saturday", "2026-06-20T00:14:59Z", true],
    ["no longer than that", "2026-06-20T00:15:00Z", false],
  ])("that wraps midnight at +05:45 covers %s", (_what, instant, expected) => {
    expect(at({ ...fridayNight, zone: "Asia/Kathmandu" }, instant)).toBe(expected);
  });

  it.each([
    ["Europe/Berlin", "2026-03-29", h(2), h(3), 0],
    ["Europe/Berlin", "2026-03-29", h(1, 30), h(3, 30), 60],
    ["Europe/Berlin", "2026-10-25", h(2), h(3), 120],
    ["Europe/Berlin", "2026-10-25", h(2, 30), h(2, 45), 30],
    ["America/New_York", "2026-03-08", h(2), h(3), 0],
    ["America/New_York", "2026-11-01", h(1), h(2), 120],
    ["Australia/Lord_Howe", "2026-10-04", h(1, 30), h(2, 30), 30],
    ["Australia/Lord_Howe", "2026-04-05", h(1, 30), h(2), 60],
    ["Asia/Kathmandu", "2026-06-15", h(0), h(0, 45), 45],
    ["Pacific/Apia", "2026-06-15", h(0), h(24), 1_440],
  ])(
    "in %s on %s from minute %d to %d is open for %d minutes",
    (zone, day, startMinute, endMinute, minutes) => {
      const time: TimeWindow = { zone, startMinute, endMinute };
      const format = new Intl.DateTimeFormat("en-CA", { timeZone: zone });
      const firstMs = Date.parse(`${day}T00:00Z`) - 20 * 3_600_000;
      const open = Array.from({ length: 60 * 60 }, (_, index) => firstMs + index * 60_000).filter(
        (atMs) => format.format(atMs) === day && isWithin(time, atMs, localTime),
      );
      expect(open).toHaveLength(minutes);
    },
  );

  it("by weekday alone covers the whole local day", () => {
    const monday: TimeWindow = { zone: "Pacific/Apia", days: [1] };
    expect(at(monday, "2026-06-14T10:59:59Z")).toBe(false);
    expect(at(monday, "2026-06-14T11:00:00Z")).toBe(true);
    expect(minutesWithin(monday, "2026-06-14T00:00Z", "2026-06-20T00:00Z")).toBe(1_440);
  });

  it("between instants includes the first and excludes the last, to the millisecond", () => {
    const time: TimeWindow = { fromMs: 1_000, untilMs: 2_000 };
    expect([999, 1_000, 1_999, 2_000].map((nowMs) => isWithin(time, nowMs, localTime))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it("of a zone that this runtime does not know is closed", () => {
    expect(at({ zone: "Mars/Olympus", days: [1, 2, 3, 4, 5, 6, 7] }, "2026-06-15T12:00:00Z")).toBe(false);
  });
});
