import { expect, it } from "vitest";

import { readInteractions } from "../../src/dashboard/interactions.ts";

const toTrace = (events: readonly object[]) =>
  new TextEncoder().encode(JSON.stringify({ traceEvents: events }));
const timing = (interactionId: number, duration: number, ph = "b") => ({
  name: "EventTiming",
  ph,
  args: { data: { interactionId, duration } },
});

it("counts an interaction once, by the longest of its events, and not what is none", () => {
  const trace = [timing(7, 24), timing(7, 40), timing(7, 99, "e"), timing(0, 500), timing(9, 16)];
  expect(readInteractions(toTrace([...trace, { name: "RunTask", ph: "X" }]))).toEqual([40, 16]);
});

it("does not take silence for speed", () => {
  expect(() => readInteractions(toTrace([timing(0, 8)]))).toThrow("no interaction");
});
