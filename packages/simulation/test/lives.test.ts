/** Lives of fixed and random seeds, in the full run; and that what can be planted is still there to be changed. */
import { readFileSync, readdirSync } from "node:fs";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { planLife } from "../src/life/life-plan.ts";
import { PLANTED_FAULTS } from "../src/planted/planted-faults.ts";
import { openSimulator, type Simulator } from "../src/simulator.ts";
import { IS_FULL } from "../../core/test/runs.ts";

describe.runIf(IS_FULL)("a life", () => {
  let simulator: Simulator;

  beforeAll(async () => {
    simulator = await openSimulator();
  });
  afterAll(() => simulator.close());

  // A fixed part, and one that nobody has lived yet. What a seed stands for ends with the next change of the generator.
  const seeds = [2, 3, Math.floor(Math.random() * 900_000_000)];

  it.each(seeds)("of seed %i keeps every promise", async (seed) => {
    const { faults } = await simulator.live(planLife(seed));
    expect(faults, `pnpm simulate --seed ${seed}`).toEqual([]);
  });

  it("is lived again as it was", async () => {
    const plan = planLife(5);
    const [first, second] = [await simulator.live(plan), await simulator.live(plan)];
    expect(second.story).toEqual(first.story);
    expect(first.visits).toBeGreaterThan(0);
  });
});

it("finds the line of each fault that can be planted", () => {
  const migrations = readdirSync(inWorkspace("migrations")).filter((name) => name.endsWith(".sql"));
  const sql = migrations.map((name) => readFileSync(inWorkspace(`migrations/${name}`), "utf8")).join("");
  const sourceOf = (fault: (typeof PLANTED_FAULTS)[number]) =>
    "path" in fault ? readFileSync(inWorkspace(fault.path), "utf8") : sql;
  const stale = PLANTED_FAULTS.filter((fault) => !sourceOf(fault).includes(fault.find));
  expect(stale.map(({ name }) => name)).toEqual([]);
});
