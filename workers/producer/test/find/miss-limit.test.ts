import { describe, expect, it } from "vitest";
import { createMissLimit, type NetworkNotes } from "../../src/find/miss-limit.ts";

const OFFICE = "203.0.113.0";

/** Allows none: each charge that reaches it is refused. */
function aLimit() {
  const charged: string[] = [];
  const binding: RateLimit = {
    limit: ({ key }) => {
      charged.push(key);
      return Promise.resolve({ success: false });
    },
  };
  const notes: NetworkNotes = { limitedUntilMs: new Map(), hits: new Map() };
  const clock = { ms: 1_000 };
  return { limit: createMissLimit(binding, notes, () => clock.ms), charged, notes, clock };
}

describe("a network", () => {
  it("is rate-limited for ten seconds after the binding has said that it asked for too much", async () => {
    const { limit, clock } = aLimit();
    await limit.charge(OFFICE);
    expect(limit.isRateLimited(OFFICE)).toBe(true);
    expect(limit.isRateLimited("198.51.100.0")).toBe(false);
    clock.ms += 10_000;
    expect(limit.isRateLimited(OFFICE)).toBe(false);
  });

  it("pays for one absence with twenty links that the database had", async () => {
    const { limit, charged } = aLimit();
    for (let found = 0; found < 40; found += 1) {
      limit.credit(OFFICE);
    }
    await limit.charge(OFFICE);
    await limit.charge(OFFICE);
    expect(charged).toEqual([]);
    expect(limit.isRateLimited(OFFICE)).toBe(false);
    await limit.charge(OFFICE);
    expect(limit.isRateLimited(OFFICE)).toBe(true);
  });

  it("saves up for twenty absences and no more", async () => {
    const { limit, charged } = aLimit();
    for (let found = 0; found < 10_000; found += 1) {
      limit.credit(OFFICE);
    }
    for (let absence = 0; absence < 30; absence += 1) {
      await limit.charge(OFFICE);
    }
    expect(charged).toHaveLength(10);
  });

  it("that is not known is neither charged nor rate-limited", async () => {
    const { limit, charged } = aLimit();
    limit.credit(null);
    await limit.charge(null);
    expect(charged).toEqual([]);
    expect(limit.isRateLimited(null)).toBe(false);
  });
});

it("of thousands of networks the isolate remembers the latest 1,024", async () => {
  const { limit, notes } = aLimit();
  for (let network = 0; network < 2_000; network += 1) {
    limit.credit(`credited-${network}`);
    await limit.charge(`charged-${network}`);
  }
  expect(notes.hits.size).toBe(1_024);
  expect(notes.limitedUntilMs.size).toBe(1_024);
  expect(limit.isRateLimited("charged-1999")).toBe(true);
  expect(limit.isRateLimited("charged-0")).toBe(false);
});
