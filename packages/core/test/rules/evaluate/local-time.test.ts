import { describe, expect, it, vi } from "vitest";
import { createLocalTime, isKnownZone } from "../../../src/rules/evaluate/local-time.ts";

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

function clock(zone: string, instant: string, localTime = createLocalTime()): string | null {
  const minuteOfWeek = localTime(zone, Date.parse(instant));
  if (minuteOfWeek === null) {
    return null;
  }
  const [hours, minutes] = [Math.floor((minuteOfWeek % 1440) / 60), minuteOfWeek % 60];
  return `${DAYS[Math.floor(minuteOfWeek / 1440)]} ${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`;
}

describe("local time", () => {
  it.each([
    ["Europe/Berlin", "2026-03-29T00:59:59Z", "Sun 01:59"],
    ["Europe/Berlin", "2026-03-29T01:00:00Z", "Sun 03:00"],
    ["Europe/Berlin", "2026-10-25T00:59:59Z", "Sun 02:59"],
    ["Europe/Berlin", "2026-10-25T01:00:00Z", "Sun 02:00"],
    ["America/New_York", "2026-03-08T06:59:59Z", "Sun 01:59"],
    ["America/New_York", "2026-03-08T07:00:00Z", "Sun 03:00"],
    ["America/New_York", "2026-11-01T05:59:59Z", "Sun 01:59"],
    ["America/New_York", "2026-11-01T06:00:00Z", "Sun 01:00"],
    ["Asia/Kathmandu", "2026-06-14T18:14:59Z", "Sun 23:59"],
    ["Asia/Kathmandu", "2026-06-14T18:15:00Z", "Mon 00:00"],
    ["Australia/Lord_Howe", "2026-04-04T14:59:59Z", "Sun 01:59"],
    ["Australia/Lord_Howe", "2026-04-04T15:00:00Z", "Sun 01:30"],
    ["Australia/Lord_Howe", "2026-10-03T15:29:59Z", "Sun 01:59"],
    ["Australia/Lord_Howe", "2026-10-03T15:30:00Z", "Sun 02:30"],
    ["Pacific/Apia", "2026-06-14T10:59:59Z", "Sun 23:59"],
    ["Pacific/Apia", "2026-06-14T11:00:00Z", "Mon 00:00"],
    // The Friday that Samoa skipped.
    ["Pacific/Apia", "2011-12-30T09:59:59Z", "Thu 23:59"],
    ["Pacific/Apia", "2011-12-30T10:00:00Z", "Sat 00:00"],
    ["UTC", "1969-12-31T23:59:59Z", "Wed 23:59"],
  ])("in %s at %s is %s", (zone, instant, expected) => {
    expect(clock(zone, instant)).toBe(expected);
  });

  it("follows the zone when one table is asked back and forth over a change", () => {
    const localTime = createLocalTime();
    const asked = ["01:00:00", "00:59:59", "01:00:00"].map((time) =>
      clock("Europe/Berlin", `2026-03-29T${time}Z`, localTime),
    );
    expect(asked).toEqual(["Sun 03:00", "Sun 01:59", "Sun 03:00"]);
  });

  it("agrees with Intl at both sides of every change of every zone in 2026 and 2027", () => {
    const localTime = createLocalTime();
    let changes = 0;
    for (const zone of Intl.supportedValuesOf("timeZone")) {
      const format = new Intl.DateTimeFormat("en-GB", {
        timeZone: zone,
        weekday: "short",
        hour: "2-digit",
        minute: "2-digit",
      });
      const shown = (atMs: number) => format.format(atMs).replace(",", "");
      for (const changeMs of findChanges(zone)) {
        changes += 1;
        expect(changeMs % 900_000, `${zone} changes on a quarter hour`).toBe(0);
        for (const atMs of [changeMs - 1, changeMs, changeMs + 1, changeMs + 900_000]) {
          expect(clock(zone, new Date(atMs).toISOString(), localTime)).toBe(shown(atMs));
        }
      }
    }
    expect(changes).toBeGreaterThan(300);
  });

  it("makes one formatter a zone and quarter hour, not one a visitor", () => {
    const made = vi.spyOn(Intl, "DateTimeFormat");
    const localTime = createLocalTime();
    const startMs = Date.parse("2026-06-15T12:00:00Z");
    for (let second = 0; second < 900; second += 1) {
      localTime("Europe/Berlin", startMs + second * 1000);
    }
    expect(made).toHaveBeenCalledTimes(1);
    localTime("Europe/Berlin", startMs + 900_000);
    expect(made).toHaveBeenCalledTimes(2);
    made.mockRestore();
  });

  it("has no answer for a zone that this runtime does not know", () => {
    expect(clock("Europe/Berln", "2026-06-15T12:00:00Z")).toBeNull();
  });

  it("has no answer for an instant outside the calendar", () => {
    expect(createLocalTime()("Europe/Berlin", 9e15)).toBeNull();
  });

  it.each([
    ["Europe/Berlin", true],
    ["UTC", true],
    ["Asia/Calcutta", true],
    ["Europe/Berln", false],
    ["+05:45", false],
    ["", false],
  ])("knows whether %j is a zone: %s", (zone, expected) => {
    expect(isKnownZone(zone)).toBe(expected);
  });
});

function findChanges(zone: string): readonly number[] {
  const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
  const offset = (atMs: number) => format.format(atMs).split("GMT")[1];
  const changes: number[] = [];
  const stepMs = 10 * 86_400_000;
  for (let atMs = Date.UTC(2026, 0); atMs < Date.UTC(2028, 0); atMs += stepMs) {
    if (offset(atMs) !== offset(atMs + stepMs)) {
      let [before, after] = [atMs, atMs + stepMs];
      while (after - before > 1_000) {
        const middle = Math.floor((before + after) / 2_000) * 1_000;
        [before, after] = offset(middle) === offset(atMs) ? [middle, after] : [before, middle];
      }
      changes.push(after);
    }
  }
  return changes;
}
