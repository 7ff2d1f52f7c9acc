/** The machine a figure was measured on, and how busy it was: a figure without it says nothing. */
import os from "node:os";

export type Machine = {
  readonly cpuModel: string;
  readonly cpuCount: number;
  readonly memoryGiB: number;
  readonly system: string;
  /** Of the last minute, before anything of ours ran. Others on the machine show here. */
  readonly loadAverageBefore: number;
};

export function describeMachine(): Machine {
  const [cpu] = os.cpus();
  return {
    cpuModel: cpu?.model.trim() ?? "unknown",
    cpuCount: os.availableParallelism(),
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.release().split("-")[0]} ${os.arch()}`,
    loadAverageBefore: Math.round((os.loadavg()[0] ?? 0) * 100) / 100,
  };
}

export type CpuMeter = { read(): number };

/** `read` tells the share of all cores that was busy since it was last called, whoever kept them so. */
export function createCpuMeter(): CpuMeter {
  let before = readTimes();
  return {
    read() {
      const now = readTimes();
      const total = now.total - before.total;
      const busy = total === 0 ? 0 : 1 - (now.idle - before.idle) / total;
      before = now;
      return busy;
    },
  };
}

function readTimes(): { readonly idle: number; readonly total: number } {
  let idle = 0;
  let total = 0;
  for (const { times } of os.cpus()) {
    idle += times.idle;
    total += times.user + times.nice + times.sys + times.irq + times.idle;
  }
  return { idle, total };
}
