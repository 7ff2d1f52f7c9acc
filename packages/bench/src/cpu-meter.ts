/**
 * CPU time, from /proc: of one process, and of this run compared with everything else on the machine. On a shared
 * machine a figure says little without the second.
 */
import { readdirSync, readFileSync } from "node:fs";
import os from "node:os";

export type CpuReading = {
  /** Share of all cores that was busy with anything; between 0 and 1. */
  readonly busy: number;
  /** The part of it that this process and its descendants used; `null` where there is no /proc. */
  readonly ours: number | null;
};

/** The unit of times in /proc/<pid>/stat: USER_HZ, 100 a second on every Linux that runs Node. */
const TICK_MS = 10;

/** `read` covers the time since the last call. */
export function createCpuMeter(): { read(): CpuReading } {
  let before = readCores();
  let oursBefore = readOurs();
  return {
    read() {
      const now = readCores();
      const oursNow = readOurs();
      const totalMs = Math.max(1, now.totalMs - before.totalMs);
      const busy = 1 - (now.idleMs - before.idleMs) / totalMs;
      const oursMs = [...(oursNow ?? [])].reduce(
        (sum, [pid, { cpuMs }]) => sum + cpuMs - (oursBefore?.get(pid)?.cpuMs ?? cpuMs),
        0,
      );
      before = now;
      oursBefore = oursNow;
      return { busy, ours: oursNow === null ? null : Math.min(busy, oursMs / totalMs) };
    },
  };
}

/**
 * CPU milliseconds of this process and of all that descend from it since now, by the program's name; `null` without /proc. Of one
 * that ends meanwhile nothing is counted.
 */
export function meterPrograms(): () => ReadonlyMap<string, number> | null {
  const before = readOurs();
  return () => {
    const now = readOurs();
    if (now === null) {
      return null;
    }
    const sums = new Map<string, number>();
    for (const [pid, { program, cpuMs }] of now) {
      sums.set(program, (sums.get(program) ?? 0) + cpuMs - (before?.get(pid)?.cpuMs ?? 0));
    }
    return sums;
  };
}

/**
 * Microseconds on a CPU since the process began, user and system, in nanosecond steps. A thread that has ended is
 * missing; workerd keeps its threads. Throws when the process is gone.
 */
export function readCpuMicroseconds(pid: number): number {
  // First field: nanoseconds on a CPU (Documentation/scheduler/sched-stats.rst).
  return readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]))
    .reduce((sum, nanoseconds) => sum + nanoseconds / 1_000, 0);
}

function readCores() {
  const times = os.cpus().map((core) => core.times);
  const sum = (read: (time: (typeof times)[number]) => number) =>
    times.reduce((total, time) => total + read(time), 0);
  return {
    idleMs: sum(({ idle }) => idle),
    totalMs: sum(({ user, nice, sys, irq, idle }) => user + nice + sys + irq + idle),
  };
}

/** This process and all that descend from it, by number; `null` without /proc. */
function readOurs(): ReadonlyMap<number, ProcessTimes> | null {
  if (process.platform !== "linux") {
    return null;
  }
  const processes = new Map(readdirSync("/proc").flatMap(readProcess));
  const isOurs = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === process.pid || isOurs(processes.get(pid)?.parent));
  return new Map([...processes].filter(([pid]) => isOurs(pid)));
}

type ProcessTimes = {
  readonly program: string;
  readonly parent: number;
  /** So far. */
  readonly cpuMs: number;
};

/** proc(5): after the name in brackets, which may hold anything: state, parent, and as 12th and 13th the times. */
function readProcess(name: string): readonly (readonly [number, ProcessTimes])[] {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, "utf8");
    const end = stat.lastIndexOf(")");
    const fields = stat.slice(end + 2).split(" ");
    return [
      [
        Number(name),
        {
          program: stat.slice(stat.indexOf("(") + 1, end),
          parent: Number(fields[1]),
          cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
        },
      ],
    ];
  } catch {
    // No process, or ended since it was listed.
    return [];
  }
}
