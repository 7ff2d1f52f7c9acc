import { describe, expect, it } from "vitest";
import { judgeDay, judgeRange } from "../../src/integrity/judge-days.ts";

const END = Date.UTC(2026, 10, 22);
const QUARTER_MS = 900_000;
const judge = (
  ledger: { waiting?: number; missing?: number },
  nowMs: number,
  countedUntilMs: number | null,
) => judgeDay({ toMs: END, ledger: { waiting: 0, missing: 0, ...ledger } }, { nowMs, countedUntilMs });

describe("a day", () => {
  it.each([
    ["is over, and a later click has come through", {}, QUARTER_MS, 0, "accounted-for"],
    ["has just ended", {}, QUARTER_MS - 1, 0, "arriving"],
    ["is not over", {}, -1, -1, "arriving"],
    ["is over, and no later click has come through", {}, 10 * QUARTER_MS, -1, "arriving"],
    ["has clicks that were seen to be absent just now", { waiting: 1 }, QUARTER_MS, 0, "arriving"],
    ["has clicks that have been absent for longer", { missing: 1, waiting: 1 }, -1, -1, "missing"],
  ] as const)("%s", (_what, ledger, nowOffset, countedOffset, state) => {
    expect(judge(ledger, END + nowOffset, END + countedOffset)).toBe(state);
  });

  it("is not accounted for where nothing was ever counted", () => {
    expect(judge({}, END + QUARTER_MS, null)).toBe("arriving");
  });
});

it("days together are as the worst of them", () => {
  expect(judgeRange(["accounted-for", "accounted-for"])).toBe("accounted-for");
  expect(judgeRange(["accounted-for", "arriving"])).toBe("arriving");
  expect(judgeRange(["arriving", "missing", "accounted-for"])).toBe("missing");
  expect(judgeRange([])).toBe("arriving");
});
