/** Lives of fixed and random seeds; and that what can be planted is still there to be changed. */
import { readFileSync, readdirSync } from "node:fs";
import { TEMPLATE_VARIABLE } from "@hopline/testkit/postgres/scratch-database";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type LifePlan, planLife } from "../src/life/life-plan.ts";
import { runLife } from "../src/life/run-life.ts";
import { PLANTED_FAULTS } from "./planted/planted-faults.ts";
import { loadWorker } from "../src/runtime/load-worker.ts";
import { openSimulator, openStage, type Simulator } from "../src/simulator.ts";
import { IS_FULL } from "../../core/test/runs.ts";

const AT = { host: "go.example.com", slug: "spring" };
const visit = (seconds: number, isolate: number, at = AT) =>
  ({ atMs: seconds * 1_000, kind: "visit", colo: "AMS", isolate, ...at }) as const;
const ELSEWHERE = { host: "to.example.com", slug: "summer" };
const take = (seconds: number) =>
  ({ atMs: seconds * 1_000, kind: "take-domain", host: AT.host, workspace: "south" }) as const;

/** The domain is removed at 20 s. Jobs run at 30 s, 90 s, and so on. The isolates were idle and do not hold the link: they ask KV. */
const CHANGES_HANDS: LifePlan = {
  seed: 11,
  lastsMs: 240_000,
  feedDistanceMs: 250,
  lingerMs: 1_000,
  nights: 0,
  retentionDays: 0,
  countsIn: "postgres",
  events: [
    { atMs: 100, kind: "create", ...AT },
    ...[2, 3, 4, 5, 6, 7, 8, 9, 10].map((isolate) => visit(10, isolate, ELSEWHERE)),
    visit(18, 1),
    { atMs: 20_000, kind: "remove-domain", host: AT.host },
    take(40),
    ...[45, 50, 55].map((seconds, index) => visit(seconds, 2 + index)),
    take(160),
    ...[165, 170, 175].map((seconds, index) => visit(seconds, 5 + index)),
    { atMs: 180_000, kind: "create", ...AT },
    ...[181, 185, 200].map((seconds, index) => visit(seconds, 8 + index)),
  ],
};

describe("a life", () => {
  let simulator: Simulator;

  // On a server of its own: a transaction of another test file holds back what is cut below the oldest one, for seconds that do not pass here.
  beforeAll(async () => {
    vi.stubEnv("DATABASE_URL", "");
    vi.stubEnv(TEMPLATE_VARIABLE, "");
    simulator = await openSimulator().finally(() => void vi.unstubAllEnvs());
  });
  afterAll(() => simulator.close());

  // A fixed part, which found faults once, and a part that nobody has lived yet. A large domain was deleted while an isolate slept: 221 led to its
  // former owner, and 229262429 to a link of it from KV, because the feed took two reads. In the next two an announced text was believed for too long.
  const fixed = [221, 229_262_429, 249_158_084, ...(IS_FULL ? [846_413_016, 2] : [])];
  const seeds = [...fixed, ...Array.from({ length: 2 }, () => Math.floor(Math.random() * 900_000_000))];

  it.each(seeds)("of seed %i keeps every promise", async (seed) => {
    const { faults } = await simulator.live(planLife(seed));
    expect(faults, `pnpm simulate --seed ${seed}`).toEqual([]);
  });

  it.runIf(IS_FULL)(
    "has a domain change hands while the feed is far and KV has copies: nobody is led to its former owner",
    async () => {
      const fault = PLANTED_FAULTS.find(({ name }) =>
        name.startsWith("a host is free while KV may have copies"),
      );
      if (fault === undefined || !("worker" in fault)) {
        throw new Error("the fault is not planted in a Worker");
      }
      const { close, ...stage } = await openStage();
      try {
        const code = { ...stage.code, api: await loadWorker("api", [fault]) };
        const [broken] = (await runLife(CHANGES_HANDS, { ...stage, code })).faults;
        expect(broken).toBe("go.example.com/spring of south led to north, who had the host before");
        expect((await runLife(CHANGES_HANDS, stage)).faults).toEqual([]);
      } finally {
        await close();
      }
    },
  );

  it.runIf(IS_FULL).each([
    ["postgres", 5],
    ["clickhouse", 1007],
  ] as const)("that counts in %s is lived again as it was", async (countsIn, seed) => {
    const plan = { ...planLife(seed), countsIn };
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
