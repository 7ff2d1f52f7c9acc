import { expect, it } from "vitest";

import { GATES } from "../src/gates.ts";
import { INSTRUCTION_RATIOS, readTotal } from "../src/redirect/instructions-section.ts";

it("reads the instructions of a dump of callgrind, and nothing where there are none", () => {
  expect(readTotal("version: 1\nevents: Ir\nfn=(1) main\n12 7\n\ntotals: 517000123\n")).toBe(517_000_123);
  expect(readTotal("version: 1\nevents: Ir\n")).toBeNull();
});

it("has a gate for each ratio of instructions", () => {
  const gated = GATES.filter(({ section }) => section === "instructions").map(({ figure }) => figure);
  expect(gated).toEqual(INSTRUCTION_RATIOS.map(({ figure }) => figure));
});
