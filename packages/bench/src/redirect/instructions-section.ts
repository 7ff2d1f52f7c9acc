/**
 * The redirect in instructions instead of time: workerd in Valgrind's callgrind, which counts what a processor is asked to do and
 * nothing of who else is busy. A neighbour changes no figure, so a difference of a few percent is one of the code. Some forty
 * times slower than workerd itself, so requests are few.
 *
 * V8 has room for all that is allocated and compiles in the one thread that there is: no collection and no other thread is
 * among what is counted. System calls are not, either.
 */
import { spawnSync } from "node:child_process";
import { readFile, rm } from "node:fs/promises";

import { Failure } from "@hopline/testkit/console/failure";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { execa } from "execa";

import type { Section } from "../section.ts";
import { formatTable } from "../table.ts";
import { generateLoad } from "./load-generator.ts";
import { checkClicks, type RunningTarget, touchSlugs, untilIdle } from "./running-target.ts";
import { writeTargets } from "./start-targets.ts";
import { type Target, TARGETS } from "./targets.ts";
import { startWorkerd } from "./workerd-process.ts";

/**
 * Compiled in the background it would be counted or not as it pleases, and later than after the warm-up it would be counted; a
 * collection costs as much as a hundred requests.
 */
const V8_FLAGS = [
  "--single-threaded",
  "--invocation-count-for-turbofan=1000",
  "--min-semi-space-size=128",
  "--max-semi-space-size=128",
];
/**
 * What is done once a second or so, and not once a request, would count for more the slower a machine is: segments are full,
 * the change feed is not read, and no tier is too slow.
 */
const VARS = {
  CLICK_LINGER_MS: "5000",
  CHANGE_FEED_MODE: "off",
  KV_TIMEOUT_MS: "30000",
  DATABASE_TIMEOUT_MS: "30000",
  VISIT_TIMEOUT_MS: "30000",
};
const IDLE_FOR_MS = 6_000;
/** Each is read again after 30 s, and its domain. */
const SLUGS = 1;
/** So that V8 has compiled what is measured; not counted, and then only ten times slower. */
const WARM_UP = 4_000;
const MEASURED = 1_000;
const CONNECTIONS = 4;
const START_TIMEOUT_MS = 180_000;
const PATIENCE_MS = 120_000;

export const INSTRUCTION_RATIOS = [
  { target: "isolate-hit", yardstick: "facts", figure: "instructions.isolate-hit.over-facts" },
  { target: "kv-hit", yardstick: "kv-read-and-facts", figure: "instructions.kv-hit.over-kv-read-and-facts" },
] as const;

const MEASURED_TARGETS: readonly Target[] = TARGETS.flat()
  .filter(({ name }) => name !== "kv-read")
  .map((target) => {
    const { traffic } = target;
    return { ...target, traffic: { ...traffic, slugs: traffic.slugs.slice(0, SLUGS) } };
  });

export const instructionsSection: Section = {
  title: "Redirect: instructions of workerd",
  async run({ say }) {
    if (!hasValgrind()) {
      throw new Failure("Valgrind is not installed: `apt-get install valgrind`, on Linux.");
    }
    const configPaths = await writeTargets(MEASURED_TARGETS, { vars: VARS, v8Flags: V8_FLAGS });
    const counted = new Map<string, number>();
    for (const [index, target] of MEASURED_TARGETS.entries()) {
      say(`${target.name}, ${index + 1} of ${MEASURED_TARGETS.length}`);
      counted.set(target.name, await countInstructions(target, configPaths[index] ?? ""));
    }
    const of = (name: string): number => counted.get(name) ?? Number.NaN;
    const ratios = INSTRUCTION_RATIOS.map(({ target, yardstick, figure }) => ({
      name: figure,
      value: of(target) / of(yardstick),
      unit: "x" as const,
    }));
    return {
      figures: [
        ...MEASURED_TARGETS.map(({ name }) => ({
          name: `instructions.${name}.per-request`,
          value: Math.round(of(name)),
          unit: "instructions" as const,
        })),
        ...ratios,
      ],
      lines: formatTable([
        ["", "instructions a request", "of a constant 302"],
        ...MEASURED_TARGETS.map(({ name, title }) => [
          title,
          Math.round(of(name)).toLocaleString("en-US"),
          (of(name) / of("constant")).toFixed(3),
        ]),
      ]),
    };
  },
};

export function hasValgrind(): boolean {
  return spawnSync("valgrind", ["--version"]).status === 0;
}

/** Of one request, on average. Rejects with a `Failure` when an answer or the number of clicks is wrong. */
async function countInstructions(target: Target, configPath: string): Promise<number> {
  const outPath = inWorkspace(`dist/bench/${target.name}/callgrind.out`);
  const workerd = await startWorkerd(configPath, {
    // V8 writes code while it runs.
    under: [
      "valgrind",
      "--tool=callgrind",
      "--instr-atstart=no",
      "--smc-check=all-non-file",
      `--callgrind-out-file=${outPath}`,
    ],
    startTimeoutMs: START_TIMEOUT_MS,
  });
  const running: RunningTarget = { target, workerd };
  try {
    await touchSlugs(running);
    await ask(running, { requests: WARM_UP, firstNumber: 0 });
    await workerd.takeMessages();
    await control(running, "--instr=on");
    await ask(running, { requests: MEASURED, firstNumber: WARM_UP });
    await control(running, "--dump");
    checkClicks(target, await workerd.takeMessages(), MEASURED);
    const total = readTotal(await readFile(`${outPath}.1`, "utf8"));
    if (total === null) {
      throw new Failure(`${outPath}.1 has no total: callgrind has another format.`);
    }
    return total / MEASURED;
  } finally {
    workerd.stop();
    await rm(`${outPath}.1`, { force: true });
  }
}

/** And until the last click is sent, which belongs to it. */
async function ask(
  running: RunningTarget,
  { requests, firstNumber }: { readonly requests: number; readonly firstNumber: number },
): Promise<void> {
  const { target, workerd } = running;
  const { unexpected } = await generateLoad({
    ...target.traffic,
    firstNumber,
    requests,
    connections: CONNECTIONS,
    port: workerd.port,
    expectedStatus: target.expected.status,
    timeoutMs: PATIENCE_MS,
  });
  if (unexpected > 0) {
    throw new Failure(
      `${target.name}: ${unexpected} of ${requests} answers were not ${target.expected.status}.`,
    );
  }
  await untilIdle(running, { timeoutMs: PATIENCE_MS, idleForMs: IDLE_FOR_MS });
}

async function control({ workerd }: RunningTarget, command: string): Promise<void> {
  const { exitCode, all } = await execa("callgrind_control", [command, String(workerd.pid)], {
    reject: false,
    all: true,
    timeout: PATIENCE_MS,
  });
  if (exitCode !== 0) {
    throw new Failure(`callgrind_control ${command} failed: ${all}`);
  }
}

/** The sum of a dump of callgrind; `null` where there is none. */
export function readTotal(dump: string): number | null {
  const [, total] = /^totals: (\d+)$/m.exec(dump) ?? [];
  return total === undefined ? null : Number(total);
}
