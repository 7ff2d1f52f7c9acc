/**
 * CPU time of a process, user and system, all threads. The kernel's own count in nanoseconds where it has one; else the
 * ticks of 10 ms into which it rounds the same count (man 5 proc_pid_stat: utime, stime).
 */
import { readdirSync, readFileSync } from "node:fs";

/** USER_HZ is 100 on every Linux that Node supports. */
const MICROSECONDS_PER_TICK = 10_000;

/**
 * Microseconds since the process began. A thread that has ended is missing from the finer count; workerd keeps its
 * threads. Throws when the process is gone.
 */
export function readCpuMicroseconds(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    // First field: nanoseconds on a CPU (Documentation/scheduler/sched-stats.rst).
    const nanoseconds = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
    );
    return nanoseconds.reduce((sum, value) => sum + value, 0) / 1_000;
  } catch {
    return readTicks(pid) * MICROSECONDS_PER_TICK;
  }
}

function readTicks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // Field 2 is the name in brackets and may hold blanks: count from the last bracket. utime and stime are 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}
