import { describe, expect, it } from "vitest";
import { describeIntegrity } from "../app/integrity/describe-integrity.ts";

type Told = Parameters<typeof describeIntegrity>[0];
type Day = Told["days"][number];

const COUNTS = {
  accepted: 0,
  inserted: 0,
  duplicate: 0,
  rejected: 0,
  waiting: 0,
  missing: 0,
};

function aDay(day: number, change: Partial<Day> = {}): Day {
  const at = (date: number) => new Date(Date.UTC(2026, 10, date)).toISOString();
  return { from: at(day), to: at(day + 1), state: "accounted-for", ...COUNTS, ...change };
}

function told(change: Partial<Told>): Told {
  const days = change.days ?? [aDay(20), aDay(21)];
  return {
    from: days[0]?.from ?? "2026-11-22T00:00:00Z",
    to: days.at(-1)?.to ?? "2026-11-22T00:00:00Z",
    state: "accounted-for",
    countedUntil: "2026-11-22T09:30:00Z",
    ...COUNTS,
    ...change,
    days,
  };
}

const textOf = (change: Partial<Told>, timeZone = "UTC") => {
  const { title, text } = describeIntegrity(told(change), timeZone);
  return `${title} ${text}`;
};

describe("what the ledger says", () => {
  it("is that every click is accounted for, with where they are", () => {
    expect(textOf({ accepted: 1_204, inserted: 1_201, rejected: 3 })).toBe(
      "Every click from 20 Nov 2026 to 21 Nov 2026 is accounted for. 1,204 clicks accepted at the edge: 1,201 stored, 3 in dead letters.",
    );
  });

  it("is never that while the range is not complete", () => {
    const days = [aDay(20), aDay(21, { state: "arriving" })];
    const changes: readonly Partial<Told>[] = [
      { state: "arriving", days },
      { state: "arriving", days, countedUntil: null },
      { state: "arriving", days: [] },
      { state: "missing", days: [aDay(20, { state: "missing", missing: 2 })], missing: 2 },
    ];
    for (const change of changes) {
      expect(textOf(change)).not.toMatch(/accounted for\b/);
    }
  });

  it("is why a day can still grow", () => {
    const days = [aDay(20, { state: "arriving" }), aDay(21, { state: "arriving" })];
    expect(textOf({ state: "arriving", days, waiting: 3 })).toBe(
      "No click is missing so far. The newest click that was counted is from 22 Nov 2026, 09:30, so the last 2 days can still grow. 3 clicks are known to be on their way. A day is confirmed once it is over and a later click was counted.",
    );
  });

  it("is how many are missing and on which days, in the zone", () => {
    const missing = (day: number) => aDay(day, { state: "missing", missing: 1 });
    expect(textOf({ state: "missing", missing: 1, days: [missing(20)] }, "Asia/Tokyo")).toBe(
      "1 click is missing. The edge numbered it on 20 Nov 2026, and it is neither stored nor in a dead letter. There was none.",
    );
    const days = [16, 17, 18, 19, 20].map(missing);
    expect(textOf({ state: "missing", missing: 5, accepted: 9, inserted: 4, days })).toContain(
      "on 16 Nov 2026, 17 Nov 2026, 18 Nov 2026 and 2 other days, and they are",
    );
  });
});
