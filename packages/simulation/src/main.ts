/** `pnpm simulate`: lives of Hopline in virtual time, until the time is over. */
import { HAS_CLICKHOUSE, HOW_TO_FETCH } from "@hopline/testkit/clickhouse/engine-cache";
import { runCommandLine } from "@hopline/testkit/console/command-line";
import { readWholeNumber } from "@hopline/testkit/console/read-whole-number";
import { defineCommand } from "citty";
import { planLife } from "./life/life-plan.ts";
import { type Failed, openSimulator, shrink, type Simulator } from "./simulator.ts";

/** Of a failing life, what is printed. */
const MAX_LINES = 80;
/** How often it is told how far a long run is. */
const LIVES_OF_REPORT = 25;
/** Two seconds are for 99 of 100 isolates, which only many visits show. */
const MIN_THIRD = 500;
const LATE_SHARE = 0.01;

const command = defineCommand({
  meta: {
    name: "pnpm simulate",
    description: "Lives random days of Hopline in virtual time, and checks its promises",
  },
  args: {
    seed: { type: "string", description: "Live this one, and tell what happens" },
    until: {
      type: "string",
      description: "End the life after so many seconds of its own, without the checks at its end",
    },
    minutes: { type: "string", description: "Live random seeds for so long; 1 unless told otherwise" },
    lives: { type: "string", description: "No more than so many lives" },
  },
  async run({ args }) {
    const minutes = read("minutes", args.minutes ?? "1", 1_000);
    const lives = read("lives", args.lives ?? "1000000", 1_000_000);
    if (!HAS_CLICKHOUSE) {
      print(`All lives count in Postgres, for ClickHouse's engine is not on this machine: ${HOW_TO_FETCH}.`);
    }
    const simulator = await openSimulator();
    try {
      return args.seed === undefined
        ? await liveFor(simulator, minutes * 60_000, lives)
        : await liveOne(simulator, args.seed, args.until);
    } finally {
      await simulator.close();
    }
  },
});

function read(name: string, text: string, max: number): number {
  return readWholeNumber(text, { name: `--${name}`, min: 1, max });
}

async function liveOne(simulator: Simulator, seed: string, until: string | undefined): Promise<number> {
  const untilMs = until === undefined ? undefined : read("until", until, 100_000) * 1_000;
  const life = await simulator.live(planLife(read("seed", seed, 999_999_999)), untilMs);
  life.story.forEach(print);
  return life.faults.length > 0 ? 1 : 0;
}

/** To the end, also past lives that fail: each is told at once, and the first is shrunk when the time is over. */
async function liveFor(simulator: Simulator, ms: number, max: number): Promise<number> {
  const startedAtMs = performance.now();
  const first = 1 + Math.floor(Math.random() * 900_000_000);
  const third = { visits: 0, late: 0 };
  const failed: Failed[] = [];
  let visits = 0;
  let lives = 0;
  const report = (): void => {
    const rate = ((1_000 * lives) / (performance.now() - startedAtMs)).toFixed(2);
    const { user, system } = process.cpuUsage();
    const cpu = ((user + system) / 1_000_000 / lives).toFixed(1);
    print(
      `${lives} lives from seed ${first} on, ${failed.length} failed; ${visits} visits, ${rate} lives a second, ${cpu} s of Node's CPU each`,
    );
  };
  while (lives < max && performance.now() < startedAtMs + ms) {
    const plan = planLife(first + lives);
    const life = await simulator.live(plan);
    lives += 1;
    visits += life.visits;
    third.visits += life.third.visits;
    third.late += life.third.late;
    if (life.faults.length > 0) {
      failed.push({ plan, life });
      print(`Seed ${plan.seed}: ${life.faults.join("; ")}`);
    }
    if (lives % LIVES_OF_REPORT === 0) {
      report();
    }
  }
  report();
  print(`of ${third.visits} visits in the third second after a change ${third.late} did not know of it`);
  if (failed[0] === undefined) {
    return third.visits >= MIN_THIRD && third.late > third.visits * LATE_SHARE ? 1 : 0;
  }
  const { plan, life } = await shrink(simulator, failed[0]);
  print(`\nSeed ${plan.seed}, shrunk to ${plan.events.length} events:\n`);
  life.story.slice(-MAX_LINES).forEach(print);
  print(`\npnpm simulate --seed ${plan.seed} lives it again.`);
  return 1;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await runCommandLine({ default: command, example: "pnpm simulate --minutes 10" });
