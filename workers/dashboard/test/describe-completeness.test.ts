import { expect, it } from "vitest";
import { describeCompleteness } from "../app/analytics/describe-completeness.ts";

const TODAY = {
  from: "2026-11-24T23:00:00.000Z",
  to: "2026-11-25T23:00:00.000Z",
  timeZone: "Europe/Zurich",
  complete: false,
  completeUntil: null,
};

it.each([
  [{ complete: true }, "complete"],
  [{}, "incomplete"],
  [{ completeUntil: "2026-11-25T13:15:00.000Z" }, "complete until 14:15"],
  [
    { completeUntil: "2026-11-25T13:15:00.000Z", to: "2026-11-26T23:00:00.000Z" },
    "complete until 25 Nov 2026, 14:15",
  ],
])("numbers say until when they are complete, in the time zone of their range: %j", (change, label) => {
  expect(describeCompleteness({ ...TODAY, ...change }).label).toBe(label);
});
