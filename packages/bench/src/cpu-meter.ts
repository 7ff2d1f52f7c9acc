/**
 * How busy the cores are, and how much of that is the run: on a shared machine a figure means little without both. The
 * run's part comes from /proc and is unknown where there is none.
 */
import { readdirSync, readFileSync } from "node:fs";
import os from "node:os";

export type CpuReading = {
  /** Share of all cores that was busy, whoever kept them so; between 0 and 1. */
  readonly busy: number;
  /** The part of it that this process and its descendants had. */
  readonly ours: number | null;
};

/** The unit of times in /proc/<pid>/stat: USER_HZ, 100 a second on every Linux that runs Node. */
const TICK_MS = 10;

/** `read` tells what happened since it was last called. */
export function createCpuMeter(): { read(): CpuReading } {
  let before = readCores();
  let oursBefore = readDescendants(process.pid);
  return {
    read() {
      const now = readCores();
      const oursNow = readDescendants(process.pid);
      const total = now.total - before.total;
      const busy = total === 0 ? 0 : 1 - (now.idle - before.idle) / total;
      let oursMs = 0;
      for (const [pid, cpuMs] of oursNow ?? []) {
        oursMs += cpuMs - (oursBefore?.get(pid) ?? cpuMs);
      }
      const ours = oursNow === null || total === 0 ? null : Math.min(busy, oursMs / total);
      before = now;
      oursBefore = oursNow;
      return { busy, ours };
    },
  };
}

function readCores(): { readonly idle: number; readonly total: number } {
  let idle = 0;
  let total = 0;
  for (const { times } of os.cpus()) {
    idle += times.idle;
    total += times.user + times.nice + times.sys + times.irq + times.idle;
  }
  return { idle, total };
}

/** CPU milliseconds so far of a process and all that descend from it; `null` without /proc. */
function readDescendants(root: number): ReadonlyMap<number, number> | null {
  const processes = listProcesses();
  if (processes === null) {
    return null;
  }
  const found = new Map<number, number>();
  let isGrowing = true;
  while (isGrowing) {
    isGrowing = false;
    for (const { pid, parent, cpuMs } of processes) {
      if (!found.has(pid) && (pid === root || found.has(parent))) {
        found.set(pid, cpuMs);
        isGrowing = true;
      }
    }
  }
  return found;
}

type ProcessTimes = { readonly pid: number; readonly parent: number; readonly cpuMs: number };

function listProcesses(): readonly ProcessTimes[] | null {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? readProcess(name) : []));
  } catch {
    return null;
  }
}

/** proc(5): after the name in brackets, which may hold anything: state, parent, and as 12th and 13th the times. */
function readProcess(pid: string): readonly ProcessTimes[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = Number(fields[11]) + Number(fields[12]);
    return [{ pid: Number(pid), parent: Number(fields[1]), cpuMs: ticks * TICK_MS }];
  } catch {
    // Ended since it was listed.
    return [];
  }
}
